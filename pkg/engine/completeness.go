package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// finishedRun is a finished run of a job, the input of the completeness checks.
type finishedRun struct {
	*ledger
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
	return []func(finishedRun) event.Finding{checkStalled, checkGap, checkRepeated, checkUnreadPage, checkUnpaged, checkTotal}
}

// checkStalled finds a last page that announces more pages but does not lead to them: it
// has no value for the next request (`nextPageFlag`, `stopWhen`), or it is empty and
// leads to itself. Well-known flags announce more pages, too.
func checkStalled(e finishedRun) event.Finding {
	found := event.PagingStalled{Job: e.name, Page: e.pages, Pointer: e.stop.Pointer, JobPointer: e.Pointer, Iteration: e.iteration}
	switch r := e.evidence.repeat; {
	case e.stop.Reason == pagination.NoValue:
		found.Flag, found.Field = e.stop.Flag, e.stop.Field
	case e.stop.Reason == pagination.NoProgress, r != nil && r.Rows == 0 && r.Again():
		found.Flag = cmp.Or(e.evidence.scroller.Announces(e.evidence.last), e.evidence.flag())
		found.Pointer = e.paged.Pointer
	}
	if found.Flag == "" {
		return nil
	}
	return found
}

// checkGap finds a round of `startOver` that does not contain the last row of the round
// before it. It ignores a round that a limit has cut.
func checkGap(e finishedRun) event.Finding {
	gap := e.evidence.gap
	if gap == nil && !e.stop.Limit {
		gap = e.evidence.openBorder()
	}
	if gap == nil {
		return nil
	}
	return event.PagingGap{
		Job: e.name, Page: gap.page,
		Pointer: e.evidence.scroller.StartsOver, JobPointer: e.Pointer, Iteration: e.iteration,
	}
}

// checkRepeated finds a page that was dropped because it repeats an earlier page. It
// ignores a repetition that is the ordinary end of the pagination.
func checkRepeated(e finishedRun) event.Finding {
	r := e.evidence.repeat
	if r == nil || e.evidence.scroller.EndsByRepeating(*r) || !r.Doubled && e.hasTotal() {
		return nil
	}
	if _, none := e.evidence.next(); none {
		return nil
	}
	hint := "check the URL that leads to the next page"
	if name := e.evidence.scroller.Parameter; name != "" {
		hint = fmt.Sprintf("check that the API reads %s", name)
	}
	if r.Doubled {
		hint += fmt.Sprintf("; rows of pages before page %d were stored more than once", r.Page)
	}
	return event.PagingRepeated{
		Job: e.name, Page: r.Page, Earlier: r.Earlier, Hint: hint,
		Pointer: e.paged.Pointer, JobPointer: e.Pointer, Iteration: e.iteration,
	}
}

// checkUnreadPage finds a next page that the last page announces and that was not
// fetched.
func checkUnreadPage(e finishedRun) event.Finding {
	v := e.evidence
	pages := !e.evidence.scroller.Single
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
	found := event.PagingUnread{Job: e.name, Page: e.pages, Pointer: e.Pointer, JobPointer: e.Pointer, Iteration: e.iteration}
	switch {
	case none:
		return nil
	case announced != nil:
		found.Place, found.Hint = fmt.Sprintf("'%s'", announced.Place()), howToRead(*announced)
	case e.stop.Flag != "":
		found.Place, found.Hint = event.PlaceOf(e.stop.Flag), "check how 'api.pagination' requests the next page"
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
	if e.stop.Reason == pagination.Deliberate || !e.evidence.scroller.Single || t == nil || t.pages {
		return nil
	}
	fetched, _ := e.fetched(t)
	if fetched >= t.least {
		return nil
	}
	if _, none := e.evidence.next(); none || checkUnreadPage(e) != nil {
		return nil
	}
	return event.PagingUnread{
		Job: e.name, Page: e.pages, Place: event.PlaceOf(t.label()), Fetched: int(fetched), Total: int(t.least),
		Hint:    "set 'api.pagination' to the method of this API; if you want only these rows, set \"pagination\": {\"forceStop\": {\"pages\": 1}}",
		Pointer: e.Pointer, JobPointer: e.Pointer, Iteration: e.iteration,
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
	if e.stop.Reason == pagination.Deliberate || e.evidence.scroller.Single || !e.evidence.fromStart {
		return nil
	}
	t := e.evidence.total()
	fetched, unit := e.fetched(t)
	if t == nil || fetched >= t.least {
		return nil
	}
	return event.JobShort{
		Job: e.name, Fetched: int(fetched), Total: int(t.least), Unit: unit, Field: t.label(), Rule: e.stop.Rule, Hint: e.stop.Hint,
		Pointer: e.paged.Pointer, JobPointer: e.Pointer, Iteration: e.iteration,
	}
}

// hasTotal reports whether the number of fetched rows or pages equals the total. If more
// were fetched, the API counts something different.
func (e finishedRun) hasTotal() bool {
	t := e.evidence.total()
	fetched, _ := e.fetched(t)
	return t != nil && fetched == t.least
}

// fetched returns the number of fetched rows of the last round, or of pages with rows if the total counts
// pages.
func (e finishedRun) fetched(t *total) (n int64, unit string) {
	if t != nil && t.pages {
		return int64(e.evidence.filled), "pages"
	}
	return int64(e.rowsReceived - e.evidence.earlierRows), "rows"
}
