package infer

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Names of flags in a response, as textfmt.Letters returns them.
var (
	moreNames = []string{"hasmore", "hasnext", "hasnextpage", "more", "moreavailable", "moreitems"}
	lastNames = []string{"islast", "islastpage", "last", "lastpage", "done", "finished"}
)

// besideNames are objects with facts about pages, as textfmt.Letters returns them.
var besideNames = []string{"meta", "metadata", "paging", "pagination", "pager", "page", "pageinfo", "links", "responsemetadata", "resultinfo", "cursor", "cursors"}

// moreFlag returns the flag in the response that shows whether there are more pages. last
// is true if the flag is true on the last page.
func (d *configBuilder) moreFlag() (f scalarFact, path string, last, ok bool) {
	for _, f := range d.factsOutsideData() {
		path, dotted := f.dotted()
		if f.value.Kind() != value.Bool || !dotted || len(f.keyPath) > 1 && !slices.Contains(besideNames, textfmt.Letters(f.parent())) {
			continue
		}
		name := textfmt.Letters(f.name())
		if last := slices.Contains(lastNames, name); last || slices.Contains(moreNames, name) {
			return f, path, last, true
		}
	}
	return scalarFact{}, "", false, false
}

// lastID finds pagination by the id of the last item. The request has a parameter with an
// id that is not a number; or the response looks like a response of Stripe and has a flag
// for more pages. In the second case the parameter is an empty parameter of the request
// or "starting_after".
func lastID(d *configBuilder) *pager {
	key, ok := d.bestKey(false)
	if !ok {
		return nil
	}
	for _, m := range d.params {
		reverse, known := cursorNames[textfmt.Letters(m.Name)]
		if _, isNumber := wholeNumber(m.Value); known && !isNumber && !m.Value.Empty() {
			p := newPager("cursor", likely, fmt.Sprintf("the request has the parameter '%s', and '%s' is different in each item; the run begins at %s, like the example", m.Name, key, m.Value.Text()))
			return p.setLastItem(key, m.Name, reverse)
		}
	}
	_, path, _, flagged := d.moreFlag()
	if object := d.root.Field("object"); !flagged || object.Raw() != "list" {
		return nil
	}
	for _, m := range d.params {
		if reverse, known := cursorNames[textfmt.Letters(m.Name)]; known { // a parameter without a value
			return newPager("cursor", sure, fmt.Sprintf("the request has the parameter '%s', and '%s' reports whether there is more", m.Name, path)).setLastItem(key, m.Name, reverse)
		}
	}
	return newPager("cursor", likely, fmt.Sprintf("'%s' reports whether there is more, and the response looks like Stripe's, where 'starting_after' requests the items after an id", path)).setLastItem(key, "starting_after", false)
}

// lastIDGuess finds a flag for more pages if the exchange does not show how to request
// the next page.
func lastIDGuess(d *configBuilder) *pager {
	key, ok := d.bestKey(false)
	_, path, _, flagged := d.moreFlag()
	if !ok || !flagged {
		return nil
	}
	return newPager("cursor", unsure, fmt.Sprintf("'%s' reports whether there is more, but nothing shows how to request it; that 'starting_after' requests the items after an id is a guess, look it up in the documentation", path)).setLastItem(key, "starting_after", false)
}

// setLastItem makes the id of the last item the cursor of the next page. With reverse,
// the id of the first item is the cursor.
func (p *pager) setLastItem(key, param string, reverse bool) *pager {
	p.setCursor(key, param, pagination.TextIDs, reverse)
	p.needsFlag = true
	return p
}
