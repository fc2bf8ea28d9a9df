package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// finishedRun is a finished run of a job, the input of the completeness checks.
type finishedRun struct {
	*jobRun
	stop pagination.Stop
}

// endChecks returns the completeness checks of a finished run. Each check returns a
// finding about missing data, or nil. docs/understand/faults.md describes the checks.
//
// To add a check, write its function in this file and list it here. Its finding is an event
// in pkg/event/kinds_incomplete.go, see Bodies there; it has the method RowsComplete if no
// rows are missing. Add rows to completeness_test.go, a case to tests/functional/cases and a
// row to docs/understand/faults.md.
func endChecks() []func(finishedRun) event.Finding {
	return []func(finishedRun) event.Finding{checkStalled, checkRepeated, checkUnreadPage, checkUnpaged, checkTotal}
}

// checkStalled finds a last page that announces more pages but does not lead to them: it
// has no value for the next request (`nextPageFlag`, `stopWhen`), or it is empty and
// leads to itself. Well-known flags announce more pages, too.
func checkStalled(e finishedRun) event.Finding {
	found := event.PagingStalled{Job: e.name, Page: e.pages, Pointer: e.stop.Pointer, JobPointer: e.Pointer, Iteration: e.number}
	switch r := e.evidence.repeat; {
	case e.stop.Reason == pagination.NoValue:
		found.Flag, found.Field = e.stop.Flag, e.stop.Field
	case e.stop.Reason == pagination.NoProgress, r != nil && r.Rows == 0 && r.Again():
		found.Flag = cmp.Or(pagination.Announced(e.scroller, e.evidence.last), e.evidence.flag())
		found.Pointer = e.paged.Pointer
	}
	if found.Flag == "" {
		return nil
	}
	return found
}

// checkRepeated finds a page that was dropped because it repeats an earlier page. It
// ignores a repetition that is the ordinary end of the pagination.
func checkRepeated(e finishedRun) event.Finding {
	r := e.evidence.repeat
	if r == nil || pagination.EndsByRepeating(e.scroller, *r) || !r.Doubled && e.hasTotal() {
		return nil
	}
	if _, none := e.evidence.next(); none {
		return nil
	}
	hint := "check the URL that leads to the next page"
	if name := e.scroller.Traits().Parameter; name != "" {
		hint = fmt.Sprintf("check that the API reads %s", name)
	}
	if r.Doubled {
		hint += fmt.Sprintf("; rows of pages before page %d were stored more than once", r.Page)
	}
	return event.PagingRepeated{
		Job: e.name, Page: r.Page, Earlier: r.Earlier, Hint: hint,
		Pointer: e.paged.Pointer, JobPointer: e.Pointer, Iteration: e.number,
	}
}

// checkUnreadPage finds a next page that the last page announces and that was not
// fetched.
func checkUnreadPage(e finishedRun) event.Finding {
	v := e.evidence
	pages := pagination.Pages(e.scroller)
	leadsOn := v.repeat != nil && v.repeat.LeadsOn
	switch {
	case e.stop.Reason == pagination.Deliberate, v.repeat != nil && !leadsOn,
		e.stop.Reason == pagination.NoValue && e.stop.Flag != "": // checkStalled reports this page
		return nil
	case pages && e.hasTotal():
		return nil
	}
	announced, none := v.next()
	if pages && v.last.Rows == 0 && !leadsOn {
		// Only a flag counts: some APIs return a URL or a number of a next page on every
		// page.
		flagged := e.stop.Flag != "" || v.flag() != ""
		if e.stop.Reason == pagination.NoProgress || e.stop.Reason == pagination.Exhausted && !flagged {
			return nil
		}
	}
	found := event.PagingUnread{Job: e.name, Page: e.pages, Pointer: e.Pointer, JobPointer: e.Pointer, Iteration: e.number}
	switch {
	case none:
		return nil
	case announced != nil:
		found.Place, found.Hint = fmt.Sprintf("'%s'", announced.Place()), howToRead(*announced)
	case e.stop.Flag != "":
		found.Place, found.Hint = fmt.Sprintf("'%s'", e.stop.Flag), "check how 'api.pagination' requests the next page"
	case leadsOn:
		found.Place, found.Hint = "a header", "check the URL that leads to the next page"
	case v.link != "":
		found.Place, found.Hint = "the header Link", "set 'api.pagination' to the method 'link'"
	default:
		return nil
	}
	if pages {
		switch {
		case e.stop.Hint == "":
		case announced != nil && announced.Kind == response.NextPage:
			found.Hint = e.stop.Hint + "; " + found.Hint
		default:
			found.Hint = e.stop.Hint
		}
		found.Hint = "the job ended because " + e.stop.Rule + "; " + found.Hint
		found.Pointer = e.paged.Pointer
	}
	return found
}

// checkUnpaged finds a total that is greater than the number of fetched rows of a job
// without pagination. It returns nil if the response denies that there is another page,
// or if checkUnreadPage reports the next page.
func checkUnpaged(e finishedRun) event.Finding {
	t := e.evidence.total()
	if e.stop.Reason == pagination.Deliberate || pagination.Pages(e.scroller) || t == nil || t.pages || int64(e.rowsReceived) >= t.least {
		return nil
	}
	if _, none := e.evidence.next(); none || checkUnreadPage(e) != nil {
		return nil
	}
	place := fmt.Sprintf("'%s'", t.field)
	if t.header {
		place = "the header " + t.field
	}
	return event.PagingUnread{
		Job: e.name, Page: e.pages, Place: place, Fetched: e.rowsReceived, Total: int(t.least),
		Hint:    "set 'api.pagination' to the method of this API; if you want only these rows, set \"pagination\": {\"forceStop\": {\"pages\": 1}}",
		Pointer: e.Pointer, JobPointer: e.Pointer, Iteration: e.number,
	}
}

// howToRead returns a hint: the settings with which a job requests the announced page.
func howToRead(i response.Indicator) string {
	path, delimiter := i.Place(), ""
	for _, name := range i.Path {
		if strings.Contains(name, ".") && len(i.Path) > 1 { // a name on its own is found with its dots
			path, delimiter = strings.Join(i.Path, "/"), " and the delimiter '/'"
		}
	}
	text := i.Value.Text()
	switch {
	case i.Kind == response.NextPage && (response.IsAddress(text)):
		return fmt.Sprintf("set 'api.pagination' to the method 'response.url' with the urlKey '%s'%s", path, delimiter)
	case i.Kind == response.NextPage && delimiter == "":
		return fmt.Sprintf("set 'api.pagination' to the method 'response.param' with the responseParam '%s'", path)
	default:
		return "set 'api.pagination' to the method of this API: 'response.param' if the response has a token for the next page, 'cursor' if requests contain the last id, otherwise 'offset' or 'pagenum'"
	}
}

// checkTotal finds a total that is greater than the number of fetched rows or pages.
func checkTotal(e finishedRun) event.Finding {
	if e.stop.Reason == pagination.Deliberate || !pagination.Pages(e.scroller) || !pagination.FromStart(e.scroller, e.base.RequestSpec) {
		return nil
	}
	t := e.evidence.total()
	fetched, unit := e.fetched(t)
	if t == nil || fetched >= t.least {
		return nil
	}
	return event.JobShort{
		Job: e.name, Fetched: int(fetched), Total: int(t.least), Unit: unit, Field: t.field, Rule: e.stop.Rule, Hint: e.stop.Hint,
		Pointer: e.paged.Pointer, JobPointer: e.Pointer, Iteration: e.number,
	}
}

// hasTotal reports whether the number of fetched rows or pages equals the total. If more
// were fetched, the API counts something different.
func (e finishedRun) hasTotal() bool {
	t := e.evidence.total()
	fetched, _ := e.fetched(t)
	return t != nil && fetched == t.least
}

// fetched returns the number of fetched rows, or of pages with rows if the total counts
// pages.
func (e finishedRun) fetched(t *total) (n int64, unit string) {
	if t != nil && t.pages {
		return int64(e.evidence.filled), "pages"
	}
	return int64(e.rowsReceived), "rows"
}

// errorsOnly finds a response that has errors instead of data.
func (r *jobRun) errorsOnly(res *httpclient.Response, page *response.Page) (event.Finding, error) {
	if res.AcceptedError || res.Decision != nil || page.Rows > 0 && !page.FromErrors {
		return nil, nil
	}
	errors := page.Errors()
	if hasNoErrors(errors) {
		return nil, nil
	}
	// The next run must request a new response, not read this response from the cache.
	return event.ResponseErrors{
		Job: r.name, Page: r.pages, Text: r.errorTexts(errors), JobPointer: r.Pointer, Iteration: r.number,
	}, res.EvictFromCache()
}

// Limits of the error text that a finding shows. The first readBytes of a text are masked
// before the text is shortened, so that no secret is cut in two.
const (
	mostErrors    = 3
	mostErrorText = 300 // characters
	readBytes     = 64 << 10
)

// errorTexts returns the text of the first errors of a page, masked and shortened. errors
// is the result of response.Page.Errors.
func (r *jobRun) errorTexts(errors value.Value) string {
	all := []value.Value{errors}
	if errors.Kind() == value.Array {
		all = errors.Items()
	}
	var texts []string
	for _, one := range all[:min(len(all), mostErrors)] {
		text := errorMessage(one)
		masked := r.run.Secrets.Mask(text[:min(len(text), readBytes)])
		if len(text) > readBytes {
			masked = masked[:len(masked)/2] // the end may be half of a secret, which is not masked
		}
		text = strings.Join(strings.Fields(masked), " ")
		if short := textfmt.Shorten(text, mostErrorText); short != text {
			text = strings.TrimSuffix(short, "…") + " …"
		}
		texts = append(texts, text)
	}
	if more := len(all) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// hasNoErrors reports whether the value of a member `errors` contains no error. Some APIs
// always send `{"code": 0, "message": ""}`.
func hasNoErrors(v value.Value) bool {
	switch v.Kind() {
	case value.Array:
		return !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !hasNoErrors(item) })
	case value.Object:
		return !slices.ContainsFunc(v.Members(), func(m value.Member) bool { return !hasNoErrors(m.Value) })
	default:
		return v.Empty()
	}
}

// errorMessage returns the message of an error, or the JSON text of the error if it has
// no message.
func errorMessage(v value.Value) string {
	if v.Kind() == value.String {
		return v.Raw()
	}
	for _, name := range []string{"message", "detail", "title", "description", "error", "reason", "code"} {
		if m := v.Field(name); m.IsScalar() && !m.Empty() {
			return m.Text()
		}
	}
	return v.JSON()
}

// checkDataField finds a job without a response that has its `dataField`, if a response
// has lists at other paths.
func (jr *jobRunner) checkDataField(j *job) event.Finding {
	s := jr.statistics[j]
	if s == nil || s.found || len(s.otherLists) == 0 {
		return nil
	}
	return jr.dataMissing(j, s.otherLists)
}

// dataMissing returns the finding that no response of a job has its `dataField`. paths
// are the lists in the responses.
func (jr *jobRunner) dataMissing(j *job, paths []string) event.DataMissing {
	lists := make([]string, len(paths))
	for i, path := range paths {
		lists[i] = jr.run.Secrets.Mask(path)
		if path == "" {
			lists[i] = j.DataField.Delimiter
		}
	}
	return event.DataMissing{
		Job: j.name, DataField: j.DataField.Path, Lists: lists,
		Pointer: failure.PointerJoin(j.Pointer, config.JobDataField.Name), JobPointer: j.Pointer, Iteration: jr.number,
	}
}

// explainUnrecorded explains why a request is not in the recording of a replay. If the
// `dataField` is in no response, the job sends other requests than the recorded run.
func (r *jobRun) explainUnrecorded(err error) error {
	if _, ok := errors.AsType[*har.UnrecordedError](err); !ok || !r.evidence.leadsNowhere() {
		return err
	}
	found := r.dataMissing(r.job, r.evidence.otherLists)
	return failure.Userf("%s; so the next request differs from the recorded one: %w", found.Message(), err).At(found.Pointer)
}

// checkCompleteness emits the postponed findings of a root job and its child jobs, after
// all their runs. If cut is true, a limit has ended some of the runs, and checkDataField
// is skipped.
func (jr *jobRunner) checkCompleteness(j *job, cut bool) error {
	if found := jr.checkDataField(j); found != nil && !cut {
		if err := jr.emit(j, found); err != nil {
			return err
		}
		jr.hold(j, nil, found)
	}
	if err := jr.raisePostponed(j); err != nil {
		return err
	}
	for _, child := range j.children {
		if err := jr.checkCompleteness(child, cut); err != nil {
			return err
		}
	}
	return nil
}
