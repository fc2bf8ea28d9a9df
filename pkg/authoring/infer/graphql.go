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

// variablesParam is the parameter that holds the variables of a GraphQL query.
const variablesParam = "variables"

// afterVariable matches the argument `after` of a connection and captures the name of its
// variable.
var afterVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bafter\s*:\s*\$(\w+)`) })

// graphQLPaging finds the cursor of a connection. The cursor becomes the value of one
// variable of the query; the other variables stay.
func graphQLPaging(d *configBuilder) *pager {
	info := d.pageInfo()
	more, hasMore := findFact(info, "hasnextpage")
	variable := d.cursorVariable()
	cursor, ok := findFact(info, "endcursor", "nextcursor", textfmt.Letters(variable), "cursor")
	switch {
	case variable == "" && len(info) > 0:
		d.note("GraphQL: no variable of the query accepts a cursor. Add one, as in query($after: String) { orders(first: 100, after: $after) … }, with the variables {\"after\": null}; see the recipe graphql.")
		return nil
	case !ok && hasMore:
		d.note(fmt.Sprintf("GraphQL: '%s' reports whether there are more pages, but the query does not request a cursor. Add endCursor, as in pageInfo { hasNextPage endCursor }; see the recipe graphql.", strings.Join(more.keyPath, ".")))
		return nil
	case !ok:
		return nil
	}
	from, dotted := cursor.dotted()
	if !dotted {
		return nil
	}
	p := newPager("response.param", sure, fmt.Sprintf("'%s' is the cursor of the page, and the query accepts one as $%s; the other variables stay", from, variable))
	p.setText(pagination.ResponseParam, from)
	p.setText(pagination.QueryParam, variablesParam+"."+variable)
	p.setText(pagination.ParamDelimiter, ".")
	p.setFlag(pagination.IncludeParams)
	d.addConnectionEnd(p, more, hasMore)
	d.beginConnection(p, variable)
	return p
}

// addConnectionEnd adds the stopper of a connection: a flag, or the total number of items.
func (d *configBuilder) addConnectionEnd(p *pager, more scalarFact, hasMore bool) {
	if hasMore {
		flag, _ := more.dotted()
		p.flagStop(flag, false)
		p.evidence += fmt.Sprintf("; '%s' reports whether there is more", flag)
		return
	}
	around := strings.Join(d.data.keyPath[:len(d.data.keyPath)-1], ".")
	if total, _, ok := d.total(); ok && strings.HasPrefix(total, around) {
		p.settings.set(pagination.LimitStop.Name, one(pagination.LimitStopField.Name, value.OfString(total)))
		p.evidence += fmt.Sprintf("; '%s' is the total number of items", total)
		return
	}
	p.note = "GraphQL: request hasNextPage, too, as in pageInfo { hasNextPage endCursor }: without it one more request is sent after the last page."
}

// beginConnection clears the cursor in the variables, because the run must begin at the
// first page.
func (d *configBuilder) beginConnection(p *pager, variable string) {
	variables, _ := d.param(variablesParam)
	own, ok := variables.Get(variable)
	if !ok || own.IsNull() {
		return
	}
	p.replaced = []string{variablesParam}
	p.added = []value.Member{{Name: variablesParam, Value: variables.With(variable, value.Value{})}}
	p.evidence += " (the example has a cursor, the run begins without one)"
}

// pageInfo returns the members of the object pageInfo next to the data.
func (d *configBuilder) pageInfo() []scalarFact {
	around := d.data.keyPath[:len(d.data.keyPath)-1]
	var info []scalarFact
	for _, f := range d.facts {
		if len(f.keyPath) == len(around)+2 && slices.Equal(f.keyPath[:len(around)], around) && textfmt.Letters(f.parent()) == "pageinfo" {
			info = append(info, f)
		}
	}
	return info
}

// cursorVariable returns the variable that takes the cursor: the variable after `after:`
// in the query, or a variable with a usual name. It returns "" if there is no such
// variable.
func (d *configBuilder) cursorVariable() string {
	query, _ := d.param("query")
	if match := afterVariable().FindStringSubmatch(query.Raw()); match != nil {
		return match[1]
	}
	variables, _ := d.param(variablesParam)
	for _, m := range variables.Members() {
		if slices.Contains([]string{"after", "cursor", "endcursor", "aftercursor", "nextcursor"}, textfmt.Letters(m.Name)) && !strings.Contains(m.Name, ".") {
			return m.Name
		}
	}
	return ""
}

// findFact returns the first fact with the first of the names that any fact has.
func findFact(facts []scalarFact, names ...string) (scalarFact, bool) {
	for _, name := range names {
		if i := slices.IndexFunc(facts, func(f scalarFact) bool { return name != "" && textfmt.Letters(f.name()) == name }); i >= 0 {
			return facts[i], true
		}
	}
	return scalarFact{}, false
}
