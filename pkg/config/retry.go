package config

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	defaultMaxRetries  = 10
	defaultRetryHeader = "Retry-After"
	defaultMaxWait     = time.Hour
)

// retry is `api.retryConfig`. Of the old and the new spelling the old one wins:
// one old key hides the whole object that replaced it.
func (c *compiler) retry(s Section) Retry {
	r := Retry{
		MaxRetries:   max(0, s.Int("maxRetries", defaultMaxRetries)),
		Header:       defaultRetryHeader,
		Codes:        []int{500, 502, 503, 504, 408, 420, 429},
		NetworkCodes: []int{28, 6, 7, 35, 52, 56, 18},
		MaxWait:      seconds(s.Get("maxWait"), defaultMaxWait),
	}
	http, curl := s.Get("http"), s.Get("curl")
	header, codes, network := http.Get("retryHeader"), http.Get("codes"), curl.Get("codes")
	if has(s, "headerName") || has(s, "httpCodes") {
		header, codes = s.Get("headerName"), s.Get("httpCodes")
		c.hidden(http, "ignored because of \"headerName\" or \"httpCodes\", its old spelling")
	}
	if has(s, "curlCodes") {
		network = s.Get("curlCodes")
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
