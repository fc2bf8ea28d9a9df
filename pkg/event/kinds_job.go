package event

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/prose"
)

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

func (DataEmpty) Kind() string { return "data.empty" }
func (DataEmpty) Level() Level { return Warn }

func (e DataEmpty) Message() string {
	if e.DataField == "" {
		return fmt.Sprintf("No data found in page %d of %s", e.Page, e.Job)
	}
	return fmt.Sprintf("dataField '%s' contains no data! (page %d of %s)", e.DataField, e.Page, e.Job)
}

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

func (JobProgress) Kind() string { return "job.progress" }
func (JobProgress) Level() Level { return Info }

func (e JobProgress) Message() string {
	s := fmt.Sprintf("Job %s goes on: %s, %s, %s so far", e.Job, prose.Count(e.Pages, "page"), prose.Count(e.Rows, "row"), prose.Count(e.Requests, "request"))
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
	// Repeated is set when paging came back to an earlier page, see PagingRepeated.
	Repeated bool `json:"repeated,omitempty"`
	// JobPointer is where the job stands in the configuration; Iteration counts
	// from 1 and is absent when there is only one.
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (JobFinished) Kind() string { return "job.finished" }
func (JobFinished) Level() Level { return Info }

func (e JobFinished) Message() string {
	s := fmt.Sprintf("Job %s finished: ", e.Job)
	if e.Runs > 1 {
		s += prose.Count(e.Runs, "run") + ", "
	}
	return s + fmt.Sprintf("%s, %s, %s", prose.Count(e.Pages, "page"), prose.Count(e.Rows, "row"), e.Rule)
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

func (JobUnfinished) Kind() string { return "job.unfinished" }
func (JobUnfinished) Level() Level { return Debug }

func (e JobUnfinished) Message() string {
	return fmt.Sprintf("Job %s not finished: %s, %s until then", e.Job, prose.Count(e.Pages, "page"), prose.Count(e.Rows, "row"))
}
