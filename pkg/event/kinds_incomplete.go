package event

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Finding is an event that reports that data may be missing from the tables, although no
// request failed. A run counts its findings. With `config.onIncomplete: fail` the first
// finding ends the run. Most findings are emitted once for each job; findings about tables
// are emitted once for each column or table.
type Finding interface {
	Body
	// Setting returns the JSON pointer of the setting to check.
	Setting() string
	// About returns the job: its endpoint as configured, its JSON pointer, and its
	// iteration. The iteration counts from 1 and is 0 if the run has only one.
	About() (endpoint, pointer string, iteration int)
}

// RowsComplete marks findings about keys, columns or characters: requesting the same rows
// again would not help. After any other finding the remembered values of the job are not
// updated, see StateHeld.
type RowsComplete interface{ RowsComplete() }

// ResponseErrors reports that a successful response has a member `errors` and no data.
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

// PagingStalled reports that a response announces more pages but has no value at Field for
// the next request. If Field is empty, the response has no rows and leads to the same
// request again.
type PagingStalled struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Flag       string `json:"flag"`
	Field      string `json:"field,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (PagingStalled) Kind() string { return "paging.stalled" }
func (PagingStalled) Level() Level { return Warn }

func (e PagingStalled) Message() string {
	if e.Field == "" {
		return fmt.Sprintf("Job %s: '%s' of page %d announces more pages, but the page is empty and leads to the same request again; the rest was not fetched", e.Job, e.Flag, e.Page)
	}
	return fmt.Sprintf("Job %s: '%s' of page %d announces more pages, but there is no value at '%s' to request the next one; the rest was not fetched", e.Job, e.Flag, e.Page, e.Field)
}

func (e PagingStalled) Setting() string              { return e.Pointer }
func (e PagingStalled) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// PagingUnread reports that the last response of a job announces a page that was not
// requested, or that a job without pagination has fetched fewer rows than the API has. In
// the second case Total is the number of rows of the API.
type PagingUnread struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Place      string `json:"place"`
	Fetched    int    `json:"fetched,omitempty"`
	Total      int    `json:"total,omitempty"`
	Hint       string `json:"hint"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (PagingUnread) Kind() string { return "paging.unread" }
func (PagingUnread) Level() Level { return Warn }

func (e PagingUnread) Message() string {
	if e.Total > 0 {
		return fmt.Sprintf("Job %s: %s of the response says that there are %s, but %d were fetched; %s", e.Job, e.Place, textfmt.Count(e.Total, "row"), e.Fetched, e.Hint)
	}
	return fmt.Sprintf("Job %s: %s of page %d announces a next page, which was not fetched; %s", e.Job, e.Place, e.Page, e.Hint)
}

func (e PagingUnread) Setting() string              { return e.Pointer }
func (e PagingUnread) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// PagingRepeated reports that a response equals an earlier response and does not indicate
// the end of the data. The response was dropped and the job ended.
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

// DataMissing reports that no response of a job had a value at the configured path, but the
// responses have lists with items at other paths.
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

// JobShort reports that a job ended with fewer rows or pages than the API announced.
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
	s := fmt.Sprintf("Job %s: '%s' of the response says that there are %s, but %d were fetched; the job ended because %s", e.Job, e.Field, textfmt.Count(e.Total, strings.TrimSuffix(e.Unit, "s")), e.Fetched, e.Rule)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e JobShort) Setting() string              { return e.Pointer }
func (e JobShort) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// ItemsTruncated reports that a list in an item is incomplete.
type ItemsTruncated struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	List       string `json:"list"`
	Flag       string `json:"flag"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (ItemsTruncated) Kind() string  { return "items.truncated" }
func (ItemsTruncated) Level() Level  { return Warn }
func (ItemsTruncated) RowsComplete() {}

func (e ItemsTruncated) Message() string {
	return fmt.Sprintf("Job %s: the list '%s' of an item on page %d is incomplete, according to '%s'; request the rest with a child job whose recursionFilter reads this flag, or leave the list out with a mapping", e.Job, e.List, e.Page, e.Flag)
}

func (e ItemsTruncated) Setting() string              { return e.JobPointer }
func (e ItemsTruncated) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// ColumnMissing reports that no item had a value at the path of a column, while items have
// a value at a similar path.
type ColumnMissing struct {
	Job        string `json:"job"`
	Table      string `json:"table"`
	Column     string `json:"column"`
	Path       string `json:"path"`
	Near       string `json:"near"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (ColumnMissing) Kind() string  { return "column.missing" }
func (ColumnMissing) Level() Level  { return Warn }
func (ColumnMissing) RowsComplete() {}

func (e ColumnMissing) Message() string {
	return fmt.Sprintf(`Job %s: no item has a value at '%s', so the column %q of table %s is empty; did you mean '%s'? If the path is correct, set "optional": true beside its "mapping"`, e.Job, e.Path, e.Column, e.Table, e.Near)
}

func (e ColumnMissing) Setting() string              { return e.Pointer }
func (e ColumnMissing) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// KeyEmpty reports that rows have an empty value in their primary key. Such rows may
// replace each other.
type KeyEmpty struct {
	Job        string   `json:"job"`
	Table      string   `json:"table"`
	PrimaryKey []string `json:"primaryKey"`
	Rows       int      `json:"rows"`
	Page       int      `json:"page"`
	Pointer    string   `json:"pointer"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
}

func (KeyEmpty) Kind() string  { return "key.empty" }
func (KeyEmpty) Level() Level  { return Warn }
func (KeyEmpty) RowsComplete() {}

func (e KeyEmpty) Message() string {
	return fmt.Sprintf(`Job %s: table %s has %s with an empty value in the primary key (%s), the first on page %d; rows with the same key replace each other. Choose another key, or drop the rows with 'rowFilter'. If empty values are correct, set "optional": true beside the "mapping" of the column`,
		e.Job, e.Table, textfmt.Count(e.Rows, "row"), strings.Join(e.PrimaryKey, ", "), e.Page)
}

func (e KeyEmpty) Setting() string              { return e.Pointer }
func (e KeyEmpty) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// WarningsOmitted counts the warnings of one kind that a job did not emit. If Job is empty,
// the warnings belong to no job.
type WarningsOmitted struct {
	Job        string `json:"job,omitempty"`
	Of         string `json:"of"`
	Count      int    `json:"count"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (WarningsOmitted) Kind() string { return "warnings.omitted" }
func (WarningsOmitted) Level() Level { return Warn }

func (e WarningsOmitted) Message() string {
	text := fmt.Sprintf("%s of the kind %s not shown", textfmt.Count(e.Count, "more warning"), e.Of)
	if e.Job == "" {
		return text
	}
	return "Job " + e.Job + ": " + text
}

// ResponseCleaned reports that some bytes of a response are invalid in its character set.
// In UTF-8 they were dropped. In other character sets they were replaced with U+FFFD.
type ResponseCleaned struct {
	Job  string `json:"job"`
	Page int    `json:"page"`
	// Charset is the character set that the response was decoded with.
	Charset string `json:"charset"`
	// Unknown is the character set in the header Content-Type if it is unknown.
	Unknown    string `json:"unknown,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (ResponseCleaned) Kind() string  { return "response.cleaned" }
func (ResponseCleaned) Level() Level  { return Warn }
func (ResponseCleaned) RowsComplete() {}

func (e ResponseCleaned) Message() string {
	became := "became U+FFFD"
	if e.Charset == "UTF-8" {
		became = "were dropped"
	}
	s := fmt.Sprintf("Job %s: page %d has bytes that are not %s; they %s", e.Job, e.Page, e.Charset, became)
	if e.Unknown != "" {
		s += fmt.Sprintf("; the header Content-Type names the character set '%s', which is not known", e.Unknown)
	}
	return s + "; if the text is in another character set, name it in 'response.encoding'"
}

func (e ResponseCleaned) Setting() string              { return e.Pointer }
func (e ResponseCleaned) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }

// ResponseDelimiter reports that a CSV response has only one column and that its lines
// contain another delimiter.
type ResponseDelimiter struct {
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Delimiter  string `json:"delimiter"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (ResponseDelimiter) Kind() string { return "response.delimiter" }
func (ResponseDelimiter) Level() Level { return Warn }

func (e ResponseDelimiter) Message() string {
	name, setting := "'"+e.Delimiter+"'", e.Delimiter
	if e.Delimiter == "\t" {
		name, setting = "a tab", `\t`
	}
	return fmt.Sprintf(`Job %s: page %d is CSV with one column, but %s divides its lines into several; set "response": {"format": "csv", "delimiter": "%s"}, or "delimiter": "," if one column is correct`, e.Job, e.Page, name, setting)
}

func (e ResponseDelimiter) Setting() string              { return e.Pointer }
func (e ResponseDelimiter) About() (string, string, int) { return e.Job, e.JobPointer, e.Iteration }
