package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The usual names of parameters, and of members of a response that repeat them, as
// textfmt.Letters returns them.
var (
	offsetNames = []string{"offset", "skip", "start", "startat", "startindex", "startposition", "firstresult", "from", "pageoffset"}
	pageNames   = []string{"page", "p", "pg", "pagenumber", "pageno", "pagenum", "pageindex", "currentpage"}
	limitNames  = []string{"limit", "count", "size", "perpage", "pagesize", "maxresults", "top", "take", "rows", "pagelimit", "itemsperpage", "resultsperpage", "length", "num"}
	totalNames  = []string{"total", "totalcount", "totalresults", "totalitems", "totalrecords", "totalrows", "recordstotal", "numfound", "itemcount", "resultcount", "totalelements", "count"}
)

// paramNumber returns the first parameter of the request that has one of the names and a
// whole number.
func (d *configBuilder) paramNumber(names []string) (name string, n int64, ok bool) {
	for _, m := range d.params {
		if n, isNumber := wholeNumber(m.Value); isNumber && slices.Contains(names, textfmt.Letters(m.Name)) {
			return m.Name, n, true
		}
	}
	return "", 0, false
}

// factNumber returns the first whole number of the response with one of the names.
func (d *configBuilder) factNumber(names []string) (f scalarFact, n int64, ok bool) {
	for _, f := range d.factsOutsideData() {
		if n, isNumber := wholeNumber(f.value); isNumber && slices.Contains(names, textfmt.Letters(f.name())) {
			return f, n, true
		}
	}
	return scalarFact{}, 0, false
}

func wholeNumber(v value.Value) (int64, bool) {
	n, ok := v.Int()
	return n, ok && n >= 0 && (v.IsInteger() || v.Kind() == value.String && digits().MatchString(v.Raw()))
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+$`) })

// total returns the path and the value of the total number of items. The total is at
// least the number of items on the page.
func (d *configBuilder) total() (path string, n int64, ok bool) {
	for _, f := range d.factsOutsideData() {
		n, isNumber := wholeNumber(f.value)
		name := textfmt.Letters(f.name())
		if name == "value" {
			name = textfmt.Letters(f.parent()) // {"total": {"value": 10}}
		}
		least := int64(len(d.data.items))
		if name == "count" {
			least++ // an equal count may be the size of the page
		}
		path, dotted := f.dotted()
		if isNumber && dotted && n >= least && n > 0 && slices.Contains(totalNames, name) {
			return path, n, true
		}
	}
	return "", 0, false
}

// headerTotal returns the name of the header with the total number of items, and its value.
func (d *configBuilder) headerTotal() (name string, n int64, ok bool) {
	for _, name := range pagination.TotalHeaders() {
		n, isNumber := wholeNumber(value.OfString(strings.TrimSpace(d.x.ResponseHeader.Get(name))))
		if isNumber && n > 0 && n >= int64(len(d.data.items)) {
			return name, n, true
		}
	}
	return "", 0, false
}

// addLimits adds the page size and the stoppers to a pager for offset or pagenum.
func (d *configBuilder) addLimits(p *pager) *pager {
	items := int64(len(d.data.items))
	path, total, counted := d.total()
	header := ""
	if !counted {
		header, total, counted = d.headerTotal()
	}
	param, asked, isAsked := d.paramNumber(limitNames)
	f, stated, isStated := d.factNumber(limitNames)
	limit, untilEmpty := int64(0), false
	switch {
	case isAsked && asked > 0:
		limit = asked
		p.replaced = append(p.replaced, param)
		p.evidence += fmt.Sprintf("; '%s' requests %d", param, asked)
		if isStated && stated > 0 && stated < asked && stated >= items {
			limit = stated
			p.evidence += fmt.Sprintf(", of which the API allows %d", stated)
		} else if counted && items > 0 && items < asked && total > items {
			limit = items
			p.evidence += fmt.Sprintf(", of which the API returned %d of %d", items, total)
		} else if !counted && items < asked {
			untilEmpty = true
			p.evidence += fmt.Sprintf(", and the API returned %d: the last page or the maximum, so pages are requested until one is empty", items)
			p.note = "The page has fewer items than requested, and no total says whether there are more. A run requests pages until one is empty ('lastPage'). If the API responds to the request after the last page with an error other than 404, add a rule to the job, such as \"rules\": [{\"status\": 400, \"do\": \"skip\"}]. If this was the last page and the API returns as many items as 'limit' requests, remove 'lastPage', which saves a request."
		}
	case isStated && stated > 0 && stated >= items && textfmt.Letters(f.name()) != "count":
		limit, param = stated, f.name()
		p.evidence += fmt.Sprintf("; '%s' of the response is the page size", strings.Join(f.keyPath, "."))
	}
	if limit > 0 {
		p.setNumber(pagination.Limit, limit)
		p.setText(pagination.LimitParam, param)
	}
	if untilEmpty {
		p.setText(pagination.LastPage, pagination.UntilEmpty)
	}
	switch {
	case header != "":
		in := pagination.TotalInHeader(header)
		p.settings.set(in.Name, in.Value)
		p.evidence += fmt.Sprintf("; the header %s is the total number of items (%d)", header, total)
	case counted:
		p.settings.set(pagination.LimitStop.Name, one(pagination.LimitStopField.Name, value.OfString(path)))
		p.evidence += fmt.Sprintf("; '%s' is the total number of items (%d)", path, total)
	}
	return p
}

// offsetParam finds an offset among the parameters.
func offsetParam(d *configBuilder) *pager {
	name, n, ok := d.paramNumber(offsetNames)
	if !ok {
		return nil
	}
	if _, _, sized := d.paramNumber(limitNames); !sized && slices.Contains([]string{"from", "start"}, textfmt.Letters(name)) {
		return nil // without a page size, these are more often times
	}
	p := newPager("offset", sure, fmt.Sprintf("the request has the parameter '%s'", name))
	return d.addLimits(d.setOffset(p, name, n))
}

// setOffset adds the name of the parameter and the first offset.
func (d *configBuilder) setOffset(p *pager, name string, n int64) *pager {
	p.setText(pagination.OffsetParam, name)
	p.replaced = append(p.replaced, name)
	switch {
	case n == 1 && slices.Contains([]string{"startindex", "startposition"}, textfmt.Letters(name)):
		p.setFlag(pagination.OffsetFromJob)
		p.added = []value.Member{{Name: name, Value: value.OfInt(1)}}
		p.evidence += ", which begins at 1"
	case n > 0:
		p.evidence += fmt.Sprintf(" (%d in the example, the run begins at 0)", n)
	}
	return p
}

func offsetResponse(d *configBuilder) *pager {
	f, n, ok := d.factNumber(offsetNames)
	_, _, limited := d.factNumber(limitNames)
	_, _, counted := d.total()
	if !ok || !limited && !counted {
		return nil
	}
	p := newPager("offset", likely, fmt.Sprintf("the response repeats '%s', which is probably a parameter", strings.Join(f.keyPath, ".")))
	return d.addLimits(d.setOffset(p, f.name(), n))
}

func pageParam(d *configBuilder) *pager {
	name, n, ok := d.paramNumber(pageNames)
	if !ok {
		return nil
	}
	p := newPager("pagenum", sure, fmt.Sprintf("the request has the parameter '%s'", name))
	return d.addLimits(d.setPage(p, name, n))
}

func (d *configBuilder) setPage(p *pager, name string, n int64) *pager {
	first := min(n, 1)
	p.setNumber(pagination.FirstPage, first)
	p.setText(pagination.PageParam, name)
	p.replaced = append(p.replaced, name)
	if n > first {
		p.evidence += fmt.Sprintf(" (%d in the example, the run begins at %d)", n, first)
	}
	return p
}

// pageResponse finds a page number that the response repeats.
func pageResponse(d *configBuilder) *pager {
	f, n, ok := d.factNumber(append([]string{"number"}, pageNames...))
	_, _, limited := d.factNumber(limitNames)
	_, _, counted := d.total()
	_, _, pages := d.factNumber([]string{"totalpages", "pages", "pagecount", "lastpage", "numpages"})
	if !ok || !limited && !counted && !pages || textfmt.Letters(f.name()) == "number" && !pages {
		return nil
	}
	name := f.name()
	switch textfmt.Letters(name) {
	case "currentpage", "number":
		name = "page"
	}
	p := newPager("pagenum", likely, fmt.Sprintf("the response repeats '%s', which is probably the parameter '%s'", strings.Join(f.keyPath, "."), name))
	return d.addLimits(d.setPage(p, name, n))
}
