package engine

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evidence is what the answers to one run of a job say about whether all data
// was fetched.
type evidence struct {
	// last is the last page that was stored; indicators are those beside its data,
	// and link is where its header Link leads for the next page.
	last       paging.Page
	indicators []answer.Indicator
	link       string
	// largest is how many rows the largest page has, filled how many pages have
	// any.
	largest, filled int
	totals          []total
	// repeat is the page that was dropped, nil for none; repeatsList says whether
	// its data is a list.
	repeat      *paging.Repeat
	repeatsList bool
	// found is set when any answer had something at the path of the data; lists are
	// those of the first answer that had nothing there.
	found bool
	lists []string
}

// total is how many rows or pages there are in all, as the answers say.
type total struct {
	field string
	pages bool
	// configured is set when a setting names the field.
	configured bool
	// least is the smallest number in any answer: rows may come and go while they are
	// fetched.
	least int64
}

// observe adds a page that is stored.
func (v *evidence) observe(scroller paging.Scroller, res *exchange.Answer, page *answer.Page) {
	v.last = factsOf(res, page)
	v.indicators, v.link = nil, ""
	if res.Ignored {
		return // an error says nothing about pages
	}
	v.indicators = page.Indicators
	v.link, _ = paging.LinkTo("next", res.Link(), res.Asked())
	v.largest = max(v.largest, page.Rows)
	if page.Rows > 0 {
		v.filled++
	}
	if page.Found {
		v.found = true
	} else if v.lists == nil {
		v.lists = page.OtherLists
	}
	for _, t := range paging.Totals(scroller) {
		if number, err := page.Field(t.Path); err == nil {
			v.count(total{field: t.Path.Text, pages: t.Pages, configured: true}, number)
		}
	}
	for _, i := range page.Indicators {
		if i.Kind == answer.TotalRows {
			v.count(total{field: i.Place()}, i.Value)
		}
	}
}

// count adds what one answer says about a total. Anything but a positive integer is
// ignored.
func (v *evidence) count(t total, number value.Value) {
	digits := number.Kind() == value.String && strings.Trim(number.Raw(), "0123456789") == ""
	n, ok := number.Int()
	if !ok || n <= 0 || !digits && !number.IsInteger() {
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
// the smallest of all; nil when no answer had one.
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
// when the answer says that there is no other page.
func (v *evidence) next() (announced *answer.Indicator, none bool) {
	for i := range v.indicators {
		switch one := &v.indicators[i]; one.Kind {
		case answer.MorePages, answer.LastPage:
			yes, known := flagValue(one.Value)
			switch {
			case known && yes != (one.Kind == answer.MorePages):
				return nil, true
			case known && announced == nil:
				announced = one
			}
		case answer.NextPage:
			switch {
			case !leadsOn(one.Value):
				none = true
			case announced == nil || announced.Kind != answer.NextPage:
				announced = one // it says more than a flag
			}
		}
	}
	return announced, none && announced == nil
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
	if n, ok := v.Int(); ok && n <= 0 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(v.Text())) {
	case "", "null", "none", "false":
		return false
	default:
		return !v.Empty()
	}
}
