package event

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/prose"
)

// Finding is an event that says that data may be missing from the tables, although
// no request failed. A run counts its findings; with `config.onIncomplete: fail`
// the first one ends it. Each finding is emitted once for each job.
type Finding interface {
	Body
	// Setting is the JSON pointer of the setting to look at.
	Setting() string
	// About returns the job: its endpoint as configured, its JSON pointer, and its
	// iteration, which counts from 1 and is 0 if there is only one.
	About() (endpoint, pointer string, iteration int)
}

// ResponseErrors says that a successful answer has a member `errors` and no data.
type ResponseErrors struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Text       string `json:"text"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (ResponseErrors) Kind() string { return "response.errors" }
func (ResponseErrors) Level() Level { return Warn }

func (e ResponseErrors) Message() string {
	return fmt.Sprintf("Job %s: page %d has no data, but the API reports errors: %s", e.Job, e.Page, e.Text)
}

func (e ResponseErrors) Setting() string              { return e.JobPointer }
func (e ResponseErrors) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// PagingStalled says that an answer announces more pages, but has no value that
// leads to the next one.
type PagingStalled struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Flag       string `json:"flag"`
	Field      string `json:"field"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (PagingStalled) Kind() string { return "paging.stalled" }
func (PagingStalled) Level() Level { return Warn }

func (e PagingStalled) Message() string {
	return fmt.Sprintf("Job %s: '%s' of page %d announces more pages, but there is no value at '%s' to request the next one; the rest was not fetched", e.Job, e.Flag, e.Page, e.Field)
}

func (e PagingStalled) Setting() string              { return e.Pointer }
func (e PagingStalled) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// PagingUnread says that the last answer of a job announces a page that was not
// requested.
type PagingUnread struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Place      string `json:"place"`
	Hint       string `json:"hint"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (PagingUnread) Kind() string { return "paging.unread" }
func (PagingUnread) Level() Level { return Warn }

func (e PagingUnread) Message() string {
	return fmt.Sprintf("Job %s: %s of page %d announces a next page, which was not fetched; %s", e.Job, e.Place, e.Page, e.Hint)
}

func (e PagingUnread) Setting() string              { return e.Pointer }
func (e PagingUnread) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// PagingRepeated says that an answer was the same as an earlier one, without a sign
// that this is the end. It was dropped and ended the job.
type PagingRepeated struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Earlier    int    `json:"earlier"`
	Hint       string `json:"hint"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (PagingRepeated) Kind() string { return "paging.repeated" }
func (PagingRepeated) Level() Level { return Warn }

func (e PagingRepeated) Message() string {
	return fmt.Sprintf("Job %s: page %d repeats page %d and was dropped, so later pages were not fetched; %s", e.Job, e.Page, e.Earlier, e.Hint)
}

func (e PagingRepeated) Setting() string              { return e.Pointer }
func (e PagingRepeated) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// DataMissing says that no answer of a job had anything at the configured path, but
// the answers have lists with items elsewhere.
type DataMissing struct {
	Job        string   `json:"job"`
	DataField  string   `json:"dataField"`
	Lists      []string `json:"lists"`
	Pointer    string   `json:"pointer"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
}

func (DataMissing) Kind() string { return "data.missing" }
func (DataMissing) Level() Level { return Warn }

func (e DataMissing) Message() string {
	what := "a list"
	if len(e.Lists) > 1 {
		what = "lists"
	}
	return fmt.Sprintf("Job %s: nothing was found at dataField '%s', but the response has %s at %s", e.Job, e.DataField, what, strings.Join(e.Lists, ", "))
}

func (e DataMissing) Setting() string              { return e.Pointer }
func (e DataMissing) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// JobShort says that a job ended with fewer rows or pages than the API announced.
type JobShort struct {
	Job        string `json:"job"`
	Fetched    int    `json:"fetched"`
	Total      int    `json:"total"`
	Unit       string `json:"unit"`
	Field      string `json:"field"`
	Rule       string `json:"rule"`
	Hint       string `json:"hint,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (JobShort) Kind() string { return "job.short" }
func (JobShort) Level() Level { return Warn }

func (e JobShort) Message() string {
	s := fmt.Sprintf("Job %s: '%s' of the response says that there are %s, but %d were fetched; the job ended because %s", e.Job, e.Field, prose.Count(e.Total, strings.TrimSuffix(e.Unit, "s")), e.Fetched, e.Rule)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e JobShort) Setting() string              { return e.Pointer }
func (e JobShort) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// WarningsOmitted counts the warnings of one kind that a job did not emit.
type WarningsOmitted struct {
	Job        string `json:"job"`
	Of         string `json:"of"`
	Count      int    `json:"count"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (WarningsOmitted) Kind() string { return "warnings.omitted" }
func (WarningsOmitted) Level() Level { return Warn }

func (e WarningsOmitted) Message() string {
	return fmt.Sprintf("Job %s: %s of the kind %s not shown", e.Job, prose.Count(e.Count, "more warning"), e.Of)
}
