package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// findTables turns tables in JSON into lists of objects. It finds lists of rows with the
// column names in another list. If the response has no list of objects, it also finds
// objects of equally long lists.
func (d *configBuilder) findTables() {
	if d.format != jsonFormat {
		return
	}
	for i, one := range d.lists {
		for j, names := range d.lists {
			if rows, ok := withNames(one, names); ok && i != j {
				d.lists = append(slices.DeleteFunc(d.lists, func(l list) bool {
					return slices.Equal(l.keyPath, rows.keyPath) || slices.Equal(l.keyPath, names.keyPath)
				}), rows)
				return
			}
		}
	}
	if slices.ContainsFunc(d.lists, func(l list) bool { return l.objects > 0 }) {
		return
	}
	for _, l := range d.lists {
		if table, ok := parallel(d.root, l.keyPath); ok {
			d.lists = slices.DeleteFunc(d.lists, func(l list) bool {
				return len(l.keyPath) == len(table.keyPath)+1 && slices.Equal(l.keyPath[:len(table.keyPath)], table.keyPath)
			})
			d.lists = append(d.lists, table)
			return
		}
	}
}

// columnNames are members of an object that hold the name of a column.
var columnNames = []string{"name", "field", "fieldname", "columnname", "key", "id", "label", "title"}

// headings are parts of the names of lists with column names.
var headings = []string{"col", "field", "header", "name", "key", "label", "schema"}

// withNames turns a list of rows into objects. The names of their members are the texts
// in another list, or texts in the objects of that list.
func withNames(rows, names list) (list, bool) {
	way, ok := names.dotted()
	if _, also := rows.dotted(); !ok || !also || len(rows.keyPath) == 0 || len(rows.items) == 0 || len(names.keyPath) == 0 ||
		!slices.ContainsFunc(headings, func(part string) bool { return strings.Contains(textfmt.Letters(names.name()), part) }) {
		return list{}, false
	}
	for _, member := range append([]string{""}, columnNames...) {
		texts, path := names.items, way
		if member != "" {
			texts, path = inEach(names.items, member, way)
		}
		if !distinctTexts(texts) {
			continue
		}
		table := rows
		table.items, table.objects, table.columns = nil, len(rows.items), path
		for _, row := range rows.items {
			if row.Kind() != value.Array || row.Len() != len(texts) {
				return list{}, false
			}
			members := make([]value.Member, len(texts))
			for i, v := range row.Items() {
				members[i] = value.Member{Name: texts[i].Raw(), Value: v}
			}
			table.items = append(table.items, value.OfMembers(members...))
		}
		return table, true
	}
	return list{}, false
}

// inEach returns the values of a member in each item, and the path to them. It compares
// names by their letters only. It returns nil if an item lacks the member.
func inEach(items []value.Value, member, way string) (all []value.Value, path string) {
	for _, item := range items {
		for _, m := range item.Members() {
			if textfmt.Letters(m.Name) == member && !strings.Contains(m.Name, ".") {
				all, path = append(all, m.Value), strings.Join([]string{way, response.EveryItem, m.Name}, ".")
				break
			}
		}
	}
	if len(all) < len(items) {
		return nil, ""
	}
	return all, path
}

// distinctTexts reports whether values can be column names: at least two texts, all
// different and not empty.
func distinctTexts(all []value.Value) bool {
	seen := map[string]bool{}
	for _, v := range all {
		if v.Kind() != value.String || v.Raw() == "" || seen[v.Raw()] {
			return false
		}
		seen[v.Raw()] = true
	}
	return len(seen) > 1
}

// parallel turns the object around a list into a list of objects. All lists in the object
// must have the same number of scalars, at least two.
func parallel(response value.Value, at keyPath) (list, bool) {
	if _, ok := at.dotted(); !ok || len(at) < 2 {
		return list{}, false // at the root, equally long lists often are not one table
	}
	around, table := response, list{keyPath: slices.Clone(at[:len(at)-1]), parallel: true}
	for _, name := range table.keyPath {
		around = around.Field(name)
	}
	lists, rows := 0, 0
	for _, m := range around.Members() {
		if m.Value.Kind() != value.Array {
			continue
		}
		if lists++; lists == 1 {
			rows = m.Value.Len()
		}
		if m.Value.Len() != rows || slices.ContainsFunc(m.Value.Items(), func(v value.Value) bool { return !v.IsScalar() && !v.IsNull() }) {
			return list{}, false
		}
	}
	if lists < 2 || rows < 2 {
		return list{}, false
	}
	for i := range rows {
		var members []value.Member
		for _, m := range around.Members() {
			if m.Value.Kind() == value.Array {
				m.Value = m.Value.Items()[i]
			}
			members = append(members, m)
		}
		table.items = append(table.items, value.OfMembers(members...))
	}
	table.objects = rows
	return table, true
}

func (l list) tableEvidence() string {
	if l.parallel {
		return fmt.Sprintf("an object of lists that all have %s", textfmt.Count(len(l.items), "value"))
	}
	return fmt.Sprintf("a list of %s, with as many values in each as there are names at '%s'", textfmt.Count(len(l.items), "list"), l.columns)
}
