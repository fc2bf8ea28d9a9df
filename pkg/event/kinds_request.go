package event

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// LoginDone reports that a login request succeeded.
type LoginDone struct {
	info     `kind:"login.done"`
	Endpoint string `json:"endpoint"`
	Expires  string `json:"expires,omitempty"`
	// Remembered are the names of remembered values that changed for the next login.
	Remembered []string `json:"remembered,omitempty"`
}

func (e LoginDone) message() string {
	if e.Expires == "" {
		return "Logged in by " + e.Endpoint
	}
	return "Logged in by " + e.Endpoint + ", valid until " + e.Expires
}

// LoginRepeated reports that the credentials have ended according to a response and a rule. A login follows, and the request is sent again.
type LoginRepeated struct {
	info       `kind:"login.repeated"`
	Method     string `json:"method"`
	Path       string `json:"path"`
	Status     int    `json:"status"`
	Text       string `json:"text,omitempty"`
	Pointer    string `json:"pointer"`
	Job        string `json:"job,omitempty"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e LoginRepeated) message() string {
	s := fmt.Sprintf("%s %s: status %d, the credentials have ended according to a rule", e.Method, e.Path, e.Status)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s + "; a new login follows"
}

// StateUnsaved reports that values that a login remembered could not be stored immediately,
// and the reason.
type StateUnsaved struct {
	warn `kind:"state.unsaved"`
	Text string `json:"text"`
}

func (e StateUnsaved) message() string {
	return "The values that the login remembered are lost if this run fails: they could not be stored " + e.Text
}

// RequestSent reports an HTTP request that was sent. It is only emitted with
// `config.debug`.
type RequestSent struct {
	info    `kind:"request.sent"`
	Method  string `json:"method"`
	URL     string `json:"url"`
	Path    string `json:"path"`
	Query   string `json:"query"`
	Attempt int    `json:"attempt"`
}

func (e RequestSent) message() string {
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
	_          struct{} `kind:"request.answered"`
	Method     string   `json:"method"`
	URL        string   `json:"url"`
	Path       string   `json:"path"`
	Query      string   `json:"query"`
	Attempt    int      `json:"attempt"`
	Status     int      `json:"status,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Bytes      int64    `json:"bytes"`
	Seconds    float64  `json:"seconds"`
	Waited     float64  `json:"waited,omitempty"`
	Login      bool     `json:"login,omitempty"`
	Job        string   `json:"job,omitempty"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
	// ReportOnly is true if the event is only for a report.
	ReportOnly bool `json:"-"`
}

func (e RequestAnswered) Level() Level {
	if e.ReportOnly {
		return Trace
	}
	return Debug
}

func (e RequestAnswered) message() string {
	outcome := e.Reason
	if e.Status != 0 {
		outcome = fmt.Sprintf("status %d", e.Status)
	}
	return fmt.Sprintf("%s %s: %s after %s", e.Method, e.Path, outcome, inUnits(e.Seconds))
}

// RequestRetried reports that a request failed and will be sent again.
type RequestRetried struct {
	info        `kind:"request.retried"`
	Method      string  `json:"method"`
	Path        string  `json:"path"`
	Retry       int     `json:"retry"`
	Reason      string  `json:"reason"`
	WaitSeconds float64 `json:"waitSeconds"`
	Job         string  `json:"job,omitempty"`
	JobPointer  string  `json:"jobPointer,omitempty" console:"-"`
	Iteration   int     `json:"iteration,omitempty" console:"-"`
}

func (e RequestRetried) message() string {
	return fmt.Sprintf("%s %s: %s, retry %d in %s", e.Method, e.Path, e.Reason, e.Retry, inUnits(e.WaitSeconds))
}

// JobWaiting reports that a result is not ready according to a rule, and that it will be
// polled again.
type JobWaiting struct {
	info        `kind:"job.waiting"`
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

func (e JobWaiting) message() string {
	s := fmt.Sprintf("%s %s is not ready: %s", e.Method, e.Path, e.Reason)
	if e.Text != "" {
		s += ", " + e.Text
	}
	return s + fmt.Sprintf("; requested %s, again in %s", textfmt.Count(e.Asked, "time"), inUnits(e.WaitSeconds))
}

// inUnits returns a number of seconds as a duration such as 1.5s or 250ms.
func inUnits(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
}

// CredentialsWithheld reports that a response led a job to another origin, which gets no
// credentials. It is emitted once for each job.
type CredentialsWithheld struct {
	warn       `kind:"credentials.withheld"`
	Origin     string `json:"origin"`
	Job        string `json:"job"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty"`
}

func (e CredentialsWithheld) message() string {
	return fmt.Sprintf("%s: a response led to %s, which gets no credentials; you can list it in 'api.http.trustedOrigins'", e.Job, e.Origin)
}

// ResponseIgnored reports that an error response was used as data because
// `api.http.ignoreErrors` lists its status, or because a rule accepts it.
type ResponseIgnored struct {
	warn       `kind:"response.ignored"`
	Job        string `json:"job"`
	Status     int    `json:"status"`
	Text       string `json:"text"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
}

func (e ResponseIgnored) message() string {
	return fmt.Sprintf("%s: status %d ignored: %s", e.Job, e.Status, e.Text)
}

// ResponseSkipped reports that a rule dropped a response, which ended a run of a job.
type ResponseSkipped struct {
	warn       `kind:"response.skipped"`
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Status     int    `json:"status"`
	Text       string `json:"text,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e ResponseSkipped) message() string {
	s := fmt.Sprintf("%s: a rule skipped page %d, status %d", e.Job, e.Page, e.Status)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// JobRestarted reports that a job started again without remembered values, because a rule
// for its first response requires this.
type JobRestarted struct {
	warn       `kind:"job.restarted"`
	Job        string `json:"job"`
	Status     int    `json:"status"`
	Text       string `json:"text,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e JobRestarted) message() string {
	s := fmt.Sprintf("Job %s starts again without its remembered values, because of a rule for status %d", e.Job, e.Status)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}
