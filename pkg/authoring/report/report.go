// Package report is the report of one run: what was asked for and how long it
// took, what each job fetched, which tables were written, what was odd.
//
// A Collector folds the events of a run, in which every secret is masked already,
// and Write makes two files of them: report.json, whose form is documented in
// docs/report.md and only grows, and report.html, a page that shows it and loads
// nothing.
//
// It shows the shapes of the data, never a value. Its memory does not depend on
// the amount of data: requests are kept up to a limit and counted beyond it, and
// only the first rows of a table are read.
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

// Report is report.json. docs/report.md explains the keys of it and of the types
// below; a test compares them.
type Report struct {
	Version         int        `json:"version"`
	Extractor       string     `json:"extractor,omitempty"`
	Status          string     `json:"status"`
	Started         string     `json:"started"`
	Finished        string     `json:"finished"`
	Seconds         float64    `json:"seconds"`
	Error           *Error     `json:"error,omitempty"`
	Incomplete      []Finding  `json:"incomplete,omitempty"`
	Totals          Totals     `json:"totals"`
	Jobs            []*Job     `json:"jobs"`
	Waterfall       Waterfall  `json:"waterfall"`
	Activity        Activity   `json:"activity"`
	Slowest         []*Request `json:"slowest"`
	Tables          []*Table   `json:"tables"`
	Warnings        []Warning  `json:"warnings"`
	WarningsOmitted int        `json:"warningsOmitted,omitempty"`
}

// Error is why the run failed.
type Error struct {
	Message  string    `json:"message"`
	Kind     string    `json:"kind"`
	Pointer  string    `json:"pointer,omitempty"`
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
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Job     int    `json:"job"`
	Pointer string `json:"pointer"`
}

// Traffic sums requests up.
type Traffic struct {
	Requests int            `json:"requests"`
	Logins   int            `json:"logins"`
	Failures int            `json:"failures"`
	Retries  int            `json:"retries"`
	Waited   float64        `json:"waited"`
	Bytes    int64          `json:"bytes"`
	Seconds  float64        `json:"seconds"`
	Statuses map[string]int `json:"statuses"`
}

// Totals are those of the whole run.
type Totals struct {
	Traffic
	Rows   int `json:"rows"`
	Tables int `json:"tables"`
}

// Job is one configured job in one iteration, all runs of a child job together.
type Job struct {
	Job       string `json:"job"`
	Pointer   string `json:"pointer,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	Traffic
	Ended      *Ended  `json:"ended,omitempty"`
	Stored     *Stored `json:"stored,omitempty"`
	Incomplete int     `json:"incomplete,omitempty"`
}

// Stored is what a job had stored when the run failed. No table holds it.
type Stored struct {
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
}

// Ended is what a job reported at its end.
type Ended struct {
	Runs     int    `json:"runs,omitempty"`
	Pages    int    `json:"pages"`
	Rows     int    `json:"rows"`
	Rule     string `json:"rule"`
	Pointer  string `json:"pointer,omitempty"`
	Repeated bool   `json:"repeated,omitempty"`
}

// Request is one HTTP request, retries and redirects being others.
type Request struct {
	Job     *int     `json:"job,omitempty"`
	Login   bool     `json:"login,omitempty"`
	Method  string   `json:"method"`
	URL     string   `json:"url"`
	Attempt int      `json:"attempt"`
	Status  int      `json:"status,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Bytes   int64    `json:"bytes"`
	Start   float64  `json:"start"`
	Seconds float64  `json:"seconds"`
	Held    float64  `json:"held,omitempty"`
	RetryIn *float64 `json:"retryIn,omitempty"`

	path string
}

// Waterfall is the first requests one by one, in the order of their ends.
type Waterfall struct {
	Requests []*Request `json:"requests"`
	Omitted  int        `json:"omitted"`
}

// Activity is the run cut into periods of the same length.
type Activity struct {
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
	Table   string   `json:"table"`
	Rows    int      `json:"rows"`
	Sampled int      `json:"sampled"`
	Columns []Column `json:"columns"`
}

// Column has the kinds of cells in a column, never their text.
type Column struct {
	Name   string  `json:"name"`
	Empty  int     `json:"empty"`
	Shapes []Shape `json:"shapes"`
}

// Shape is one kind of cell.
type Shape struct {
	Shape    string `json:"shape"`
	Count    int    `json:"count"`
	Shortest int    `json:"shortest"`
	Longest  int    `json:"longest"`
}

// Warning is something odd.
type Warning struct {
	Source  string `json:"source"`
	Code    string `json:"code,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}
