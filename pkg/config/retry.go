package config

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	defaultMaxWait = time.Hour
)

// The settings of `api.retryConfig`.
var (
	maxRetries       = field.Integer("maxRetries", "Retries", "How often a request is repeated after the first attempt; 0, or an empty value, never. As long as a host has not answered at all in this run, a connection that cannot be made is tried again for about 30 seconds at most (five attempts).").Default(10).EmptyMeans(0).Example(`3`)
	maxWait          = field.Seconds("maxWait", "Longest wait", "Seconds to wait before an attempt at most; 0 means the default. When the header of an answer asks for a longer wait the run fails; computed waits are cut to it.").DefaultJSON(`3600`).Example(`900`)
	retryHTTP        = field.Of("http", "HTTP", "Retries because of an answer.", field.Object("", "HTTP", "Retries because of an answer.", retryHeader, httpCodes, misplacedRetries))
	retryHeader      = field.Text("retryHeader", "Header", "Header that tells when to try again: seconds, a Unix time or a date; an empty text for none.").Default("Retry-After").EmptyMeans("").Example(`"X-RateLimit-Reset"`)
	httpCodes        = field.Of("codes", "Status codes", "Status codes that are tried again, 2xx included; an empty list means none.", field.ListOf(field.IntegerType)).DefaultJSON(`[500, 502, 503, 504, 408, 420, 429]`).Example(`[429, 503]`)
	misplacedRetries = field.Integer("maxRetries", "Retries, wrong place", "Has no effect: `maxRetries` stands directly under `retryConfig`.").Old(`has no effect here; put it directly under "retryConfig"`).Example(`3`)
	retryNetwork     = field.Of("curl", "Network", "Retries because of a network failure.", field.Object("", "Network", "Retries because of a network failure.", networkCodes))
	networkCodes     = field.Of("codes", "Network errors", "Failures that are tried again, by curl's numbers: 6 name not resolved, 7 not reachable, 28 timeout, 35 TLS handshake, 52 no answer, 55 sending failed, 56 receiving failed, 18 body too short, 60 certificate.", field.ListOf(field.IntegerType)).DefaultJSON(`[28, 6, 7, 35, 52, 56, 18]`).Example(`[6, 7]`)
	oldRetryHeader   = field.Text("headerName", "Header, old spelling", "Old spelling of `http.retryHeader`. With it or `httpCodes` the whole `http` object is ignored.").EmptyMeans("").Example(`"Retry-After"`)
	oldHTTPCodes     = field.Of("httpCodes", "Status codes, old spelling", "Old spelling of `http.codes`. With it or `headerName` the whole `http` object is ignored.", field.ListOf(field.IntegerType)).Example(`[429]`)
	oldNetworkCodes  = field.Of("curlCodes", "Network errors, old spelling", "Old spelling of `curl.codes`. With it the `curl` object is ignored.", field.ListOf(field.IntegerType)).Example(`[7]`)

	retryType = field.Object("retryConfig", "Retries", "Every exchange is tried again by itself: each page, each redirect, the login. The wait is told by a header of the answer, else it is 1, 2, 4, … seconds; with `http.concurrency` above 1 up to twice that, at random, so that requests side by side do not come back at the same moment.",
		maxRetries, maxWait, retryHTTP, retryNetwork, oldRetryHeader, oldHTTPCodes, oldNetworkCodes)
)

// retry is `api.retryConfig`. Of the old and the new spelling the old one wins:
// one old key hides the whole object that replaced it.
func (c *compiler) retry(s Section) Retry {
	r := Retry{
		MaxRetries:   max(0, maxRetries.Of(s)),
		Header:       retryHeader.Field.Default.Raw(),
		Codes:        integers(Section{Value: httpCodes.Field.Default}),
		NetworkCodes: integers(Section{Value: networkCodes.Field.Default}),
		MaxWait:      seconds(maxWait.In(s), defaultMaxWait),
	}
	http, curl := retryHTTP.In(s), retryNetwork.In(s)
	header, codes, network := retryHeader.In(http), httpCodes.In(http), networkCodes.In(curl)
	if has(s, oldRetryHeader.Name) || has(s, oldHTTPCodes.Name) {
		header, codes = oldRetryHeader.In(s), oldHTTPCodes.In(s)
		c.hidden(http, "ignored because of \"headerName\" or \"httpCodes\", its old spelling")
	}
	if has(s, oldNetworkCodes.Name) {
		network = oldNetworkCodes.In(s)
		c.hidden(curl, "ignored because of \"curlCodes\", its old spelling")
	}
	if header.Value.IsScalar() { // "" is none: every wait is computed
		r.Header = header.Value.Text()
	}
	if codes.Value.Kind() == value.Array {
		r.Codes = integers(codes)
	}
	if network.Value.Kind() == value.Array {
		r.NetworkCodes = integers(network)
	}
	return r
}

func (c *compiler) hidden(s Section, text failure.Text) {
	if s.Present() {
		c.warn(failure.NoEffect, s.Pointer, text, "")
	}
}

func has(s Section, name string) bool {
	_, ok := s.Value.Get(name)
	return ok
}
