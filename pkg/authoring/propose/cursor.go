package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// cursorNames are parameters that hold an id, and whether items have smaller
// ones.
var cursorNames = map[string]bool{
	"sinceid": false, "afterid": false, "after": false, "minid": false, "fromid": false, "lastid": false, "startingafter": false,
	"maxid": true, "beforeid": true, "before": true, "endingbefore": true,
}

// cursorParam finds a parameter that asks for items behind an id.
func cursorParam(d *draft) *pager {
	for _, m := range d.params {
		reverse, known := cursorNames[squash(m.Name)]
		if _, isNumber := wholeNumber(m.Value); !known || !isNumber && m.Value.Raw() != "" {
			continue
		}
		key, ok := d.numericID()
		if !ok {
			continue
		}
		p := newPager("cursor", Likely, fmt.Sprintf("the request has the parameter '%s', and '%s' of each item is a whole number", m.Name, key))
		d.cursor(p, key, m.Name, reverse)
		if !m.Value.Empty() {
			p.evidence += fmt.Sprintf("; the run begins at %s, as the example", m.Value.Text())
		}
		return p
	}
	return nil
}

func (d *draft) cursor(p *pager, key, param string, reverse bool) {
	p.text(paging.IDKey, key)
	p.text(paging.CursorParam, param)
	if reverse {
		p.flag(paging.Reverse)
	}
	switch squash(param) {
	case "maxid":
		p.number(paging.Increment, -1)
	case "minid", "fromid":
		p.number(paging.Increment, 1)
	}
}

// numericID is a property that is a whole number in every item: id, or one
// whose name ends like it.
func (d *draft) numericID() (string, bool) {
	for _, key := range d.keys() {
		if key.numeric {
			return key.name, true
		}
	}
	return "", false
}

// newestFirst finds full pages of items whose ids get smaller.
func newestFirst(d *draft) *pager {
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
	p := newPager("cursor", Unsure, fmt.Sprintf("the page is full and '%s' gets smaller from item to item: the newest come first; 'max_id' is only usual, look in the documentation how to ask for older items", key))
	d.cursor(p, key, "max_id", true)
	return p
}

// graphQLPaging finds an object of the answer that can be sent back as the
// variables of the query.
func graphQLPaging(d *draft) *pager {
	variables, _ := d.param("variables")
	if !d.graphQL() {
		return nil
	}
	parent := d.data.place[:len(d.data.place)-1]
	var info []fact
	for _, f := range d.facts {
		if len(f.place) == len(parent)+2 && slices.Equal(f.place[:len(parent)], parent) && squash(f.parent()) == "pageinfo" {
			info = append(info, f)
		}
	}
	if len(info) == 0 {
		return nil
	}
	for _, f := range info {
		if _, ok := variables.Get(f.name()); !ok {
			d.note("GraphQL: give the cursor in pageInfo the name of its variable, and leave the rest of pageInfo out, as in pageInfo { after: endCursor }; see the recipe graphql.")
			return nil
		}
	}
	path := place(info[0].place[:len(info[0].place)-1])
	from, ok := path.dotted()
	if !ok {
		return nil
	}
	p := newPager("response.param", Sure, fmt.Sprintf("everything in '%s' is a variable of the query", from))
	p.text(paging.ResponseParam, from)
	p.text(paging.QueryParam, "variables")
	p.flag(paging.IncludeParams)
	if total, _, ok := d.total(); ok && strings.HasPrefix(total, strings.Join(parent, ".")) {
		p.settings.set(paging.LimitStop.Name, one(paging.LimitStopField.Name, value.OfString(total)))
		p.evidence += fmt.Sprintf("; '%s' is the number of all items", total)
	} else {
		p.note = "GraphQL: an object always counts as a next page. Ask for totalCount in the query and stop by it, as the recipe graphql does."
	}
	return p
}
