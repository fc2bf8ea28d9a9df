// Package report makes the report of one run: its requests and their times, the rows of
// each job, the tables, and warnings.
//
// A Collector reads the events of a run, whose secrets are masked, and Write makes two
// files: report.json, documented in docs/reference/report.md, whose keys never change their
// meaning, and report.html, a page that shows it and loads nothing.
//
// A report has the shapes of the data, never a value but those that one run remembers for
// the next one. Its memory does not depend on the
// amount of data: it keeps a limited number of requests and counts the rest, and reads
// only the first rows of a table.
package report

// Version is the version of report.json. A new key does not change it, a new meaning of
// a key does.
const Version = 1

// Limits of a report.
const (
	maxWaterfall = 200 // requests, the first ones
	maxSlowest   = 20  // requests
	maxPeriods   = 100 // of the activity
	maxWarnings  = 200 // different ones
	maxMemory    = 200 // values that were read or remembered
	maxAPIs      = 20  // addresses
	maxFailures  = 1000
	maxText      = 2000
)

// The status of a run.
const (
	Success      = "success"
	LimitReached = "cut" // by a limit: its tables hold a part of the data
	Failed       = "failed"
)

// Report is report.json. docs/reference/report.md explains its keys and those of the types below;
// a test compares them.
type Report struct {
	Version         int                 `json:"version"`
	Extractor       string              `json:"extractor,omitempty"`
	Configuration   string              `json:"configuration,omitempty"`
	APIs            []string            `json:"apis,omitempty"`
	Status          string              `json:"status"`
	Started         string              `json:"started"`
	Finished        string              `json:"finished"`
	Seconds         float64             `json:"seconds"`
	Error           *Error              `json:"error,omitempty"`
	Incomplete      []Finding           `json:"incomplete,omitempty"`
	Totals          Totals              `json:"totals"`
	Jobs            []*JobReport        `json:"jobs"`
	Waterfall       Waterfall           `json:"waterfall"`
	Activity        Activity            `json:"activity"`
	Slowest         []*RequestReport    `json:"slowest"`
	Tables          []*Table            `json:"tables"`
	Memory          []*RememberedReport `json:"memory,omitempty"`
	Warnings        []Warning           `json:"warnings"`
	WarningsOmitted int                 `json:"warningsOmitted,omitempty"`
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

// Traffic has sums over requests.
type Traffic struct {
	Requests int            `json:"requests"`
	Logins   int            `json:"logins"`
	Failures int            `json:"failures"`
	Ignored  int            `json:"ignored,omitempty"`
	Retries  int            `json:"retries"`
	Polls    int            `json:"polls,omitempty"`
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

// JobReport is one configured job in one iteration. All runs of a child job are one Job.
type JobReport struct {
	Job       string `json:"job"`
	Pointer   string `json:"pointer,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	Traffic
	Windows    *Windows `json:"windows,omitempty"`
	Ended      *JobEnd  `json:"ended,omitempty"`
	Stored     *Stored  `json:"stored,omitempty"`
	Incomplete int      `json:"incomplete,omitempty"`
}

// Windows are those of a job that has begun to run for them.
type Windows struct {
	Begun int    `json:"begun"`
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Stored is what a job had stored when the run failed. No table has it.
type Stored struct {
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
}

// JobEnd is what a job reported at its end.
type JobEnd struct {
	Runs     int    `json:"runs,omitempty"`
	Pages    int    `json:"pages"`
	Rows     int    `json:"rows"`
	LeftOut  int    `json:"leftOut,omitempty"`
	Unstored bool   `json:"unstored,omitempty"`
	Rule     string `json:"rule"`
	Pointer  string `json:"pointer,omitempty"`
	Repeated bool   `json:"repeated,omitempty"`
	Skipped  int    `json:"skipped,omitempty"`
	Unwanted int    `json:"unwanted,omitempty"`
}

// RequestReport is one HTTP request. Retries and redirects are separate ones.
type RequestReport struct {
	Job     *int     `json:"job,omitempty"`
	Login   bool     `json:"login,omitempty"`
	Method  string   `json:"method"`
	URL     string   `json:"url"`
	Attempt int      `json:"attempt"`
	Status  int      `json:"status,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Ignored bool     `json:"ignored,omitempty"`
	Bytes   int64    `json:"bytes"`
	Start   float64  `json:"start"`
	Seconds float64  `json:"seconds"`
	Held    float64  `json:"held,omitempty"`
	RetryIn *float64 `json:"retryIn,omitempty"`

	path, pointer string
}

// Waterfall has the first requests, in the order of their ends.
type Waterfall struct {
	Requests []*RequestReport `json:"requests"`
	Omitted  int              `json:"omitted"`
}

// Activity divides the run into periods of Step seconds.
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

// Table is a written table.
type Table struct {
	Table   string   `json:"table"`
	Rows    int      `json:"rows"`
	Sampled int      `json:"sampled"`
	Columns []Column `json:"columns"`
}

// Column has the shapes of the cells in a column.
type Column struct {
	Name   string  `json:"name"`
	Empty  int     `json:"empty"`
	Shapes []Shape `json:"shapes"`
}

// RememberedReport is what the run read of earlier runs under a name, and what it left for the next
// one. With a value for each combination of placeholders there are only their numbers.
type RememberedReport struct {
	Name       string `json:"name"`
	Iteration  int    `json:"iteration,omitempty"`
	Pointer    string `json:"pointer,omitempty"`
	Read       string `json:"read,omitempty"`
	ReadValues int    `json:"readValues,omitempty"`
	Left       string `json:"left,omitempty"`
	LeftValues int    `json:"leftValues,omitempty"`
}

// Shape is one kind of cell.
type Shape struct {
	Shape    string `json:"shape"`
	Count    int    `json:"count"`
	Shortest int    `json:"shortest"`
	Longest  int    `json:"longest"`
}

// Warning is a warning, with the number of its repetitions.
type Warning struct {
	Source  string `json:"source"`
	Code    string `json:"code,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}
