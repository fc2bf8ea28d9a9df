package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pageResult is a page of a job: a response that was read, or the reason why there is no
// page.
type pageResult struct {
	number   int
	events   []event.Body         // events about the page
	page     *response.Page       // nil if there is nothing to store
	response *httpclient.Response // the response that page was read from
	body     *response.Spool      // body of response
	stop     *pagination.Stop     // reason to end the job without a page
	err      error
	columns  []mapping.Column // columns that are added to the rows
}

// outgoing is a request with the headers that all jobs send.
type outgoing struct {
	config.RequestSpec
	headers []config.Header // headers of all jobs
}

// prepare adds the default options and the headers of all jobs to a request of this job.
func (r *jobRun) prepare(request config.RequestSpec) (outgoing, error) {
	full, headers, err := r.jobRunner.outgoing(r.job, request, r.scope)
	return outgoing{full, headers}, err
}

// send sends a request for the page at a position. paged is the request that pagination
// made, out the same request with the parts that all jobs send. needed is closed when the
// job needs the response; nil means that the job needs it now. yieldSlot becomes
// httpclient.JobInfo.YieldSlot.
func (r *jobRun) send(ctx context.Context, at position, paged config.RequestSpec, out outgoing, needed <-chan struct{}, yieldSlot func() (resume func() error)) (*httpclient.Response, error) {
	r.run.Secrets.AddAddress(out.Endpoint) // a response may have returned the URL of the next page
	from := httpclient.JobInfo{Job: r.name, Accept: r.format.Accept, Charset: r.format.Charset(), Anonymous: r.Anonymous, Pointer: r.Pointer, Iteration: r.number, Live: r.live, Needed: needed, YieldSlot: yieldSlot, Headers: out.headers, Rules: r.rules, RateLimit: r.RateLimit}
	if r.run.Recorder != nil {
		from.PagePath, from.FindSources = r.pagePath(at), r.sourceFinder(paged, out.RequestSpec)
	}
	return r.client.Do(ctx, out.RequestSpec, from)
}

// read reads and checks the response to a request. If there is no response, err becomes
// the result.
func (r *jobRun) read(request config.RequestSpec, state pagination.State, res *httpclient.Response, err error) *pageResult {
	if !isLimit(err) { // a limit prevents the request
		r.pages++
	}
	p := &pageResult{number: r.pages, err: err}
	if err != nil {
		if p.stop = r.afterLast(err); p.stop != nil {
			p.err = nil
		}
	} else {
		p.page, p.stop, p.err = r.scanAndCheck(request, state, res)
		if p.page == nil {
			res.Body.Close()
		} else {
			p.body, p.response = res.Body, res
			if p.columns, p.err = r.columnsOf(p.page, res); p.err == nil {
				p.err = r.saveLastResponse(p.page, res)
			}
		}
	}
	p.events, r.events = r.events, nil
	return p
}

// afterLast returns the reason to stop if the error only means that no page follows the
// last page.
func (r *jobRun) afterLast(err error) *pagination.Stop {
	status := httpclient.StatusOf(err)
	if status == 0 || r.pages < 2 {
		return nil
	}
	return pagination.AfterLast(r.scroller, r.base.RequestSpec, status, r.evidence.last, r.evidence.largest)
}

// scanAndCheck scans and checks a response. If the page only repeats an earlier page, it
// returns the reason to stop.
func (r *jobRun) scanAndCheck(request config.RequestSpec, state pagination.State, res *httpclient.Response) (*response.Page, *pagination.Stop, error) {
	if res.Decision.Is(rule.Skip) {
		return nil, r.skip(res), nil
	}
	if res.AcceptedError {
		r.record(event.ResponseIgnored{Job: r.endpoint, Status: res.Status, Text: "used as data, because of " + r.acceptReason(res), JobPointer: r.Pointer})
	}
	page, err := r.scan(res)
	if err != nil {
		return nil, nil, err
	}
	next := func() (config.RequestSpec, bool) {
		request, _, stop, err := r.base.Next(r.scroller, state, pagingPageOf(res, page))
		return request, err == nil && stop == nil
	}
	if repeat := r.repetition.check(r.pages, request, page, next); repeat != nil {
		r.evidence.repeat = &pagination.Repeat{Page: r.pages, Earlier: repeat.earlier, Rows: page.Rows, Largest: r.evidence.largest, List: page.IsList(), Doubled: repeat.doubled, LeadsOn: repeat.leadsOn, Before: r.evidence.last}
		stop := &pagination.Stop{Rule: repeat.rule}
		if repeat.leadsOn {
			stop.Hint = "if this API never ends its pages, limit the job with 'forceStop'"
		}
		return nil, stop, nil
	}
	if err := r.check(res, page); err != nil {
		return nil, nil, err
	}
	r.evidence.observe(r.scroller, res, page)
	r.sample.take(page)
	return page, nil, nil
}

// skip ends a job because a rule drops the response.
func (r *jobRun) skip(res *httpclient.Response) *pagination.Stop {
	r.record(event.ResponseSkipped{Job: r.name, Page: r.pages, Status: res.Status, Text: r.client.RuleMessage(res), Pointer: res.Decision.Pointer, JobPointer: r.Pointer, Iteration: r.number})
	r.skipped = true
	return &pagination.Stop{Rule: fmt.Sprintf("a rule skipped the response with status %d", res.Status), Pointer: res.Decision.Pointer, Reason: pagination.Deliberate}
}

// acceptReason returns the setting that accepts an error response as data, with the error
// message of the API.
func (r *jobRun) acceptReason(res *httpclient.Response) string {
	switch says := r.client.RuleMessage(res); {
	case res.Decision == nil:
		return "'api.http.ignoreErrors'"
	case says != "":
		return "a rule (" + says + ")"
	default:
		return "a rule"
	}
}

// record stores an event about the current page.
func (r *jobRun) record(e event.Body) { r.events = append(r.events, e) }

// scan reads a response once. Its errors name the URL of the response, which may differ
// from the URL of the request after a redirect.
func (r *jobRun) scan(res *httpclient.Response) (*response.Page, error) {
	page, err := r.decode(res, r.formatOf(res))
	if err != nil {
		if forgetting := res.EvictFromCache(); forgetting != nil {
			return nil, forgetting
		}
		return nil, failure.Wrap(res.Address(), "", err)
	}
	if page.Damaged != "" {
		r.record(r.invalidBytesFinding(page))
	}
	page.WrapItemErrors(func(err error) error { return failure.Wrap(res.Address(), "", err) })
	return page, nil
}

// invalidBytesFinding returns the finding that a page has bytes that are invalid in its
// character set.
func (r *jobRun) invalidBytesFinding(page *response.Page) event.ResponseCleaned {
	return event.ResponseCleaned{
		Job: r.name, Page: r.pages, Charset: page.Damaged, Unknown: page.UnknownCharset,
		Pointer: cmp.Or(r.format.Pointer, r.Pointer), JobPointer: r.Pointer, Iteration: r.number,
	}
}

// formatOf returns the format of a response. An error response does not have the format
// of the job: at most it is JSON.
func (r *jobRun) formatOf(res *httpclient.Response) response.Format {
	if res.AcceptedError {
		return response.Format{}
	}
	return r.format
}

// decode reads a response. A successful response without a body has no data. An error
// response that the configuration ignores is data unless it is null.
func (r *jobRun) decode(res *httpclient.Response, format response.Format) (*response.Page, error) {
	needs := r.scroller.Needs()
	query := response.Query{
		Format:   format,
		MaxBytes: r.run.plan.doc.API.MaxResponseBytes,
		Data:     dataPath(r.Job),
		Fields:   slices.Clip(needs.Fields),
		Volume:   needs.Volume,
	}
	if !res.AcceptedError || res.Decision != nil { // an error response has this data only if a rule accepts it
		query.KeyAs, query.Parallel, query.Columns = r.DataField.KeyAs, r.DataField.Parallel, r.names
	}
	for _, path := range append(r.user.references(expr.Response), r.rememberReferences(expr.Response)...) {
		query.Fields = append(query.Fields, fieldPath(path))
	}
	page, err := r.run.scanner.Scan(res.Body, query)
	switch {
	case err == nil && res.AcceptedError && page.Root == value.Null:
		return nil, failure.Userf("the response with status %d is null, expected data", res.Status)
	case err == nil:
		return page, nil
	case format.Plain() && r.ignoresText(res) && (errors.Is(err, io.EOF) || failure.KindOf(err) == failure.User):
		return r.errorData(res, query)
	case errors.Is(err, io.EOF): // the status is 2xx: an ignored error matches the case above
		return response.NoPage(query), nil
	default:
		return nil, err
	}
}

// ignoresText reports whether the body of a response may be other text than JSON. It may
// if the response is an accepted error, if `ignoreErrors` has its status, or if
// `ignoreErrors` has the code 0, which means errors without a status.
func (r *jobRun) ignoresText(res *httpclient.Response) bool {
	ignored := r.run.plan.doc.API.IgnoreErrors
	return res.AcceptedError || slices.Contains(ignored, res.Status) || slices.Contains(ignored, 0)
}

// maxErrorData is the maximum size, in bytes, of a response that becomes a single value.
const maxErrorData = 8 << 20

// errorData makes an object from a response that is not JSON. It is used if the
// configuration ignores the status of the response.
func (r *jobRun) errorData(res *httpclient.Response, query response.Query) (*response.Page, error) {
	if size := res.Body.Size(); size > maxErrorData {
		return nil, failure.Userf("the response is not JSON and has %d bytes, which is more than 'errorData' can hold", size)
	}
	text, damaged, err := res.Body.Text(query.Format)
	if err != nil {
		return nil, err
	}
	query.KeyAs, query.Parallel, query.Columns = "", false, response.Columns{}
	data := value.OfMembers(value.Member{Name: "errorData", Value: value.OfString(string(text))})
	r.record(event.ResponseIgnored{Job: r.endpoint, Status: res.Status, Text: "its body is not JSON and was used as errorData", JobPointer: r.Pointer})
	page, err := r.run.scanner.ScanValue(res.Body, data, query)
	if err == nil {
		page.Damaged = damaged
	}
	return page, err
}

// check makes the decisions about a page that need no row. It reports errors instead of
// data, an unlikely delimiter and missing data, and fails if the data is ambiguous.
func (r *jobRun) check(res *httpclient.Response, page *response.Page) error {
	found, err := r.errorsOnly(res, page)
	if err != nil {
		return err
	}
	if found != nil {
		r.record(found)
	}
	switch {
	case page.Divided:
		r.record(event.ResponseDelimiter{Job: r.name, Page: r.pages, Delimiter: page.OtherDelimiter, Pointer: r.format.Pointer, JobPointer: r.Pointer, Iteration: r.number})
	case page.OtherDelimiter != "":
		r.record(event.ConfigWarning{Pointer: r.format.Pointer, Text: fmt.Sprintf("the CSV response has one column, and its name contains %s: is this the 'delimiter'?", response.DelimiterName(page.OtherDelimiter))})
	}
	detected := r.DataField.Path == ""
	switch {
	case detected && len(page.Lists) > 1:
		return failure.Userf("more than one list was found in the response (%s): set 'dataField' to the list with the data", firstNames(page.Lists)).At(r.Pointer)
	case detected && page.Root != value.Object && page.Root != value.Array && !page.NoBody:
		return failure.Userf("the response is a %s, expected an object or a list; set 'dataField' to '.' to use it as one value", page.Root).At(r.Pointer)
	case page.Rows == 0:
		r.record(event.DataEmpty{Job: r.endpoint, DataField: r.DataField.Path, Page: r.pages, JobPointer: r.Pointer})
	}
	return nil
}

// report emits the events of a page and returns the error of the page. With
// `onIncomplete: fail` it returns the first finding as an error.
func (r *jobRun) report(p *pageResult) error {
	for _, e := range p.events {
		if err := r.emit(r.job, e); err != nil {
			return err
		}
	}
	return p.err
}

// reportAndStore emits the events of a page, stores its rows and counts them.
func (r *jobRun) reportAndStore(ctx context.Context, p *pageResult) (ids pagination.IDs, err error) {
	if r.Windows != nil {
		r.live.Window(r.window.Number, r.window.of)
	}
	if err := r.report(p); err != nil || p.page == nil {
		return ids, err
	}
	ids, kept, err := r.store(ctx, p.page, p.columns, p.number)
	if err != nil {
		return ids, err
	}
	if err := r.reportTruncated(p); err != nil {
		return ids, err
	}
	r.rowsReceived += p.page.Rows
	r.rowsFiltered += p.page.Rows - kept
	if r.NotStored {
		kept = 0
	}
	r.progress.page(kept)
	r.statistics.page(r.job, kept)
	r.live.Page(kept)
	return ids, nil
}

// store passes the rows that the row filter keeps to the tables. It returns the ids that
// the scroller needs, and the number of kept rows.
func (r *jobRun) store(ctx context.Context, page *response.Page, columns []mapping.Column, number int) (ids pagination.IDs, kept int, err error) {
	id := r.scroller.Needs().ItemID
	rows := r.pageRows(columns, number)
	for row, err := range r.parsedRows(page) {
		keep := false
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			keep, err = passes(r.rowFilter, row)
		}
		if keep {
			kept++
			err = rows.Row(row)
		}
		if err != nil {
			return ids, kept, err
		}
		if keep {
			r.accumulate(row)
		}
		if id.Text != "" {
			v, _ := row.At(id.Text, id.Separator)
			ids.Add(v)
		}
	}
	return ids, kept, nil
}

// pageRows returns the destination of the rows of a page.
func (r *jobRun) pageRows(columns []mapping.Column, number int) pageRows {
	if r.NotStored {
		return unstoredRows{}
	}
	return r.sink.page(r.DataType, columns, pageOrigin{r.job, number, r.number, r.it.FailIncomplete})
}

// ids returns the ids that store returns, for a page that is not stored yet.
func (r *jobRun) ids(page *response.Page) (ids pagination.IDs, err error) {
	id := r.scroller.Needs().ItemID
	if id.Text == "" {
		return ids, nil
	}
	for row, err := range r.parsedRows(page) {
		if err != nil {
			return ids, err
		}
		v, _ := row.At(id.Text, id.Separator)
		ids.Add(v)
	}
	return ids, nil
}

// pagingPage returns the input of the scroller for a page.
func (r *jobRun) pagingPage(p *pageResult, ids pagination.IDs) pagination.PageInfo {
	known := pagingPageOf(p.response, p.page)
	known.IDs, known.Now = ids, r.run.Now()
	return known
}

// pagingPageOf returns the part of pagingPage that depends only on the response.
func pagingPageOf(res *httpclient.Response, page *response.Page) pagination.PageInfo {
	return pagination.PageInfo{Root: page.Root, Rows: page.Rows, Volume: page.Volume, Field: page.Field, Compared: page.FieldForCondition, Header: res.Header, Address: res.RequestURL()}
}

// parsedRows returns the rows of a page after the response filter. A row is valid until
// the next row is read.
func (r *jobRun) parsedRows(page *response.Page) iter.Seq2[value.Packed, error] {
	return r.rows.apply(page.Items())
}

// firstNames joins the first names for a message and counts the rest.
func firstNames(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
