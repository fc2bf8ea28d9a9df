package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/files"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pipeline turns the responses of one run of a job into rows: it decodes and checks a
// response, stores the rows of the page, and yields the runs of the child jobs. It knows
// neither pagination nor permits.
type pipeline struct {
	*dispatcher
	*job
	*invocation
	ledger     *ledger
	scanner    *response.Scanner
	api        *config.API
	bucket     *bucket
	files      *runFiles
	scope      *expr.Scope
	query      response.Query
	itemID     response.Path // path of the ids that the stream needs, or no path
	itemNames  jobNames
	naming     *naming          // nil if members keep their names
	dataType   string           // value of ComputedDataType, or ""
	columns    []mapping.Column // columns of all pages, or nil if each page has other columns
	live       *event.Live
	liveJob    *event.LiveJob
	pageEvents *pageEvents
	// batches are the values of child jobs for batches that are not full yet.
	batches map[*job]*openBatch
}

// pageResult is a page of a job: a response that was read, or the reason why there is no
// page.
type pageResult struct {
	number   int
	events   []event.Body         // events about the page
	page     *response.Page       // nil if there are no rows to store
	response *httpclient.Response // the response that page was read from
	body     *response.Spool      // body of response
	stop     *pagination.Stop     // reason to end the job without a page
	err      error
	columns  []mapping.Column // columns that are added to the rows
	manifest files.Manifest   // set if the page is a file
	last     *expr.Scope      // scope of the page for expressions in `remember`, or nil
}

// pageEvents are the events about the next page of a run. They are emitted when the page is
// stored.
type pageEvents struct{ list []event.Body }

func (e *pageEvents) add(body event.Body) { e.list = append(e.list, body) }

// begin evaluates the expressions that do not depend on responses. needs are the values
// that the stream needs from each page.
func (p *pipeline) begin(scope *expr.Scope, needs pagination.Requirements) (err error) {
	p.scope, p.itemID = scope, needs.ItemID
	p.query = response.Query{
		Format:   p.format,
		MaxBytes: p.api.MaxResponseBytes,
		Data:     dataPath(p.Job),
		Fields:   slices.Clip(needs.Fields),
		Volume:   needs.Volume,
	}
	for _, path := range append(p.user.references(expr.Response), p.rememberReferences(expr.Response)...) {
		p.query.Fields = append(p.query.Fields, fieldPath(path))
	}
	if p.ComputedDataType != nil && !p.NotStored {
		// A preview does not know the values.
		if p.dataType, err = p.dataTypeOf(p.job, scope); err != nil && p.standIn == nil {
			return err
		}
		err = nil
	}
	if !p.user.dependsOnPage() && !p.hasStandIns() {
		p.columns, err = p.columnsIn(scope)
	}
	return err
}

// hasStandIns reports whether values of the run are stand-ins of a preview. A function of
// the user data may reject them, but user data is not a part of the request.
func (p *pipeline) hasStandIns() bool {
	return p.standIn != nil && (len(p.parents) > 0 || p.window != nil && p.window.of == 0)
}

// decode reads a response once. Its errors name the URL of the response, which may differ
// from the URL of the request after a redirect.
func (p *pipeline) decode(number int, res *httpclient.Response) (*response.Page, error) {
	page, err := p.scan(res)
	if err != nil {
		if forgetting := res.EvictFromCache(); forgetting != nil {
			return nil, forgetting
		}
		return nil, failure.Wrap(res.Address(), "", err)
	}
	if page.Damaged != "" {
		p.pageEvents.add(event.ResponseCleaned{
			Job: p.name, Page: number, Charset: page.Damaged, Unknown: page.UnknownCharset,
			Pointer: cmp.Or(p.format.Pointer, p.Pointer), JobPointer: p.Pointer, Iteration: p.iteration,
		})
	}
	page.WrapItemErrors(func(err error) error { return failure.Wrap(res.Address(), "", err) })
	return page, nil
}

// scan reads a response. A successful response without a body has no data. An error
// response that the configuration ignores is data unless it is null: it does not have the
// format of the job, at most it is JSON.
func (p *pipeline) scan(res *httpclient.Response) (*response.Page, error) {
	query := p.query
	if res.AcceptedError {
		query.Format = response.Format{}
	}
	if query.Format.IsFile() {
		if res.Status == http.StatusNoContent || res.Status == http.StatusResetContent {
			return response.NoPage(query), nil
		}
		var err error
		if query.File, err = p.fileFacts(res); err != nil {
			return nil, err
		}
	}
	if !res.AcceptedError || res.Decision != nil { // an error response has this data only if a rule accepts it
		query.KeyAs, query.Parallel, query.Columns = p.DataField.KeyAs, p.DataField.Parallel, p.names
	}
	page, err := p.scanner.Scan(res.Body, query)
	if err == nil {
		if res.AcceptedError && page.Root == value.Null {
			return nil, failure.Userf("the response with status %d is null, expected data", res.Status)
		}
		return page, nil
	}
	// `ignoreErrors` with the code 0 ignores errors without a status.
	ignored := res.AcceptedError || slices.Contains(p.api.IgnoreErrors, res.Status) || slices.Contains(p.api.IgnoreErrors, 0)
	switch {
	case query.Format.Plain() && ignored && (errors.Is(err, io.EOF) || failure.KindOf(err) == failure.User):
		return p.errorData(res, query)
	case errors.Is(err, io.EOF): // the status is 2xx: an ignored error matches the case above
		return response.NoPage(query), nil
	default:
		return nil, err
	}
}

// maxErrorData is the maximum size, in bytes, of a response that becomes a single value.
const maxErrorData = 8 << 20

// errorData makes an object from a response that is not JSON. It is used if the
// configuration ignores the status of the response.
func (p *pipeline) errorData(res *httpclient.Response, query response.Query) (*response.Page, error) {
	if size := res.Body.Size(); size > maxErrorData {
		return nil, failure.Userf("the response is not JSON and has %d bytes, which is more than 'errorData' can hold", size)
	}
	text, damaged, err := res.Body.Text(query.Format)
	if err != nil {
		return nil, err
	}
	query.KeyAs, query.Parallel, query.Columns = "", false, response.Columns{}
	data := value.OfMembers(value.Member{Name: "errorData", Value: value.OfString(string(text))})
	p.pageEvents.add(event.ResponseIgnored{Job: p.endpoint, Status: res.Status, Text: "its body is not JSON and was used as errorData", JobPointer: p.Pointer})
	page, err := p.scanner.ScanValue(res.Body, data, query)
	if err == nil {
		page.Damaged = damaged
	}
	return page, err
}

// check makes the decisions about a page that need no row. It reports errors instead of
// data, an unlikely delimiter and missing data, and fails if the data is ambiguous.
func (p *pipeline) check(number int, res *httpclient.Response, page *response.Page) error {
	found, err := p.errorsOnly(number, res, page)
	if err != nil {
		return err
	}
	if found != nil {
		p.pageEvents.add(found)
	}
	switch {
	case page.Divided:
		p.pageEvents.add(event.ResponseDelimiter{Job: p.name, Page: number, Delimiter: page.OtherDelimiter, Pointer: p.format.Pointer, JobPointer: p.Pointer, Iteration: p.iteration})
	case page.OtherDelimiter != "":
		p.pageEvents.add(event.ConfigWarning{Pointer: p.format.Pointer, Text: fmt.Sprintf("the CSV response has one column, and its name contains %s: is this the 'delimiter'?", response.DelimiterName(page.OtherDelimiter))})
	}
	detected := p.DataField.Path == ""
	switch {
	case detected && len(page.Lists) > 1:
		const most = 10
		names := strings.Join(page.Lists[:min(len(page.Lists), most)], ", ")
		if more := len(page.Lists) - most; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		return failure.Userf("more than one list was found in the response (%s): set 'dataField' to the list with the data", names).At(p.Pointer)
	case detected && page.Root != value.Object && page.Root != value.Array && !page.NoBody:
		return failure.Userf("the response is a %s, expected an object or a list; set 'dataField' to '.' to use it as one value", page.Root).At(p.Pointer)
	case page.Rows == 0:
		p.pageEvents.add(event.DataEmpty{Job: p.endpoint, DataField: p.DataField.Path, Page: number, JobPointer: p.Pointer})
	}
	return nil
}

// evaluate evaluates the expressions that depend on a page: the user data, and the values
// to remember if it is the last page.
func (p *pipeline) evaluate(result *pageResult) (err error) {
	result.columns = p.columns
	if p.user.dependsOnPage() {
		scope, err := p.responseScope(result, "an expression of 'userData'", p.user.references)
		if err != nil {
			return err
		}
		if result.columns, err = p.columnsIn(scope); err != nil {
			return err
		}
	}
	if result.page.File {
		if result.manifest, err = p.fileManifest(result.response); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(p.remembers, func(m rememberEntry) bool { return m.path == "" }) {
		result.last, err = p.responseScope(result, "an expression of 'remember'", p.rememberReferences)
	}
	return err
}

// responseScope returns the scope of a job with the members and headers of a response
// that expressions refer to. where names the expressions in errors.
func (p *pipeline) responseScope(of *pageResult, where failure.Text, references func(expr.Context) []string) (*expr.Scope, error) {
	members := expr.Members{}
	for _, path := range references(expr.Response) {
		v, err := of.page.FieldFor(where, fieldPath(path))
		if err != nil {
			return nil, err
		}
		members[path] = v
	}
	heads := expr.HeaderMembers(of.response.Header, references(expr.ResponseHeader))
	return p.scope.With(expr.Response, members).With(expr.ResponseHeader, heads), nil
}

func fieldPath(path string) response.Path { return response.Path{Text: path, Separator: "."} }

// columnsIn returns the columns that are added to the rows: user data and parent columns.
func (p *pipeline) columnsIn(scope *expr.Scope) (columns []mapping.Column, err error) {
	err = p.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		columns, err = p.user.columns(scope)
		return err
	})
	return append(columns, parentColumns(p.placeholderValues)...), err
}

// store emits the events of a page, stores its rows and counts them. It returns the ids
// that the scroller needs.
func (p *pipeline) store(ctx context.Context, result *pageResult) (ids pagination.IDs, err error) {
	if p.Windows != nil {
		p.liveJob.Window(p.window.Number, p.window.of)
	}
	if err := p.ledger.report(result); err != nil || result.page == nil {
		return ids, err
	}
	ids, kept, err := p.storeRows(ctx, result)
	if err != nil {
		return ids, err
	}
	if !p.NotStored {
		if err := p.reportTruncated(result.number); err != nil {
			return ids, err
		}
	}
	p.ledger.stored(result.page.Rows, kept)
	if p.NotStored {
		kept = 0
	}
	p.liveJob.Page(kept)
	return ids, nil
}

// storeRows passes the rows that the row filter keeps to the tables. It returns the ids
// that the scroller needs, and the number of kept rows.
func (p *pipeline) storeRows(ctx context.Context, result *pageResult) (ids pagination.IDs, kept int, err error) {
	var rows pageRows // nil if the rows are only parents
	// An automatic table without rows does not exist and is not counted.
	if !p.NotStored && (p.ComputedDataType == nil || p.Mapping != "" || result.page.Rows > 0) {
		if rows, err = p.bucket.page(p.job, p.dataType, result.columns, pageOrigin{p.job, result.number, p.it.FailIncomplete}); err != nil {
			return ids, 0, err
		}
	}
	if p.naming != nil {
		if ids, err = p.ids(result.page); err != nil {
			return ids, 0, err
		}
	}
	for row, err := range p.rows.apply(p.naming.apply(result.page.Items())) {
		keep := false
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			keep, err = passes(p.rowFilter, row)
		}
		if keep && result.page.File && err == nil {
			row, err = p.files.add(row, result)
		}
		if keep && err == nil {
			kept++
			if err = p.itemNames.add(p.job, row); err == nil && rows != nil {
				err = rows.Row(row)
			}
		}
		if err != nil {
			return ids, kept, err
		}
		if keep {
			p.ledger.addRow(row)
		}
		if p.naming == nil {
			p.addID(&ids, row)
		}
	}
	return ids, kept, nil
}

// ids returns the ids that store returns, for a page that is not stored yet. The scroller
// reads them under the names of the response.
func (p *pipeline) ids(page *response.Page) (ids pagination.IDs, err error) {
	if p.itemID.Text == "" {
		return ids, nil
	}
	for row, err := range p.rows.apply(page.Items()) {
		if err != nil {
			return ids, err
		}
		p.addID(&ids, row)
	}
	return ids, nil
}

func (p *pipeline) addID(ids *pagination.IDs, row value.Packed) {
	if p.itemID.Text != "" {
		v, _ := row.At(p.itemID.Text, p.itemID.Separator)
		ids.Add(v)
	}
}

// reportTruncated reports incomplete lists in the items of a stored page.
func (p *pipeline) reportTruncated(page int) error {
	for _, one := range p.bucket.truncated() {
		if p.fetchesRest(one) {
			continue
		}
		found := event.ItemsTruncated{Job: p.name, Page: page, List: p.secrets.Mask(one.List), Flag: p.secrets.Mask(one.Flag), JobPointer: p.Pointer, Iteration: p.iteration}
		if err := p.ledger.emit(p.job, p.invocation, found); err != nil {
			return err
		}
	}
	return nil
}

// childrenWait reports whether the child jobs of a page must wait until it is stored,
// because only then the names of members are decided.
func (p *pipeline) childrenWait() bool { return p.naming != nil && len(p.children) > 0 }
