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

// step is one step of the chain. A step that changes the call, or passes it on more than
// once, passes on a copy.
type step interface {
	do(context.Context, *call) (*Response, error)
}

// call is a request on its way through the chain, with the data that the steps need.
type call struct {
	*request.Request
	// Built is the request before authentication, signature and redirects.
	Built  *request.Request
	Sender JobInfo
	// forLogin is true for a request of the authentication, false for a request of a job.
	forLogin bool
	// Untrusted is true if a response led the request, or an earlier hop of it, to an
	// origin that must not get credentials. The steps then add none.
	Untrusted bool
	// Attempt counts from 1.
	Attempt int
	// renewal belongs to the request with all of its attempts and redirects. It may be nil.
	renewal *renewal

	// logins collects the exchanges of a login for the recording. It is nil without a
	// recording.
	logins *loginRecord
	// connected is called when the request has its connection; may be nil.
	connected func()
	// moments collects the times of the connection. It is nil without a recording.
	moments *phaseTimes
	// held is the delay of the request by rate limits.
	held time.Duration
}

func (x *call) clone() *call {
	clone := *x
	clone.Request = x.Request.Clone()
	return &clone
}

// anonymous reports whether a request of a job is sent without the credentials of the
// API. A login for the same job is not anonymous.
func (x *call) anonymous() bool { return x.Sender.Anonymous && !x.forLogin }

// withoutCredentials reports whether a request gets no credentials, regardless of its
// origin.
func (x *call) withoutCredentials() bool { return x.Untrusted || x.Anonymous }

// JobInfo is the job that a request is sent for.
type JobInfo struct {
	// Job is the configured endpoint of the job. Pointer is its JSON pointer.
	Job, Pointer string
	// Accept is the header Accept for the response format. If it is empty, JSON is
	// requested. A configured header overrides it.
	Accept string
	// Charset is the configured character set of the responses. It is nil for UTF-8 and
	// if none is configured.
	Charset encoding.Encoding
	// Iteration counts from 1. It is 0 if there is only one iteration.
	Iteration int
	// Live is the live progress of the job. It may be nil.
	Live *event.LiveJob
	// Rules are the rules of the job about its responses. They are applied before
	// Settings.Rules.
	Rules rule.List
	// RateLimit limits the requests of the job. All runs of the job share it.
	RateLimit config.RateLimit
	// Headers are the headers of the API for all jobs. Headers of the request override
	// them.
	Headers []config.Header
	// Anonymous is true if the job sends its requests without the credentials of the API.
	Anonymous bool
	// Needed is closed when the job needs the response. It is nil if the job needs the
	// response now. See auth.Attempt.
	Needed <-chan struct{}
	// File is true if the responses are stored as files, so that a recording does not need
	// their bodies.
	File bool
	// PagePath identifies the page in the run, see har.Initiator. It is nil without a
	// recording.
	PagePath []int
	// FindSources returns the sources of the parts of a request. It is nil without a
	// recording or a dry run.
	FindSources func(sent Outgoing) []request.Source
	// YieldSlot is called before a wait for a response that is not ready, and resume
	// after the wait. Meanwhile other requests of the run may be sent. YieldSlot may be
	// nil.
	YieldSlot func() (resume func() error)
}

// Response is a response with its complete body.
type Response struct {
	// call is the last hop and attempt of the request.
	*call
	Status int
	// StatusLine is the status with its reason, as in "404 Not Found".
	StatusLine string
	Header     http.Header
	// Length is the value of Content-Length, or -1 if the length is unknown.
	Length int64
	// Body is the decompressed body. The caller must close it.
	Body *response.Spool
	// AcceptedError is true if the status is an error that the configuration accepts
	// (`api.http.ignoreErrors`, or a rule).
	AcceptedError bool
	// Decision is the action of the rule that matches: to accept the response, to skip
	// it, or to start its job again. It is nil if no rule matches.
	Decision *rule.Decision

	cacheFile string // path of the response in the cache
	fromCache bool   // true if the response was stored before this request
	ruling    *ruling
	// tried is the number of attempts, if the status is one to retry and no retries are
	// left. Otherwise it is 0.
	tried  int
	passed time.Duration // time since the first attempt
}

// Address returns the method and the URL for an error message.
func (a *Response) Address() string { return a.Method + " " + a.Request.Address() }

// RequestURL returns the URL that the server responded to, without parameters that
// authentication added. Relative URLs in the response refer to it.
func (a *Response) RequestURL() *url.URL {
	built, sent := a.Built.URL, a.Request.URL
	if built.Scheme == sent.Scheme && built.Host == sent.Host && built.EscapedPath() == sent.EscapedPath() {
		return built
	}
	return sent // the target of a redirect
}

// Link returns the values of the header Link, which may lead to the next page.
func (a *Response) Link() []string { return headerLines(a.Header, "Link") }

// EvictFromCache removes a response that cannot be used from the cache, so that the next
// run sends its request again.
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
