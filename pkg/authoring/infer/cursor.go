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
		key, ok := d.numericID()
		if !ok {
			continue
		}
		p := newPager("cursor", Likely, fmt.Sprintf("the request has the parameter '%s', and '%s' of each item is a whole number", m.Name, key))
		d.setCursor(p, key, m.Name, reverse)
		if !m.Value.Empty() {
			p.evidence += fmt.Sprintf("; the run begins at %s, as the example", m.Value.Text())
		}
		return p
	}
	return nil
}

func (d *configBuilder) setCursor(p *pager, key, param string, reverse bool) {
	p.setText(pagination.IDKey, key)
	p.setText(pagination.CursorParam, param)
	if reverse {
		p.setFlag(pagination.Reverse)
	}
	switch textfmt.Letters(param) {
	case "maxid":
		p.setNumber(pagination.Increment, -1)
	case "minid", "fromid":
		p.setNumber(pagination.Increment, 1)
	}
}

// numericID returns the best property that is a whole number and different in every item.
func (d *configBuilder) numericID() (string, bool) {
	for _, key := range d.keys() {
		if key.numeric {
			return key.name, true
		}
	}
	return "", false
}

// newestFirst finds full pages with ids in descending order.
func newestFirst(d *configBuilder) *pager {
	key, ok := d.numericID()
	if !ok || len(d.data.items) < 2 || !d.fullPage() {
		return nil
	}
	for i, item := range d.data.items[1:] {
		before, _ := d.data.items[i].Field(key).Int()
		if n, _ := item.Field(key).Int(); n >= before {
			return nil
		}
	}
	p := newPager("cursor", Unsure, fmt.Sprintf("the page is full and '%s' gets smaller from item to item: the newest come first; 'max_id' is only usual, look in the documentation how to request older items", key))
	d.setCursor(p, key, "max_id", true)
	return p
}
