// Package report writes the report of one run: its requests and their times, the rows of
// each job, the tables, and warnings.
//
// A Collector reads the events of a run, in which secrets are masked. Write writes two
// files. report.json is documented in docs/reference/report.md, and its keys keep their
// meaning within a version. report.html shows it and loads no other files.
//
// A report has the shapes of the data. The only values in it are values that a run
// remembers for the next run. The memory of a Collector does not depend on the amount of
// data: it keeps a limited number of requests, counts the rest, and reads only the first
// rows of a table.
package report

// version is the version of report.json. It changes if the meaning of a key changes. It
// does not change for a new key.
const version = 1

// Limits of a report.
const (
	maxWaterfall = 200  // first requests
	maxSlowest   = 20   // slowest requests
	maxPeriods   = 100  // periods of the activity
	maxWarnings  = 200  // different warnings
	maxMemory    = 200  // names with values that were read or remembered
	maxAPIs      = 20   // URLs of APIs
	maxFailures  = 1000 // requests with an error status, in the memory of a Collector
	maxText      = 2000 // characters of a text
)

// The values of Report.Status.
const (
	Success      = "success"
	LimitReached = "cut" // a limit ended the run, so its tables hold a part of the data
	Failed       = "failed"
)

// Report is the content of report.json. docs/reference/report.md explains its keys and
// the keys of the types below. A test compares them.
type Report struct {
	Version         int                 `json:"version"`
	Extractor       string              `json:"extractor,omitempty"`
	Configuration   string              `json:"configuration,omitempty"`
	APIs            []string            `json:"apis,omitempty"`
	Status          string              `json:"status"`
	Started         string              `json:"started"`
	Finished        string              `json:"finished"`
	Seconds         float64             `json:"seconds"`
	Error           *runError           `json:"error,omitempty"`
	Incomplete      []finding           `json:"incomplete,omitempty"`
	Remaining       []string            `json:"remaining,omitempty"`
	Totals          totals              `json:"totals"`
	Jobs            []*jobReport        `json:"jobs"`
	Waterfall       waterfall           `json:"waterfall"`
	Activity        activity            `json:"activity"`
	Slowest         []*requestReport    `json:"slowest"`
	Tables          []*table            `json:"tables"`
	Memory          []*rememberedReport `json:"memory,omitempty"`
	Warnings        []warning           `json:"warnings"`
	WarningsOmitted int                 `json:"warningsOmitted,omitempty"`
}

// runError is the error of a failed run.
type runError struct {
	Message  string    `json:"message"`
	Kind     string    `json:"kind"`
	Pointer  string    `json:"pointer,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is a problem of the configuration.
type Problem struct {
	Code     string `json:"code,omitempty"`
	Pointer  string `json:"pointer"`
	Found    string `json:"found,omitempty"`
	Expected string `json:"expected"`
	Hint     string `json:"hint,omitempty"`
}

// finding reports that data may be missing from the tables, see event.Finding.
type finding struct {
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Job     int    `json:"job"`
	Pointer string `json:"pointer"`
}

// traffic holds sums over requests. Waited and Seconds are in seconds.
type traffic struct {
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

// totals holds sums over the whole run.
type totals struct {
	traffic
	Rows   int `json:"rows"`
	Tables int `json:"tables"`
	Files  int `json:"files,omitempty"`
}

// jobReport describes a configured job in one iteration. All runs of a child job share
// one jobReport.
type jobReport struct {
	Job       string `json:"job"`
	Pointer   string `json:"pointer,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	traffic
	Windows    *windows `json:"windows,omitempty"`
	Ended      *jobEnd  `json:"ended,omitempty"`
	Stored     *stored  `json:"stored,omitempty"`
	Incomplete int      `json:"incomplete,omitempty"`
	Failed     bool     `json:"failed,omitempty"`
}

// windows describes the windows that a job has begun.
type windows struct {
	Begun int    `json:"begun"`
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	Left  int    `json:"left,omitempty"`
	Next  string `json:"next,omitempty"`
}

// stored counts the data that an unfinished job had stored. The data is in no table.
type stored struct {
	Pages int `json:"pages"`
	Rows  int `json:"rows"`
}

// jobEnd describes a finished job.
type jobEnd struct {
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

// requestReport describes one HTTP request. Each retry and each redirect has its own
// requestReport.
type requestReport struct {
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

// waterfall holds the first requests, in the order of their ends.
type waterfall struct {
	Requests []*requestReport `json:"requests"`
	Omitted  int              `json:"omitted"`
}

// activity divides the run into periods of Step seconds.
type activity struct {
	Step    float64  `json:"step"`
	Periods []period `json:"periods"`
}

// period counts the requests that started in a period.
type period struct {
	Requests int   `json:"requests"`
	Failures int   `json:"failures"`
	Bytes    int64 `json:"bytes"`
}

// table is a written table.
type table struct {
	Table   string   `json:"table"`
	Rows    int      `json:"rows"`
	Sampled int      `json:"sampled"`
	Columns []Column `json:"columns"`
}

// Column holds the shapes of the cells in a column.
type Column struct {
	Name   string  `json:"name"`
	Type   string  `json:"type,omitempty"`
	Empty  int     `json:"empty"`
	Shapes []Shape `json:"shapes"`
}

// rememberedReport describes a remembered name: the value of earlier runs and the value
// for the next run. If the name has a value for each combination of placeholders, it
// holds only the numbers of values.
type rememberedReport struct {
	Name       string `json:"name"`
	Iteration  int    `json:"iteration,omitempty"`
	Pointer    string `json:"pointer,omitempty"`
	Read       string `json:"read,omitempty"`
	ReadValues int    `json:"readValues,omitempty"`
	Left       string `json:"left,omitempty"`
	LeftValues int    `json:"leftValues,omitempty"`
}

// Shape is one kind of cell. Shortest and Longest are lengths in characters.
type Shape struct {
	Shape    string `json:"shape"`
	Count    int    `json:"count"`
	Shortest int    `json:"shortest"`
	Longest  int    `json:"longest"`
}

// warning is a warning and the number of times it occurred.
type warning struct {
	Source  string `json:"source"`
	Code    string `json:"code,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}
