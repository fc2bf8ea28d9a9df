package event

import (
	"fmt"
	"strings"
	"time"
)

// Level is how much an event matters, in the words of the log line.
type Level string

// The levels in use. What `config.debug` asks a person to see is info; Debug is
// for programs that look closer: it goes over GELF only, where the platform drops
// it. Trace is what only the report of a run wants to know: no sink gets it, see
// Log.Trace.
const (
	Trace Level = "trace"
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Body is one kind of event. Its exported fields, under their JSON names, are
// the fields of the event; Message alone must tell a person what happened.
type Body interface {
	Kind() string
	Level() Level
	Message() string
}

// Bodies is one empty body of every kind, in the order of the reference
// (docs/events.md), which a test compares with it.
func Bodies() []Body {
	return []Body{
		RunStarted{}, VariablesReplaced{}, ConfigWarning{}, StateWarning{}, LoginDone{}, RequestSent{},
		RequestAnswered{}, RequestRetried{}, CredentialsWithheld{}, ResponseIgnored{}, ResponseCleaned{}, DataEmpty{}, MappingWarning{}, JobProgress{}, JobFinished{}, JobUnfinished{}, TableWritten{}, TableDrifted{},
		RunFinished{}, RunCut{}, RunFailed{},
	}
}

// RunStarted is the first event of a run.
type RunStarted struct {
	// Version of the program.
	Version string `json:"version"`
	// Jobs is the number of root jobs in all iterations.
	Jobs int `json:"jobs"`
	// Iterations is the number of iterations, at least 1.
	Iterations int `json:"iterations"`
}

// Kind implements Body.
func (RunStarted) Kind() string { return "run.started" }

// Level implements Body.
func (RunStarted) Level() Level { return Info }

// Message implements Body.
func (e RunStarted) Message() string {
	s := fmt.Sprintf("Extraction started: %s", count(e.Jobs, "job"))
	if e.Iterations > 1 {
		s += fmt.Sprintf(" in %d iterations", e.Iterations)
	}
	return s
}

// VariablesReplaced notes which {{variables}} were replaced: names only.
type VariablesReplaced struct {
	// Names in the order of their first replacement, each once.
	Names []string `json:"names"`
	// Source says where the values came from.
	Source string `json:"source"`
}

// Kind implements Body.
func (VariablesReplaced) Kind() string { return "variables.replaced" }

// Level implements Body.
func (VariablesReplaced) Level() Level { return Info }

// Message implements Body.
func (e VariablesReplaced) Message() string {
	return "Replaced values for variables: " + strings.Join(e.Names, ", ")
}

// ConfigWarning is something odd in the configuration that does not stop the
// run.
type ConfigWarning struct {
	// Pointer is the JSON pointer of the setting.
	Pointer string `json:"pointer"`
	// Text says what is odd and what to try.
	Text string `json:"text"`
}

// Kind implements Body.
func (ConfigWarning) Kind() string { return "config.warning" }

// Level implements Body.
func (ConfigWarning) Level() Level { return Warn }

// Message implements Body.
func (e ConfigWarning) Message() string { return "Configuration: " + e.Pointer + ": " + e.Text }

// StateWarning says that in/state.json could not be used, and why.
type StateWarning struct {
	// Text says what is wrong with it and what the run does instead.
	Text string `json:"text"`
}

// Kind implements Body.
func (StateWarning) Kind() string { return "state.warning" }

// Level implements Body.
func (StateWarning) Level() Level { return Warn }

// Message implements Body.
func (e StateWarning) Message() string { return "State of the previous run: " + e.Text }

// LoginDone says that a login request succeeded.
type LoginDone struct {
	// Endpoint of the login request as configured.
	Endpoint string `json:"endpoint"`
	// Expires is when the credentials end (RFC 3339); absent when never.
	Expires string `json:"expires,omitempty"`
}

// Kind implements Body.
func (LoginDone) Kind() string { return "login.done" }

// Level implements Body.
func (LoginDone) Level() Level { return Info }

// Message implements Body.
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

// Kind implements Body.
func (RequestSent) Kind() string { return "request.sent" }

// Level implements Body.
func (RequestSent) Level() Level { return Info }

// Message implements Body.
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

// Kind implements Body.
func (RequestAnswered) Kind() string { return "request.answered" }

// Level implements Body.
func (e RequestAnswered) Level() Level {
	if e.Untold {
		return Trace
	}
	return Debug
}

// Message implements Body.
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

// Kind implements Body.
func (RequestRetried) Kind() string { return "request.retried" }

// Level implements Body.
func (RequestRetried) Level() Level { return Info }

// Message implements Body.
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

// Kind implements Body.
func (CredentialsWithheld) Kind() string { return "credentials.withheld" }

// Level implements Body.
func (CredentialsWithheld) Level() Level { return Warn }

// Message implements Body.
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

// Kind implements Body.
func (ResponseIgnored) Kind() string { return "response.ignored" }

// Level implements Body.
func (ResponseIgnored) Level() Level { return Warn }

// Message implements Body.
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

// Kind implements Body.
func (ResponseCleaned) Kind() string { return "response.cleaned" }

// Level implements Body.
func (ResponseCleaned) Level() Level { return Warn }

// Message implements Body.
func (e ResponseCleaned) Message() string {
	return fmt.Sprintf("Page %d of %s has bytes that are not UTF-8; they were dropped", e.Page, e.Job)
}

// DataEmpty says that a page held no data.
type DataEmpty struct {
	// Job is the endpoint of the job.
	Job string `json:"job"`
	// DataField is the configured path, "" when it is detected.
	DataField string `json:"dataField"`
	// Page counts from 1.
	Page int `json:"page"`
	// JobPointer is where the job stands in the configuration.
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
}

// Kind implements Body.
func (DataEmpty) Kind() string { return "data.empty" }

// Level implements Body.
func (DataEmpty) Level() Level { return Warn }

// Message implements Body.
func (e DataEmpty) Message() string {
	if e.DataField == "" {
		return fmt.Sprintf("No data found in page %d of %s", e.Page, e.Job)
	}
	return fmt.Sprintf("dataField '%s' contains no data! (page %d of %s)", e.DataField, e.Page, e.Job)
}

// MappingWarning says that something in the data was stored in another way
// than its shape suggests.
type MappingWarning struct {
	// Table or data type it concerns.
	Table string `json:"table"`
	// Text says what was found and how it was stored.
	Text string `json:"text"`
}

// Kind implements Body.
func (MappingWarning) Kind() string { return "mapping.warning" }

// Level implements Body.
func (MappingWarning) Level() Level { return Warn }

// Message implements Body.
func (e MappingWarning) Message() string { return e.Table + ": " + e.Text }

// JobProgress is a sign of life of a job that takes long.
type JobProgress struct {
	// Job is the endpoint of the job.
	Job string `json:"job"`
	// Pages and Rows that were stored so far, those of child jobs included.
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
	// Requests that were sent for them, retries and logins included.
	Requests int `json:"requests"`
	// Waited is for how many seconds these requests were kept waiting, before
	// retries and by `api.http.rateLimit`, added up over all of them.
	Waited float64 `json:"waited,omitempty"`
}

// Kind implements Body.
func (JobProgress) Kind() string { return "job.progress" }

// Level implements Body.
func (JobProgress) Level() Level { return Info }

// Message implements Body.
func (e JobProgress) Message() string {
	s := fmt.Sprintf("Job %s goes on: %s, %s, %s so far", e.Job, count(e.Pages, "page"), count(e.Rows, "row"), count(e.Requests, "request"))
	if e.Waited > 0 {
		s += fmt.Sprintf(", %s spent waiting", time.Duration(e.Waited*float64(time.Second)).Round(time.Millisecond))
	}
	return s
}

// JobFinished says how much a job brought and which rule ended it.
type JobFinished struct {
	// Job is the endpoint of the job.
	Job string `json:"job"`
	// Runs is how often a child job ran: once for each row and combination of
	// placeholder values above it.
	Runs  int `json:"runs,omitempty"`
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
	// Rule that ended the job, in words.
	Rule string `json:"rule"`
	// Pointer to the setting behind the rule, which is always there in the
	// document; "" when there is none.
	Pointer string `json:"pointer,omitempty"`
	// Repeated is set when paging came back to an earlier page.
	Repeated bool `json:"repeated,omitempty"`
	// JobPointer is where the job stands in the configuration; Iteration counts
	// from 1 and is absent when there is only one.
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

// Kind implements Body.
func (JobFinished) Kind() string { return "job.finished" }

// Level implements Body.
func (e JobFinished) Level() Level {
	if e.Repeated {
		return Warn
	}
	return Info
}

// Message implements Body.
func (e JobFinished) Message() string {
	s := fmt.Sprintf("Job %s finished: ", e.Job)
	if e.Runs > 1 {
		s += count(e.Runs, "run") + ", "
	}
	return s + fmt.Sprintf("%s, %s, %s", count(e.Pages, "page"), count(e.Rows, "row"), e.Rule)
}

// JobUnfinished says how much of a job had been stored when the run failed. No
// table holds it: a run that fails leaves none.
type JobUnfinished struct {
	// Job is the endpoint of the job.
	Job string `json:"job"`
	// Pages and Rows that were stored, those of all runs of a child job together.
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
	// JobPointer and Iteration are those of JobFinished.
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

// Kind implements Body.
func (JobUnfinished) Kind() string { return "job.unfinished" }

// Level implements Body.
func (JobUnfinished) Level() Level { return Debug }

// Message implements Body.
func (e JobUnfinished) Message() string {
	return fmt.Sprintf("Job %s not finished: %s, %s until then", e.Job, count(e.Pages, "page"), count(e.Rows, "row"))
}

// TableWritten says that a table is complete in out/tables.
type TableWritten struct {
	// Table is the file name in out/tables.
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	// Columns in the order of the file.
	Columns []string `json:"columns"`
}

// Kind implements Body.
func (TableWritten) Kind() string { return "table.written" }

// Level implements Body.
func (TableWritten) Level() Level { return Info }

// Message implements Body.
func (e TableWritten) Message() string {
	return fmt.Sprintf("Table %s: %s, %s", e.Table, count(e.Rows, "row"), count(len(e.Columns), "column"))
}

// TableDrifted says that the columns of a table are not those of the last run
// that wrote it; only with `config.driftWarning`.
type TableDrifted struct {
	// Table is the file name in out/tables.
	Table string `json:"table"`
	// Added and Removed are the columns that only this run, or only the last
	// one, has. Without any of them the order differs.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Kind implements Body.
func (TableDrifted) Kind() string { return "table.drifted" }

// Level implements Body.
func (TableDrifted) Level() Level { return Warn }

// Message implements Body.
func (e TableDrifted) Message() string {
	var changes []string
	for _, c := range []struct {
		what    string
		columns []string
	}{{"added", e.Added}, {"removed", e.Removed}} {
		if len(c.columns) > 0 {
			changes = append(changes, c.what+" "+strings.Join(c.columns, ", "))
		}
	}
	if changes == nil {
		return fmt.Sprintf("Table %s has its columns in another order than in the last run", e.Table)
	}
	return fmt.Sprintf("Table %s has other columns than in the last run: %s", e.Table, strings.Join(changes, "; "))
}

// RunFinished is the last event of a successful run.
type RunFinished struct {
	// Seconds the run took.
	Seconds  float64 `json:"seconds"`
	Requests int     `json:"requests"`
	// Bytes of all response bodies after decompression.
	Bytes  int64 `json:"bytes"`
	Rows   int   `json:"rows"`
	Tables int   `json:"tables"`
}

// Kind implements Body.
func (RunFinished) Kind() string { return "run.finished" }

// Level implements Body.
func (RunFinished) Level() Level { return Info }

// Message implements Body.
func (e RunFinished) Message() string {
	return fmt.Sprintf("Extraction finished: %s, %s, %s", count(e.Rows, "row"), count(e.Tables, "table"), count(e.Requests, "request"))
}

// RunCut is the last event of a run that left data out because a flag asked for
// it: its tables are complete files that hold what had arrived until then.
type RunCut struct {
	// Budget is the flag: max-requests, max-time, max-bytes or sample.
	Budget string `json:"budget"`
	// Limit is what was allowed, Reached what was used: requests, seconds, bytes,
	// or items of one run of a job.
	Limit   float64 `json:"limit"`
	Reached float64 `json:"reached"`
	// Job is the endpoint of the job that was cut, Pointer its place in the
	// configuration; of a sample, those of the first one.
	Job     string `json:"job"`
	Pointer string `json:"pointer"`
	// The other fields are those of RunFinished.
	Seconds  float64 `json:"seconds"`
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"`
	Rows     int     `json:"rows"`
	Tables   int     `json:"tables"`
}

// Kind implements Body.
func (RunCut) Kind() string { return "run.cut" }

// Level implements Body.
func (RunCut) Level() Level { return Warn }

// Message implements Body.
func (e RunCut) Message() string {
	why := fmt.Sprintf("--%s was reached at job %s", e.Budget, e.Job)
	if e.Budget == "sample" {
		why = fmt.Sprintf("--sample took the first %g items of every run of a job", e.Limit)
	}
	return fmt.Sprintf("Extraction cut: %s; %s, %s, %s; the state was not written", why,
		count(e.Rows, "row"), count(e.Tables, "table"), count(e.Requests, "request"))
}

// RunFailed is the last event of a failed run.
type RunFailed struct {
	// Error is the message that stderr holds too.
	Error string `json:"error"`
	// ErrorKind is user or application.
	ErrorKind string `json:"kind"`
	// Pointer is the place in the configuration, where there is one.
	Pointer string `json:"pointer,omitempty"`
	// Problems is the JSON text of a list of failure.Problem, when it is the
	// configuration that is at fault. The message holds them in words.
	Problems string `json:"problems,omitempty" console:"-"`
}

// Kind implements Body.
func (RunFailed) Kind() string { return "run.failed" }

// Level implements Body.
func (RunFailed) Level() Level { return Error }

// Message implements Body.
func (e RunFailed) Message() string { return e.Error }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
