package config

import (
	"cmp"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of `api.retryConfig`.
var (
	maxRetries       = field.Integer("maxRetries", "Retries", "How often a request is repeated after the first attempt; 0, or an empty value, means never. If a host has not answered at all in this run yet, a connection that cannot be made is retried for about 30 seconds only (five attempts).").Default(10).EmptyMeans(0).Example(`3`)
	maxWait          = field.Seconds("maxWait", "Longest wait", "The longest wait before an attempt, in seconds; 0 means the default. If the header of a response requests a longer wait, the run fails; computed waits are limited to it.").Default(time.Hour).Example(`900`)
	retryHTTP        = field.Group("http", "HTTP", "Retries because of a response.", retryHeader, httpCodes, misplacedRetries)
	retryHeader      = field.Text("retryHeader", "Header", "Header with the time of the next attempt: seconds, a Unix time or a date. An empty text means none.").Default("Retry-After").EmptyMeans("").Example(`"X-RateLimit-Reset"`)
	httpCodes        = field.Of("codes", "Status codes", "Status codes that are retried, even 2xx; an empty list means none.", field.ListOf(field.IntegerType)).DefaultJSON(`[500, 502, 503, 504, 408, 420, 429]`).Example(`[429, 503]`)
	misplacedRetries = field.Integer("maxRetries", "Retries, wrong place", "Has no effect: `maxRetries` is a key of `retryConfig`.").Old(`has no effect here; put it directly under "retryConfig"`).Example(`3`)
	retryNetwork     = field.Group("curl", "Network", "Retries because of a network failure.", networkCodes)
	networkCodes     = field.Of("codes", "Network errors", "Failures that are retried, by the numbers of curl: 6 name not resolved, 7 not reachable, 28 timeout, 35 TLS handshake, 52 no response, 55 sending failed, 56 receiving failed, 18 body too short, 60 certificate.", field.ListOf(field.IntegerType)).DefaultJSON(`[28, 6, 7, 35, 52, 56, 18]`).Example(`[6, 7]`)
	oldRetryHeader   = field.Text("headerName", "Header, old spelling", "Old spelling of `http.retryHeader`. With it or `httpCodes` the whole `http` object is ignored.").EmptyMeans("").Example(`"Retry-After"`)
	oldHTTPCodes     = field.Of("httpCodes", "Status codes, old spelling", "Old spelling of `http.codes`. With it or `headerName` the whole `http` object is ignored.", field.ListOf(field.IntegerType)).Example(`[429]`)
	oldNetworkCodes  = field.Of("curlCodes", "Network errors, old spelling", "Old spelling of `curl.codes`. With it the `curl` object is ignored.", field.ListOf(field.IntegerType)).Example(`[7]`)

	retryType = field.Object("retryConfig", "Retries", "Each exchange (a page, a redirect, a login) is retried on its own. The wait is the one in a header of the response, otherwise 1, 2, 4, … seconds. With `http.concurrency` above 1 it is up to twice as long, at random, so that parallel requests are not repeated at the same moment.",
		maxRetries, maxWait, retryHTTP, retryNetwork, oldRetryHeader, oldHTTPCodes, oldNetworkCodes)
)

// retry compiles `api.retryConfig`. The old keys have precedence: one of them hides the
// whole object that replaced it.
func (c *compiler) retry(s Section) Retry {
	r := Retry{
		MaxRetries:   max(0, maxRetries.Of(s)),
		Header:       retryHeader.Field.Default.Raw(),
		Codes:        integers(Section{Value: httpCodes.Field.Default}),
		NetworkCodes: integers(Section{Value: networkCodes.Field.Default}),
		MaxWait:      cmp.Or(maxWait.Of(s), maxWait.Fallback()),
	}
	http, curl := retryHTTP.In(s), retryNetwork.In(s)
	header, codes, network := retryHeader.In(http), httpCodes.In(http), networkCodes.In(curl)
	if hasKey(s, oldRetryHeader.Name) || hasKey(s, oldHTTPCodes.Name) {
		header, codes = oldRetryHeader.In(s), oldHTTPCodes.In(s)
		c.warnHidden(http, "ignored because of \"headerName\" or \"httpCodes\", its old spelling")
	}
	if hasKey(s, oldNetworkCodes.Name) {
		network = oldNetworkCodes.In(s)
		c.warnHidden(curl, "ignored because of \"curlCodes\", its old spelling")
	}
	if header.Value.IsScalar() { // every wait is computed if it is ""
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

func (c *compiler) warnHidden(s Section, text failure.Text) {
	if s.Present() {
		c.warn(failure.NoEffect, s.Pointer, text, "")
	}
}

func hasKey(s Section, name string) bool {
	_, ok := s.Value.Get(name)
	return ok
}
