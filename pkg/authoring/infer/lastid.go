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
	key, ok := d.anyID()
	if !ok {
		return nil
	}
	for _, m := range d.params {
		reverse, known := cursorNames[textfmt.Letters(m.Name)]
		if _, isNumber := wholeNumber(m.Value); known && !isNumber && !m.Value.Empty() {
			p := newPager("cursor", Likely, fmt.Sprintf("the request has the parameter '%s', and '%s' is different in each item; the run begins at %s, as the example", m.Name, key, m.Value.Text()))
			return d.setLastItem(p, key, m.Name, reverse)
		}
	}
	_, path, _, flagged := d.moreFlag()
	if object := d.root.Field("object"); !flagged || object.Raw() != "list" {
		return nil
	}
	for _, m := range d.params {
		if reverse, known := cursorNames[textfmt.Letters(m.Name)]; known { // a parameter without a value
			return d.setLastItem(newPager("cursor", Sure, fmt.Sprintf("the request has the parameter '%s', and '%s' says whether there is more", m.Name, path)), key, m.Name, reverse)
		}
	}
	return d.setLastItem(newPager("cursor", Likely, fmt.Sprintf("'%s' says whether there is more, and the response looks like Stripe's, where 'starting_after' requests what comes after an id", path)), key, "starting_after", false)
}

// lastIDGuess finds a flag for more pages if the exchange does not show how to request
// the next page.
func lastIDGuess(d *configBuilder) *pager {
	key, ok := d.anyID()
	_, path, _, flagged := d.moreFlag()
	if !ok || !flagged {
		return nil
	}
	return d.setLastItem(newPager("cursor", Unsure, fmt.Sprintf("'%s' says whether there is more, and nothing else leads on; that 'starting_after' requests what comes after an id is only usual, look it up in the documentation", path)), key, "starting_after", false)
}

// setLastItem makes the id of the last item the cursor of the next page. With reverse,
// the id of the first item is the cursor.
func (d *configBuilder) setLastItem(p *pager, key, param string, reverse bool) *pager {
	p.setText(pagination.IDKey, key)
	p.setText(pagination.CursorParam, param)
	p.setText(pagination.IDType, pagination.TextIDs)
	if reverse {
		p.setFlag(pagination.Reverse)
	}
	p.needsFlag = true
	return p
}

// anyID returns the best key of the items.
func (d *configBuilder) anyID() (string, bool) {
	if keys := d.keys(); len(keys) > 0 {
		return keys[0].name, true
	}
	return "", false
}
