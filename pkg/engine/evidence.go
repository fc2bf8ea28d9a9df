package engine

import (
	"cmp"
	"errors"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evidence collects what the responses of a job run indicate about the completeness of
// its data.
type evidence struct {
	scroller  pagination.Scroller
	fromStart bool
	// last is the last stored page.
	last pagination.PageInfo
	// indicators are the members beside the data of the last page.
	indicators []response.Indicator
	// link is the next page in the header Link of the last page.
	link string
	// largest is the largest number of rows of a page. filled is the number of pages with
	// rows.
	largest, filled int
	totals          []total
	// rows is the number of rows of the current round, earlierRows of the rounds before it.
	// A job that does not start over has one round.
	rows, earlierRows int
	// border is the last row of the previous round, or nil. gap is the first border that did
	// not come again, or nil.
	border, gap *border
	// repeat is the dropped page, or nil.
	repeat *pagination.Repeat
	// found is true if a response has a value at the path of the data.
	found bool
	// otherLists are the paths of lists in the first response without a value at the path of
	// the data.
	otherLists []string
}

// leadsNowhere reports whether the path of the data is in no response, while there are
// lists at other paths. Other findings about these responses are consequences.
func (v *evidence) leadsNowhere() bool { return !v.found && len(v.otherLists) > 0 }

// total is the total number of rows or pages according to the responses.
type total struct {
	field string
	pages bool
	// configured is true if a setting names the field, header if the field is a header.
	configured, header bool
	// least is the smallest total in the responses. The total may change between two
	// responses.
	least int64
}

// label returns the name of the field for event.PlaceOf.
func (t total) label() string {
	if t.header {
		return "header " + t.field
	}
	return t.field
}

// begin sets the scroller of the run. fromStart is true if the first request of the job is
// for the first rows.
func (v *evidence) begin(scroller pagination.Scroller, fromStart bool) {
	v.scroller, v.fromStart = scroller, fromStart
}

// pages returns the last page and the number of rows of the largest page.
func (v *evidence) pages() (last pagination.PageInfo, largest int) { return v.last, v.largest }

// observe adds a page that will be stored.
func (v *evidence) observe(res *httpclient.Response, page *response.Page) {
	v.last = pagingPageOf(res, page)
	v.indicators, v.link = nil, ""
	v.rows += page.Rows
	if res.AcceptedError {
		return // an error response has no indicators
	}
	v.indicators = page.Indicators
	v.link, _ = pagination.LinkTo("next", res.Link(), res.RequestURL())
	v.largest = max(v.largest, page.Rows)
	if page.Rows > 0 {
		v.filled++
	}
	if page.Found {
		v.found = true
	} else if v.otherLists == nil {
		v.otherLists = page.OtherLists
	}
	for _, t := range v.scroller.Totals {
		if number, err := t.Value(res.Header, page.Field); err == nil {
			v.count(total{field: cmp.Or(t.Header, t.Path.Text), header: t.Header != "", pages: t.Pages, configured: true}, number)
		}
	}
	for _, i := range page.Indicators {
		if i.Kind == response.TotalRows {
			v.count(total{field: i.Place()}, i.Value)
		}
	}
	if !page.IsList() || !v.scroller.Single || page.File { // a total counts the rows in a file
		return
	}
	for _, name := range pagination.TotalHeaders() {
		if text := strings.TrimSpace(res.Header.Get(name)); text != "" {
			v.count(total{field: name, header: true}, value.OfString(text))
		}
	}
}

// startOver begins another round after a page. key is the hash of the key of its last row.
// Totals are compared for the last round only, because the API counts the rows of
// each round.
func (v *evidence) startOver(key uint64, page int) {
	v.gap = cmp.Or(v.gap, v.openBorder())
	v.border = &border{key: key, page: page}
	v.earlierRows, v.rows = v.earlierRows+v.rows, 0
	v.totals, v.filled, v.largest = nil, 0, 0
}

// compareBorder compares a row with the last row of the previous round.
func (v *evidence) compareBorder(key uint64) {
	if v.border != nil && v.border.key == key {
		v.border.found = true
	}
}

// openBorder returns the last row of the previous round if it has not come again in this
// round, otherwise nil.
func (v *evidence) openBorder() *border {
	if v.border == nil || v.border.found {
		return nil
	}
	return v.border
}

// pagingPageOf returns the input of the scroller for a page, as far as it depends on the
// response only.
func pagingPageOf(res *httpclient.Response, page *response.Page) pagination.PageInfo {
	return pagination.PageInfo{Root: page.Root, Rows: page.Rows, Volume: page.Volume, Field: page.Field, Compared: page.FieldForCondition, Header: res.Header, Address: res.RequestURL()}
}

// dropRepeat adds a page that was dropped because it repeats an earlier page.
func (v *evidence) dropRepeat(number int, page *response.Page, r *repeat) {
	v.repeat = &pagination.Repeat{Page: number, Earlier: r.earlier, Rows: page.Rows, Largest: v.largest, List: page.IsList(), Doubled: r.doubled, LeadsOn: r.leadsOn, Before: v.last}
}

// explainUnrecorded explains why a request is not in the recording of a replay. If the
// `dataField` is in no response, the job sends other requests than the recorded run.
func (v *evidence) explainUnrecorded(j *job, err error, mask func(string) string) error {
	if _, ok := errors.AsType[*har.UnrecordedError](err); !ok || !v.leadsNowhere() {
		return err
	}
	found := dataMissing(j, v.otherLists, mask)
	return failure.Userf("%s; so the next request differs from the recorded one: %w", event.MessageOf(found), err).At(found.Pointer)
}

// count adds a total of a response. It ignores values other than positive integers. A
// number like 250.0 counts only if a setting names the field, because otherwise it may be
// an amount of money.
func (v *evidence) count(t total, number value.Value) {
	digits := number.Kind() == value.String && strings.Trim(number.Raw(), "0123456789") == ""
	exact, ok := number.Decimal()
	if !ok || !digits && !number.IsInteger() && !(t.configured && exact.IsWhole()) {
		return
	}
	n, ok := exact.Int()
	if !ok || n <= 0 {
		return
	}
	for i := range v.totals {
		if known := &v.totals[i]; known.field == t.field && known.header == t.header && known.pages == t.pages {
			known.least = min(known.least, n)
			known.configured = known.configured || t.configured
			return
		}
	}
	t.least = n
	v.totals = append(v.totals, t)
}

// total returns the smallest total that a setting names. If settings name no total, it
// returns the smallest total, and without totals nil.
func (v *evidence) total() *total {
	var chosen *total
	for i := range v.totals {
		t := &v.totals[i]
		if chosen == nil || t.configured && !chosen.configured || t.configured == chosen.configured && t.least < chosen.least {
			chosen = t
		}
	}
	return chosen
}

// next returns the indicator of a page after the last page, or nil. none reports whether
// the response denies that there is another page.
func (v *evidence) next() (announced *response.Indicator, none bool) {
	for i := range v.indicators {
		switch one := &v.indicators[i]; one.Kind {
		case response.MorePages, response.LastPage:
			yes, known := announcesMore(*one)
			switch {
			case known && !yes:
				return nil, true
			case known && announced == nil:
				announced = one
			}
		case response.NextPage:
			switch {
			case !leadsOn(one.Value):
				none = true
			case announced == nil || announced.Kind != response.NextPage:
				announced = one // a link to the next page is more specific than a flag
			}
		}
	}
	return announced, none && announced == nil
}

// announcesMore returns the value of a flag about more pages. known is false if the
// indicator is not a flag.
func announcesMore(i response.Indicator) (yes, known bool) {
	if i.Kind != response.MorePages && i.Kind != response.LastPage {
		return false, false
	}
	switch strings.ToLower(i.Value.Text()) {
	case "true", "1":
		yes, known = true, true
	case "false", "0":
		yes, known = false, true
	default:
		yes, known = i.Value.True(), i.Value.Kind() == value.Bool
	}
	return yes == (i.Kind == response.MorePages), known
}

// flag returns the flag beside the data of the last page that announces more pages, or
// "".
func (v *evidence) flag() string {
	for _, one := range v.indicators {
		if yes, known := announcesMore(one); yes && known {
			return one.Place()
		}
	}
	return ""
}

// leadsOn reports whether a value can lead to a next page.
func leadsOn(v value.Value) bool {
	if n, ok := v.Decimal(); ok && n.Sign() <= 0 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(v.Text())) {
	case "", "null", "none", "false":
		return false
	default:
		return !v.Empty()
	}
}
