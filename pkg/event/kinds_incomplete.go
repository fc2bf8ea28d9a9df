package event

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// JobFailed reports that a job failed while the others continue, so its tables are not
// written. With is the failed job that it depends on, Shared the table or name that both share.
type JobFailed struct {
	completeFinding `kind:"job.failed"`
	Job             string `json:"job"`
	Error           string `json:"error,omitempty"`
	With            string `json:"with,omitempty"`
	Shared          string `json:"shared,omitempty"`
	Pointer         string `json:"pointer"`
	JobPointer      string `json:"jobPointer,omitempty" console:"-"`
	Iteration       int    `json:"iteration,omitempty" console:"-"`
}

func (e JobFailed) message() string {
	if e.With != "" {
		return fmt.Sprintf("Job %s is left out, because job %s failed and both share the %s; its tables are not written, and the values that it remembers do not change", e.Job, e.With, e.Shared)
	}
	return fmt.Sprintf("Job %s failed, the others continue; its tables are not written, and the values that it remembers do not change: %s", e.Job, e.Error)
}

// ResponseErrors reports that a successful response has a member `errors` and no data.
type ResponseErrors struct {
	finding    `kind:"response.errors"`
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Text       string `json:"text"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e ResponseErrors) message() string {
	return fmt.Sprintf("Job %s: page %d has no data, but the API reports errors: %s", e.Job, e.Page, e.Text)
}

// PagingStalled reports that a response announces more pages but has no value at Field for
// the next request. If Field is empty, the response has no rows and leads to the same
// request again.
type PagingStalled struct {
	finding    `kind:"paging.stalled"`
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Flag       string `json:"flag"`
	Field      string `json:"field,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e PagingStalled) message() string {
	if e.Field == "" {
		return fmt.Sprintf("Job %s: %s of page %d announces more pages, but the page is empty and leads to the same request again; the rest was not fetched", e.Job, PlaceOf(e.Flag), e.Page)
	}
	return fmt.Sprintf("Job %s: %s of page %d announces more pages, but there is no value at '%s' to request the next one; the rest was not fetched", e.Job, PlaceOf(e.Flag), e.Page, e.Field)
}

// PlaceOf returns the words for a field of a response: a path, or "header " and the name of
// a header.
func PlaceOf(field string) string {
	if name, ok := strings.CutPrefix(field, "header "); ok && name != "" {
		return "the header " + name
	}
	return "'" + field + "'"
}

// PagingUnread reports that the last response of a job announces a page that was not
// requested, or that a job without pagination has fetched fewer rows than the API has. In
// the second case Total is the number of rows of the API.
type PagingUnread struct {
	finding    `kind:"paging.unread"`
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

func (e PagingUnread) message() string {
	if e.Total > 0 {
		return fmt.Sprintf("Job %s: %s of the response says that there are %s, but %d were fetched; %s", e.Job, e.Place, textfmt.Count(e.Total, "row"), e.Fetched, e.Hint)
	}
	return fmt.Sprintf("Job %s: %s of page %d announces a next page, which was not fetched; %s", e.Job, e.Place, e.Page, e.Hint)
}

// PagingGap reports that a job started over (`pagination.startOver`), and that the last row
// before that, on page Page, did not come again.
type PagingGap struct {
	finding    `kind:"paging.gap"`
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e PagingGap) message() string {
	return fmt.Sprintf("Job %s: it started over after page %d, but the last row of this page did not come again, so rows may be missing; request the rows whose value is equal to the remembered value, too", e.Job, e.Page)
}

// PagingRepeated reports that a response equals an earlier response and does not indicate
// the end of the data. The response was dropped and the job ended.
type PagingRepeated struct {
	finding    `kind:"paging.repeated"`
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Earlier    int    `json:"earlier"`
	Hint       string `json:"hint"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e PagingRepeated) message() string {
	return fmt.Sprintf("Job %s: page %d repeats page %d and was dropped, so later pages were not fetched; %s", e.Job, e.Page, e.Earlier, e.Hint)
}

// DataMissing reports that no response of a job had a value at the configured path, but the
// responses have lists with items at other paths.
type DataMissing struct {
	finding    `kind:"data.missing"`
	Job        string   `json:"job"`
	DataField  string   `json:"dataField"`
	Lists      []string `json:"lists"`
	Pointer    string   `json:"pointer"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
}

func (e DataMissing) message() string {
	what := "a list"
	if len(e.Lists) > 1 {
		what = "lists"
	}
	return fmt.Sprintf("Job %s: nothing was found at dataField '%s', but the response has %s at %s", e.Job, e.DataField, what, strings.Join(e.Lists, ", "))
}

// JobShort reports that a job ended with fewer rows or pages than the API announced.
type JobShort struct {
	finding    `kind:"job.short"`
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

func (e JobShort) message() string {
	s := fmt.Sprintf("Job %s: %s of the response says that there are %s, but %d were fetched; the job ended because %s", e.Job, PlaceOf(e.Field), textfmt.Count(e.Total, strings.TrimSuffix(e.Unit, "s")), e.Fetched, e.Rule)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// ItemsTruncated reports that a list in an item is incomplete.
type ItemsTruncated struct {
	completeFinding `kind:"items.truncated"`
	Job             string `json:"job"`
	Page            int    `json:"page"`
	List            string `json:"list"`
	Flag            string `json:"flag"`
	JobPointer      string `json:"jobPointer,omitempty" console:"-"`
	Iteration       int    `json:"iteration,omitempty" console:"-"`
}

func (e ItemsTruncated) message() string {
	return fmt.Sprintf("Job %s: the list '%s' of an item on page %d is incomplete, according to '%s'; request the rest with a child job whose recursionFilter reads this flag, or leave the list out with a mapping", e.Job, e.List, e.Page, e.Flag)
}

// ColumnMissing reports that no item had a value at the path of a column, while items have
// a value at a similar path.
type ColumnMissing struct {
	completeFinding `kind:"column.missing"`
	Job             string `json:"job"`
	Table           string `json:"table"`
	Column          string `json:"column"`
	Path            string `json:"path"`
	Near            string `json:"near"`
	Pointer         string `json:"pointer"`
	JobPointer      string `json:"jobPointer,omitempty" console:"-"`
	Iteration       int    `json:"iteration,omitempty" console:"-"`
}

func (e ColumnMissing) message() string {
	return fmt.Sprintf(`Job %s: no item has a value at '%s', so the column %q of table %s is empty; did you mean '%s'? If the path is correct, set "optional": true beside its "mapping"`, e.Job, e.Path, e.Column, e.Table, e.Near)
}

// KeyEmpty reports that rows have an empty value in their primary key. Such rows may
// replace each other.
type KeyEmpty struct {
	completeFinding `kind:"key.empty"`
	Job             string   `json:"job"`
	Table           string   `json:"table"`
	PrimaryKey      []string `json:"primaryKey"`
	Rows            int      `json:"rows"`
	Page            int      `json:"page"`
	Pointer         string   `json:"pointer"`
	JobPointer      string   `json:"jobPointer,omitempty" console:"-"`
	Iteration       int      `json:"iteration,omitempty" console:"-"`
}

func (e KeyEmpty) message() string {
	return fmt.Sprintf(`Job %s: table %s has %s with an empty value in the primary key (%s), the first on page %d; rows with the same key replace each other. Choose another key, or drop the rows with 'rowFilter'. If empty values are correct, set "optional": true beside the "mapping" of the column`,
		e.Job, e.Table, textfmt.Count(e.Rows, "row"), strings.Join(e.PrimaryKey, ", "), e.Page)
}

// WarningsOmitted counts the warnings of one kind that a job did not emit. If Job is empty,
// the warnings belong to no job.
type WarningsOmitted struct {
	warn       `kind:"warnings.omitted"`
	Job        string `json:"job,omitempty"`
	Of         string `json:"of"`
	Count      int    `json:"count"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e WarningsOmitted) message() string {
	text := fmt.Sprintf("%s of the kind %s not shown", textfmt.Count(e.Count, "more warning"), e.Of)
	if e.Job == "" {
		return text
	}
	return "Job " + e.Job + ": " + text
}

// ResponseCleaned reports that some bytes of a response are invalid in its character set.
// In UTF-8 they were dropped. In other character sets they were replaced with U+FFFD.
type ResponseCleaned struct {
	completeFinding `kind:"response.cleaned"`
	Job             string `json:"job"`
	Page            int    `json:"page"`
	// Charset is the character set that the response was decoded with.
	Charset string `json:"charset"`
	// Unknown is the character set in the header Content-Type if it is unknown.
	Unknown    string `json:"unknown,omitempty"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e ResponseCleaned) message() string {
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

// ResponseDelimiter reports that a CSV response has only one column and that its lines
// contain another delimiter.
type ResponseDelimiter struct {
	finding    `kind:"response.delimiter"`
	Job        string `json:"job"`
	Page       int    `json:"page"`
	Delimiter  string `json:"delimiter"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e ResponseDelimiter) message() string {
	name, setting := "'"+e.Delimiter+"'", e.Delimiter
	if e.Delimiter == "\t" {
		name, setting = "a tab", `\t`
	}
	return fmt.Sprintf(`Job %s: page %d is CSV with one column, but %s divides its lines into several; set "response": {"format": "csv", "delimiter": "%s"}, or "delimiter": "," if one column is correct`, e.Job, e.Page, name, setting)
}
