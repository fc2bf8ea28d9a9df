package httpclient

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/text/encoding"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Step is one step of the chain. A step that changes the exchange, or passes it on
// more than once, passes on a copy.
type Step interface {
	Do(context.Context, *Call) (*Response, error)
}

// Call is a request on its way through the chain, with everything that the
// steps need to know about it.
type Call struct {
	*request.Request
	// Built is the request before authentication, signature and redirects.
	Built   *request.Request
	Sender  JobInfo
	Purpose Purpose
	// Untrusted is set when a response led the request, or an earlier hop of it, to an
	// origin that must not get credentials. No step adds any then.
	Untrusted bool
	// Attempt counts from 1.
	Attempt int

	// logins collects the exchanges of a login that is recorded; nil for none.
	logins *loginRecord
	// connected is called when the request has its connection; may be nil.
	connected func()
	// moments collects the times of the connection; nil without a recording.
	moments *phaseTimes
	// held is how long the rate limit delayed the request.
	held time.Duration
}

// clone returns a copy whose request can be changed.
func (x *Call) clone() *Call {
	clone := *x
	clone.Request = x.Request.Clone()
	return &clone
}

// anonymous reports whether it is sent for a job that wants no credentials. A login
// that it needs is not.
func (x *Call) anonymous() bool { return x.Sender.Anonymous && x.Purpose == Data }

// withoutCredentials reports whether a request gets no credentials, wherever it goes.
func (x *Call) withoutCredentials() bool { return x.Untrusted || x.Anonymous }

// JobInfo is the job that a request is sent for.
type JobInfo struct {
	// Job is the endpoint as configured, Pointer the place of the job.
	Job, Pointer string
	// Accept is what the responses may be written in; "" is JSON. A configured header wins.
	Accept string
	// Charset is the configured character set of the responses; nil if there is none, or UTF-8.
	Charset encoding.Encoding
	// Iteration counts from 1; 0 when there is only one.
	Iteration int
	// Live is the job's line on the terminal, nil for none.
	Live *event.LiveJob
	// Rules are those of the job about responses to its requests. They come before
	// Settings.Rules.
	Rules rule.List
	// RateLimit is that of the job, for all its runs.
	RateLimit config.RateLimit
	// Headers are those of all jobs, below the headers of the request.
	Headers []config.Header
	// Anonymous jobs send their requests without the credentials of the API.
	Anonymous bool
	// Needed is closed when the job needs the response; nil when it needs it now.
	// See auth.Attempt.
	Needed <-chan struct{}
	// PagePath is the place of the page, see har.Origin; nil without a recording.
	PagePath []int
	// FindSources says where the parts of a request come from that was sent as it is. It is
	// called for a recording only, and may be nil.
	FindSources func(sent Outgoing) []request.Source
	// YieldSlot is called before a wait for a response that is not ready, and resume after it.
	// Other requests of the run may be sent meanwhile. nil does nothing.
	YieldSlot func() (resume func() error)
}

// Purpose is what a request is sent for.
type Purpose int

const (
	// Data is a request of a job.
	Data Purpose = iota
	// Login is a request of the authentication.
	Login
)

// Response is a response that has arrived completely.
type Response struct {
	// Exchange is the request that was answered: the last hop and attempt.
	*Call
	Status int
	// StatusLine is the status with its reason: "404 Not Found".
	StatusLine string
	Header     http.Header
	// Length is the announced length of the body, -1 if unknown.
	Length int64
	// Body is decompressed. It must be closed.
	Body *response.Spool
	// AcceptedError is set for an error status that the configuration accepts
	// (`api.http.ignoreErrors`, or a rule).
	AcceptedError bool
	// Decision is what a rule wants done with the response: to accept it, to skip it, or to
	// start its job again. It is nil if no rule matches.
	Decision *rule.Decision

	cacheFile string // its file in the cache
	// tried is the number of attempts, if the request would be sent again because of its
	// status but has no retries left; 0 otherwise.
	tried  int
	passed time.Duration // since the first attempt
}

// Address returns method and address for an error message.
func (a *Response) Address() string { return a.Method + " " + a.Request.Address() }

// RequestURL is the address that answered, without what authentication added to it: the one
// that relative addresses in the response belong to.
func (a *Response) RequestURL() *url.URL {
	built, sent := a.Built.URL, a.Request.URL
	if built.Scheme == sent.Scheme && built.Host == sent.Host && built.EscapedPath() == sent.EscapedPath() {
		return built
	}
	return sent // of a redirect
}

// Link are the values of the header of that name, which may lead to the next page.
func (a *Response) Link() []string { return headerLines(a.Header, "Link") }

// EvictFromCache removes a useless response from the cache, so that the next run requests it
// again.
func (a *Response) EvictFromCache() error {
	if a.cacheFile == "" {
		return nil
	}
	if err := os.Remove(a.cacheFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure.Applicationf("cannot remove a response from the cache: %w", err)
	}
	return nil
}

func (a *Response) close() error {
	if a == nil {
		return nil
	}
	return a.Body.Close()
}
