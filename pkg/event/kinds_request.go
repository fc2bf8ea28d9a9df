package event

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// LoginDone reports that a login request succeeded.
type LoginDone struct {
	Endpoint string `json:"endpoint"`
	Expires  string `json:"expires,omitempty"`
	// Remembered are the names of remembered values that changed for the next login.
	Remembered []string `json:"remembered,omitempty"`
}

func (LoginDone) Kind() string { return "login.done" }
func (LoginDone) Level() Level { return Info }

func (e LoginDone) Message() string {
	if e.Expires == "" {
		return "Logged in by " + e.Endpoint
	}
	return "Logged in by " + e.Endpoint + ", valid until " + e.Expires
}

// StateUnsaved reports that values that a login remembered could not be stored immediately,
// and the reason.
type StateUnsaved struct {
	Text string `json:"text"`
}

func (StateUnsaved) Kind() string { return "state.unsaved" }
func (StateUnsaved) Level() Level { return Warn }

func (e StateUnsaved) Message() string {
	return "The values that the login remembered are lost if this run fails: they could not be stored " + e.Text
}

// RequestSent reports an HTTP request that was sent. It is only emitted with
// `config.debug`.
type RequestSent struct {
	Method  string `json:"method"`
	URL     string `json:"url"`
	Path    string `json:"path"`
	Query   string `json:"query"`
	Attempt int    `json:"attempt"`
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

// RequestAnswered reports the end of an HTTP request, with a complete response or a
// failure. It is only emitted with `config.debug`, with EXTRACTOR_LIVE, and for a report.
type RequestAnswered struct {
	Method     string  `json:"method"`
	URL        string  `json:"url"`
	Path       string  `json:"path"`
	Query      string  `json:"query"`
	Attempt    int     `json:"attempt"`
	Status     int     `json:"status,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Bytes      int64   `json:"bytes"`
	Seconds    float64 `json:"seconds"`
	Waited     float64 `json:"waited,omitempty"`
	Login      bool    `json:"login,omitempty"`
	Job        string  `json:"job,omitempty"`
	JobPointer string  `json:"jobPointer,omitempty" console:"-"`
	Iteration  int     `json:"iteration,omitempty" console:"-"`
	// ReportOnly is true if the event is only for a report.
	ReportOnly bool `json:"-"`
}

func (RequestAnswered) Kind() string { return "request.answered" }

func (e RequestAnswered) Level() Level {
	if e.ReportOnly {
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

// RequestRetried reports that a request failed and will be sent again.
type RequestRetried struct {
	Method      string  `json:"method"`
	Path        string  `json:"path"`
	Retry       int     `json:"retry"`
	Reason      string  `json:"reason"`
	WaitSeconds float64 `json:"waitSeconds"`
	Job         string  `json:"job,omitempty"`
	JobPointer  string  `json:"jobPointer,omitempty" console:"-"`
	Iteration   int     `json:"iteration,omitempty" console:"-"`
}

func (RequestRetried) Kind() string { return "request.retried" }
func (RequestRetried) Level() Level { return Info }

func (e RequestRetried) Message() string {
	return fmt.Sprintf("%s %s: %s, retry %d in %s", e.Method, e.Path, e.Reason, e.Retry,
		time.Duration(e.WaitSeconds*float64(time.Second)).Round(time.Millisecond))
}

// JobWaiting reports that a result is not ready according to a rule, and that it will be
// polled again.
type JobWaiting struct {
	Method      string  `json:"method"`
	Path        string  `json:"path"`
	Asked       int     `json:"asked"`
	Reason      string  `json:"reason"`
	Text        string  `json:"text,omitempty"`
	WaitSeconds float64 `json:"waitSeconds"`
	Login       bool    `json:"login,omitempty"`
	Pointer     string  `json:"pointer"`
	Job         string  `json:"job,omitempty"`
	JobPointer  string  `json:"jobPointer,omitempty" console:"-"`
	Iteration   int     `json:"iteration,omitempty" console:"-"`
}

func (JobWaiting) Kind() string { return "job.waiting" }
func (JobWaiting) Level() Level { return Info }

func (e JobWaiting) Message() string {
	s := fmt.Sprintf("%s %s is not ready: %s", e.Method, e.Path, e.Reason)
	if e.Text != "" {
		s += ", " + e.Text
	}
	return s + fmt.Sprintf("; requested %s, again in %s", textfmt.Count(e.Asked, "time"),
		time.Duration(e.WaitSeconds*float64(time.Second)).Round(time.Millisecond))
}

// CredentialsWithheld reports that a response led a job to another origin, which gets no
// credentials. It is emitted once for each job.
type CredentialsWithheld struct {
	Origin     string `json:"origin"`
	Job        string `json:"job"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty"`
}

func (CredentialsWithheld) Kind() string { return "credentials.withheld" }
func (CredentialsWithheld) Level() Level { return Warn }

func (e CredentialsWithheld) Message() string {
	return fmt.Sprintf("%s: a response led to %s, which gets no credentials; you can list it in 'api.http.trustedOrigins'", e.Job, e.Origin)
}

// ResponseIgnored reports that an error response was used as data because
// `api.http.ignoreErrors` lists its status, or because a rule accepts it.
type ResponseIgnored struct {
	Job        string `json:"job"`
	Status     int    `json:"status"`
	Text       string `json:"text"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
}

func (ResponseIgnored) Kind() string { return "response.ignored" }
func (ResponseIgnored) Level() Level { return Warn }

func (e ResponseIgnored) Message() string {
	return fmt.Sprintf("%s: status %d ignored: %s", e.Job, e.Status, e.Text)
}

// ResponseSkipped reports that a rule dropped a response, which ended a run of a job.
type ResponseSkipped struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Status     int    `json:"status"`
	Text       string `json:"text,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (ResponseSkipped) Kind() string { return "response.skipped" }
func (ResponseSkipped) Level() Level { return Warn }

func (e ResponseSkipped) Message() string {
	s := fmt.Sprintf("%s: a rule skipped page %d, status %d", e.Job, e.Page, e.Status)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// JobRestarted reports that a job started again without remembered values, because a rule
// for its first response requires this.
type JobRestarted struct {
	Job        string `json:"job"`
	Status     int    `json:"status"`
	Text       string `json:"text,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (JobRestarted) Kind() string { return "job.restarted" }
func (JobRestarted) Level() Level { return Warn }

func (e JobRestarted) Message() string {
	s := fmt.Sprintf("Job %s starts again without its remembered values, because of a rule for status %d", e.Job, e.Status)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}
