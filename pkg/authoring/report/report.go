// Package report is the report of one run: what was asked for and how long it
// took, what came of each job, which tables came out of it, what was odd.
//
// A Collector folds the events of a run, in which every secret is masked already,
// and Write makes two files of them: report.json, whose form is documented in
// docs/report.md and only grows, and report.html, a page that shows it and asks
// nobody for anything.
//
// Of the data it tells shapes only, never a value. Its memory does not depend on
// how much data flows: single requests are kept up to a limit and beyond that
// counted, tables are looked at for a number of rows.
//
// It does not decide what is a secret, nor what is worth an event.
package report

// Version is the form of report.json. Keys may be added to a form; a key that
// changes its meaning makes another form.
const Version = 1

// How much is kept of a run.
const (
	maxWaterfall = 200 // requests, the first ones
	maxSlowest   = 20  // requests
	maxPeriods   = 100 // of the activity
	maxWarnings  = 200 // different ones
	maxText      = 2000
)

// The status of a run.
const (
	Success = "success"
	Cut     = "cut" // by a limit: its tables are a part of the data
	Failed  = "failed"
)

// Report is report.json.
type Report struct {
	// Version is that of the form.
	Version int `json:"version"`
	// Extractor is the version of the program; absent when the run ended before
	// it started to extract.
	Extractor string `json:"extractor,omitempty"`
	// Status is success, cut or failed.
	Status string `json:"status"`
	// Started and Finished are RFC 3339, UTC, with milliseconds.
	Started  string  `json:"started"`
	Finished string  `json:"finished"`
	Seconds  float64 `json:"seconds"`
	Error    *Error  `json:"error,omitempty"`
	// Incomplete are the findings that say that data may be missing, in the order
	// in which they came.
	Incomplete []Finding `json:"incomplete,omitempty"`
	Totals     Totals    `json:"totals"`
	// Jobs in the order in which they sent their first request or, without one,
	// ended.
	Jobs      []*Job    `json:"jobs"`
	Waterfall Waterfall `json:"waterfall"`
	Activity  Activity  `json:"activity"`
	// Slowest are the requests that took longest, the longest first.
	Slowest []*Request `json:"slowest"`
	// Tables in the order in which they were written.
	Tables   []*Table  `json:"tables"`
	Warnings []Warning `json:"warnings"`
	// WarningsOmitted is how many more warnings there were, of other kinds.
	WarningsOmitted int `json:"warningsOmitted,omitempty"`
}

// Error is why the run failed.
type Error struct {
	Message string `json:"message"`
	// Kind is user or application.
	Kind string `json:"kind"`
	// Pointer is the JSON pointer of the setting to look at.
	Pointer string `json:"pointer,omitempty"`
	// Problems are all problems of the configuration, when it is at fault.
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is one problem of the configuration.
type Problem struct {
	Code     string `json:"code,omitempty"`
	Pointer  string `json:"pointer"`
	Found    string `json:"found,omitempty"`
	Expected string `json:"expected"`
	Hint     string `json:"hint,omitempty"`
}

// Finding says that data may be missing from the tables, see event.Finding.
type Finding struct {
	// Kind is that of the event.
	Kind string `json:"kind"`
	// Text says what was found, in words.
	Text string `json:"text"`
	// Job is the index in the list of jobs.
	Job int `json:"job"`
	// Pointer is the JSON pointer of the setting to look at.
	Pointer string `json:"pointer"`
}

// Traffic sums requests up.
type Traffic struct {
	// Requests sent, retries, redirects and logins included.
	Requests int `json:"requests"`
	// Logins are those of the authentication among them.
	Logins int `json:"logins"`
	// Failures are those that got no answer, or one of 400 and above.
	Failures int `json:"failures"`
	// Retries is how often a request was sent again because of a failure.
	Retries int `json:"retries"`
	// Waited is for how many seconds requests were kept waiting, before retries
	// and by `api.http.rateLimit`, added up over all of them.
	Waited float64 `json:"waited"`
	// Bytes of the answers' bodies, decompressed.
	Bytes int64 `json:"bytes"`
	// Seconds that the requests took, added up.
	Seconds float64 `json:"seconds"`
	// Statuses is how many requests were answered with each status; "none" are
	// those that got no answer.
	Statuses map[string]int `json:"statuses"`
}

// Totals are those of the whole run.
type Totals struct {
	Traffic
	// Rows of all tables.
	Rows   int `json:"rows"`
	Tables int `json:"tables"`
}

// Job is one configured job in one iteration, all runs of a child job together.
type Job struct {
	// Job is its endpoint as configured, Pointer where it stands.
	Job     string `json:"job"`
	Pointer string `json:"pointer,omitempty"`
	// Iteration counts from 1; absent when there is only one.
	Iteration int `json:"iteration,omitempty"`
	Traffic
	// Ended is what the job told at its end; absent when the run failed before.
	Ended *Ended `json:"ended,omitempty"`
	// Stored is what the job had stored when the run failed before its end.
	Stored *Stored `json:"stored,omitempty"`
	// Incomplete is how many of the findings are about the job.
	Incomplete int `json:"incomplete,omitempty"`
}

// Stored is what a job had stored when the run failed. No table holds it.
type Stored struct {
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
}

// Ended is what a job told at its end.
type Ended struct {
	// Runs is how often a child job ran.
	Runs  int `json:"runs,omitempty"`
	Pages int `json:"pages"`
	// Rows that the pages held.
	Rows int `json:"rows"`
	// Rule that ended the job, in words.
	Rule string `json:"rule"`
	// Pointer is the JSON pointer of the setting behind the rule.
	Pointer string `json:"pointer,omitempty"`
	// Repeated is set when paging came back to an earlier page.
	Repeated bool `json:"repeated,omitempty"`
}

// Request is one HTTP request, retries and redirects being others.
type Request struct {
	// Job is the index in the list of jobs; absent outside of jobs.
	Job    *int   `json:"job,omitempty"`
	Login  bool   `json:"login,omitempty"`
	Method string `json:"method"`
	// URL is the whole address, secrets masked.
	URL string `json:"url"`
	// Attempt counts from 1.
	Attempt int `json:"attempt"`
	// Status is absent when there was no answer, and Reason is there then.
	Status int    `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	Bytes  int64  `json:"bytes"`
	// Start is in seconds since the start of the run.
	Start   float64 `json:"start"`
	Seconds float64 `json:"seconds"`
	// Held is for how many seconds `api.http.rateLimit` kept it back before.
	Held float64 `json:"held,omitempty"`
	// RetryIn is after how many seconds it was to be sent again; absent when it
	// was not.
	RetryIn *float64 `json:"retryIn,omitempty"`

	path string
}

// Waterfall is the first requests one by one, in the order of their ends.
type Waterfall struct {
	Requests []*Request `json:"requests"`
	// Omitted is how many more there were.
	Omitted int `json:"omitted"`
}

// Activity is the run cut into periods of the same length.
type Activity struct {
	// Step is the length of a period in seconds.
	Step    float64  `json:"step"`
	Periods []Period `json:"periods"`
}

// Period counts the requests that started in it.
type Period struct {
	Requests int   `json:"requests"`
	Failures int   `json:"failures"`
	Bytes    int64 `json:"bytes"`
}

// Table is a table that was written.
type Table struct {
	// Table is the name of the file in out/tables.
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	// Sampled is how many rows, the first ones, were looked at for the shapes.
	Sampled int      `json:"sampled"`
	Columns []Column `json:"columns"`
}

// Column tells what kinds of cells were seen in a column, never what they held.
type Column struct {
	Name string `json:"name"`
	// Empty is how many cells of the sample were.
	Empty  int     `json:"empty"`
	Shapes []Shape `json:"shapes"`
}

// Shape is one kind of cell.
type Shape struct {
	// Shape is integer, number, date, time, JSON or text.
	Shape string `json:"shape"`
	// Count is how many cells of the sample have it.
	Count int `json:"count"`
	// Shortest and Longest are in characters.
	Shortest int `json:"shortest"`
	Longest  int `json:"longest"`
}

// Warning is something odd.
type Warning struct {
	// Source is the kind of the event, or check for what `extractor validate`
	// would warn of.
	Source string `json:"source"`
	// Code is the one `extractor explain` knows.
	Code    string `json:"code,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	// Message is that of the first one.
	Message string `json:"message"`
	// Count is how often it came up.
	Count int `json:"count"`
}
