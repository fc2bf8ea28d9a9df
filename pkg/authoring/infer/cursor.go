package infer

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// cursorNames maps parameters that hold an id to true if the next items have smaller ids.
var cursorNames = map[string]bool{
	"sinceid": false, "afterid": false, "after": false, "minid": false, "fromid": false, "lastid": false, "startingafter": false,
	"maxid": true, "beforeid": true, "before": true, "endingbefore": true,
}

// cursorParam finds a parameter that requests items after an id.
func cursorParam(d *configBuilder) *pager {
	for _, m := range d.params {
		reverse, known := cursorNames[textfmt.Letters(m.Name)]
		if _, isNumber := wholeNumber(m.Value); !known || !isNumber && m.Value.Raw() != "" {
			continue
		}
		key, ok := d.bestKey(true)
		if !ok {
			continue
		}
		p := newPager("cursor", likely, fmt.Sprintf("the request has the parameter '%s', and '%s' of each item is a whole number", m.Name, key))
		p.setNumericCursor(key, m.Name, reverse)
		if !m.Value.Empty() {
			p.evidence += fmt.Sprintf("; the run begins at %s, like the example", m.Value.Text())
		}
		return p
	}
	return nil
}

// setCursor makes an id the cursor of the next page. idType is "" for whole numbers.
func (p *pager) setCursor(key, param, idType string, reverse bool) {
	p.setText(pagination.IDKey, key)
	p.setText(pagination.CursorParam, param)
	if idType != "" {
		p.setText(pagination.IDType, idType)
	}
	if reverse {
		p.setFlag(pagination.Reverse)
	}
}

// setNumericCursor makes a whole number the cursor. It accounts for parameters that include
// the item with the id.
func (p *pager) setNumericCursor(key, param string, reverse bool) {
	p.setCursor(key, param, "", reverse)
	switch textfmt.Letters(param) {
	case "maxid":
		p.setNumber(pagination.Increment, -1)
	case "minid", "fromid":
		p.setNumber(pagination.Increment, 1)
	}
}

// bestKey returns the best property that is different in every item. With numeric it must be
// a whole number.
func (d *configBuilder) bestKey(numeric bool) (string, bool) {
	for _, key := range d.keys() {
		if key.numeric || !numeric {
			return key.name, true
		}
	}
	return "", false
}

// newestFirst finds full pages with ids in descending order.
func newestFirst(d *configBuilder) *pager {
	key, ok := d.bestKey(true)
	if !ok || len(d.data.items) < 2 || !d.fullPage() {
		return nil
	}
	for i, item := range d.data.items[1:] {
		before, _ := d.data.items[i].Field(key).Int()
		if n, _ := item.Field(key).Int(); n >= before {
			return nil
		}
	}
	p := newPager("cursor", unsure, fmt.Sprintf("the page is full and '%s' decreases from item to item, so the newest items come first; that 'max_id' requests older items is a guess, look it up in the documentation", key))
	p.setNumericCursor(key, "max_id", true)
	return p
}
