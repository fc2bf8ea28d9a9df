package event

import (
	"fmt"
	"time"
)

// LoginDone says that a login request succeeded.
type LoginDone struct {
	// Endpoint of the login request as configured.
	Endpoint string `json:"endpoint"`
	// Expires is when the credentials end (RFC 3339); absent when never.
	Expires string `json:"expires,omitempty"`
}

func (LoginDone) Kind() string { return "login.done" }
func (LoginDone) Level() Level { return Info }

func (e LoginDone) Message() string {
	if e.Expires == "" {
		return "Logged in by " + e.Endpoint
	}
	return "Logged in by " + e.Endpoint + ", valid until " + e.Expires
}

// RequestSent is one HTTP request that was really sent; only with
// `config.debug`.
type RequestSent struct {
	Method string `json:"method"`
	// URL is the whole address; Path and Query are its parts, Query without
	// the question mark.
	URL   string `json:"url"`
	Path  string `json:"path"`
	Query string `json:"query"`
	// Attempt counts from 1; more than 1 is a retry.
	Attempt int `json:"attempt"`
}

func (RequestSent) Kind() string { return "request.sent" }
func (RequestSent) Level() Level { return Info }

func (e RequestSent) Message() string {
	s := e.Method + " " + e.Path
	if e.Query != "" {
		s += "?" + e.Query
	}
	if e.Attempt > 1 {
		s += fmt.Sprintf(" (attempt %d)", e.Attempt)
	}
	return s
}

// RequestAnswered is the end of an HTTP request that was sent: its answer has
// arrived completely, or never will. Only with `config.debug`, and for a report.
type RequestAnswered struct {
	Method string `json:"method"`
	// URL, Path, Query and Attempt are those of RequestSent.
	URL     string `json:"url"`
	Path    string `json:"path"`
	Query   string `json:"query"`
	Attempt int    `json:"attempt"`
	// Status is the HTTP status code; absent when there was no answer, and
	// Reason is set then.
	Status int    `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Bytes is the size of the decompressed body.
	Bytes int64 `json:"bytes"`
	// Seconds from the sending of the request to the last byte of the answer.
	Seconds float64 `json:"seconds"`
	// Waited is for how many seconds `api.http.rateLimit` had kept it back.
	Waited float64 `json:"waited,omitempty"`
	// Login is set for a request of the authentication.
	Login bool `json:"login,omitempty"`
	// Job is the endpoint of the job as configured, "" outside of jobs. JobPointer
	// is where it stands in the configuration; Iteration counts from 1 and is
	// absent when there is only one.
	Job        string `json:"job,omitempty"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
	// Untold is set without `config.debug`: the event is for a report only.
	Untold bool `json:"-"`
}

func (RequestAnswered) Kind() string { return "request.answered" }

func (e RequestAnswered) Level() Level {
	if e.Untold {
		return Trace
	}
	return Debug
}

func (e RequestAnswered) Message() string {
	outcome := e.Reason
	if e.Status != 0 {
		outcome = fmt.Sprintf("status %d", e.Status)
	}
	return fmt.Sprintf("%s %s: %s after %s", e.Method, e.Path, outcome,
		time.Duration(e.Seconds*float64(time.Second)).Round(time.Millisecond))
}

// RequestRetried says that a request failed and will be sent again.
type RequestRetried struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Retry counts from 1.
	Retry int `json:"retry"`
	// Reason is the status or the network error that asked for it.
	Reason string `json:"reason"`
	// WaitSeconds is the delay before the next attempt.
	WaitSeconds float64 `json:"waitSeconds"`
	// Job is the endpoint of the job as configured, "" outside of jobs. JobPointer
	// is where it stands in the configuration; Iteration counts from 1 and is
	// absent when there is only one.
	Job        string `json:"job,omitempty"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (RequestRetried) Kind() string { return "request.retried" }
func (RequestRetried) Level() Level { return Info }

func (e RequestRetried) Message() string {
	return fmt.Sprintf("%s %s: %s, retry %d in %s", e.Method, e.Path, e.Reason, e.Retry,
		time.Duration(e.WaitSeconds*float64(time.Second)).Round(time.Millisecond))
}

// CredentialsWithheld says that an answer led a job to another origin, which is
// asked without credentials; once for each job.
type CredentialsWithheld struct {
	// Origin is the first such one: scheme, host and port.
	Origin string `json:"origin"`
	// Job is the endpoint of the job as configured.
	Job string `json:"job"`
	// JobPointer is where the job stands in the configuration.
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	// Iteration counts from 1; absent when there is only one.
	Iteration int `json:"iteration,omitempty"`
}

func (CredentialsWithheld) Kind() string { return "credentials.withheld" }
func (CredentialsWithheld) Level() Level { return Warn }

func (e CredentialsWithheld) Message() string {
	return fmt.Sprintf("%s: an answer led to %s, which is asked without credentials; 'api.http.trustedOrigins' can list it", e.Job, e.Origin)
}

// ResponseIgnored says that an error response was taken as data because
// `api.http.ignoreErrors` lists its status.
type ResponseIgnored struct {
	// Job is the endpoint of the job.
	Job string `json:"job"`
	// Status is the HTTP status code.
	Status int `json:"status"`
	// Text is the beginning of the answer.
	Text string `json:"text"`
	// JobPointer is where the job stands in the configuration.
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
}

func (ResponseIgnored) Kind() string { return "response.ignored" }
func (ResponseIgnored) Level() Level { return Warn }

func (e ResponseIgnored) Message() string {
	return fmt.Sprintf("%s: status %d ignored: %s", e.Job, e.Status, e.Text)
}

// ResponseCleaned says that bytes of an answer were dropped because they are not
// UTF-8, which JSON has to be.
type ResponseCleaned struct {
	// Job is the endpoint of the job.
	Job string `json:"job"`
	// Page counts from 1.
	Page int `json:"page"`
}

func (ResponseCleaned) Kind() string { return "response.cleaned" }
func (ResponseCleaned) Level() Level { return Warn }

func (e ResponseCleaned) Message() string {
	return fmt.Sprintf("Page %d of %s has bytes that are not UTF-8; they were dropped", e.Page, e.Job)
}
