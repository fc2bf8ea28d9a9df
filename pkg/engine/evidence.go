package engine

import (
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evidence is what the responses to one run of a job say about whether all data
// was fetched.
type evidence struct {
	// last is the last page that was stored; indicators are those beside its data,
	// and link is where its header Link leads for the next page.
	last       pagination.PageInfo
	indicators []response.Indicator
	link       string
	// largest is how many rows the largest page has, filled how many pages have
	// any.
	largest, filled int
	totals          []total
	// repeat is the dropped page, or nil.
	repeat *pagination.Repeat
	// found is set when any response had something at the path of the data; lists are
	// those of the first response that had nothing there.
	found bool
	lists []string
}

// leadsNowhere reports whether no response had anything at the path of the data, while there
// are lists at other paths. Other findings about these responses are consequences.
func (v *evidence) leadsNowhere() bool { return !v.found && len(v.lists) > 0 }

// total is how many rows or pages there are in all, as the responses say.
type total struct {
	field string
	pages bool
	// configured is set when a setting names the field, header if it is a header.
	configured, header bool
	// least is the smallest number in any response: rows may come and go while they are
	// fetched.
	least int64
}

// observe adds a page that is stored.
func (v *evidence) observe(scroller pagination.Scroller, res *httpclient.Response, page *response.Page) {
	v.last = pagingPageOf(res, page)
	v.indicators, v.link = nil, ""
	if res.AcceptedError {
		return // an error says nothing about pages
	}
	v.indicators = page.Indicators
	v.link, _ = pagination.LinkTo("next", res.Link(), res.RequestURL())
	v.largest = max(v.largest, page.Rows)
	if page.Rows > 0 {
		v.filled++
	}
	if page.Found {
		v.found = true
	} else if v.lists == nil {
		v.lists = page.OtherLists
	}
	for _, t := range pagination.Totals(scroller) {
		if number, err := page.Field(t.Path); err == nil {
			v.count(total{field: t.Path.Text, pages: t.Pages, configured: true}, number)
		}
	}
	for _, i := range page.Indicators {
		if i.Kind == response.TotalRows {
			v.count(total{field: i.Place()}, i.Value)
		}
	}
	if page.IsList() && !pagination.Pages(scroller) {
		v.countHeaders(res.Header)
	}
}

// countHeaders counts the totals in the headers of a response.
func (v *evidence) countHeaders(header http.Header) {
	for _, name := range []string{"X-Total-Count", "X-Total", "Total-Count", "X-WP-Total", "X-Pagination-Total"} {
		if text := strings.TrimSpace(header.Get(name)); text != "" {
			v.count(total{field: name, header: true}, value.OfString(text))
		}
	}
}

// count adds what one response says about a total. Anything but a positive integer is
// ignored. Where no setting names the field, 250.0 may be an amount of money.
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
		if known := &v.totals[i]; known.field == t.field && known.pages == t.pages {
			known.least = min(known.least, n)
			known.configured = known.configured || t.configured
			return
		}
	}
	t.least = n
	v.totals = append(v.totals, t)
}

// total is the total to compare with: the smallest of those that settings name, else
// the smallest of all; nil when no response had one.
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

// next is what announces a page after the last one, nil for nothing. none is set
// when the response says that there is no other page.
func (v *evidence) next() (announced *response.Indicator, none bool) {
	for i := range v.indicators {
		switch one := &v.indicators[i]; one.Kind {
		case response.MorePages, response.LastPage:
			yes, known := flagValue(one.Value)
			switch {
			case known && yes != (one.Kind == response.MorePages):
				return nil, true
			case known && announced == nil:
				announced = one
			}
		case response.NextPage:
			switch {
			case !leadsOn(one.Value):
				none = true
			case announced == nil || announced.Kind != response.NextPage:
				announced = one // it says more than a flag
			}
		}
	}
	return announced, none && announced == nil
}

// flag returns the flag beside the data of the last page that announces more pages, or "".
func (v *evidence) flag() string {
	for _, one := range v.indicators {
		yes, known := flagValue(one.Value)
		if known && (one.Kind == response.MorePages && yes || one.Kind == response.LastPage && !yes) {
			return one.Place()
		}
	}
	return ""
}

// flagValue is the meaning of a flag; known is false when a value is not a flag.
func flagValue(v value.Value) (yes, known bool) {
	switch strings.ToLower(v.Text()) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	default:
		return v.True(), v.Kind() == value.Bool
	}
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
