package platformapi

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func (f *fields) failAt(name string, i int, item *fields) {
	if item.err != nil {
		f.fail("%s[%d]: %s", name, i, item.err)
	}
}

// objects returns the items of a list of objects. Other members than the given names are
// errors.
func (f *fields) objects(name string, members ...string) []value.Value {
	items := f.list(name)
	if len(items) > maxFilters {
		f.fail("%q has %d items, at most %d are possible", name, len(items), maxFilters)
		return nil
	}
	for i, item := range items {
		if item.Kind() != value.Object {
			f.fail("%s[%d] must be an object, not %s", name, i, item.Kind().WithArticle())
			return nil
		}
		for _, m := range item.Members() {
			if !slices.Contains(members, m.Name) {
				f.fail("%s[%d] has the unknown member %.100q, expected %s", name, i, m.Name, quoted(members))
			}
		}
	}
	return items
}

// scalars returns a list of texts and numbers as texts. A single value counts as a list.
func (f *fields) scalars(name string) []string {
	v, given := f.get(name)
	if !given {
		return nil
	}
	items := []value.Value{v}
	if v.Kind() == value.Array {
		items = v.Items()
	}
	var texts []string
	for _, item := range items {
		if item.Kind() != value.String && item.Kind() != value.Number {
			f.fail("%q must be a list of texts and numbers, found %s", name, item.Kind().WithArticle())
			return nil
		}
		texts = append(texts, item.Raw())
	}
	return texts
}

func (f *fields) columnIndex(t store.Table, column string) int {
	index := slices.IndexFunc(t.Columns, func(c store.Column) bool { return c.Name == column })
	if index < 0 {
		f.fail("Column %.300q does not exist", column)
	}
	return index
}

// isNumeric reports whether a data type compares as numbers. Without a data type, cells
// compare as texts.
func (f *fields) isNumeric(dataType string) bool {
	if dataType != "" && !slices.Contains(numericTypes(), dataType) {
		f.fail(`"dataType" must be one of %s, found %.100q`, quoted(numericTypes()), dataType)
	}
	return dataType != ""
}

func (f *fields) condition(t store.Table, column, operator string, values []string, dataType string) condition {
	c := condition{column: column, index: f.columnIndex(t, column), operator: operator, values: values, numeric: f.isNumeric(dataType)}
	switch {
	case operator == "":
		c.operator = "eq"
	case operator == "neq": // name that some clients send
		c.operator = "ne"
	}
	switch operators := []string{"eq", "ne", "gt", "ge", "lt", "le"}; {
	case !slices.Contains(operators, c.operator):
		f.fail("The operator must be one of %s, found %.100q", quoted(operators), operator)
	case len(values) == 0:
		f.fail("The condition on column %q needs values", column)
	case len(values) > 1 && c.operator != "eq" && c.operator != "ne":
		f.fail("The operator %q takes one value, found %d", c.operator, len(values))
	}
	c.set = make(map[string]bool, len(values))
	for i, text := range values {
		if c.numeric {
			key, ok := numberKey(text)
			if !ok {
				f.fail("The value %.100q is not a number", text)
			}
			c.values[i] = key
		}
		c.set[c.values[i]] = true
	}
	return c
}

func (f *fields) orderKey(t store.Table) orderKey {
	column := f.text("column")
	key := orderKey{column: column, index: f.columnIndex(t, column), numeric: f.isNumeric(f.text("dataType"))}
	switch order := f.text("order"); strings.ToUpper(order) {
	case "", "ASC":
	case "DESC":
		key.descending = true
	default:
		f.fail(`"order" must be ASC or DESC, found %.100q`, order)
	}
	return key
}

// selectColumns returns the names of the selected columns and their indexes in a row. By
// default it selects all columns. The parameter is a list, or texts separated by commas.
func (f *fields) selectColumns(columns []store.Column) (names []string, indexes []int) {
	for i, c := range columns {
		names, indexes = append(names, c.Name), append(indexes, i)
	}
	var wanted []string
	for _, text := range f.scalars("columns") {
		for name := range strings.SplitSeq(text, ",") {
			if name != "" {
				wanted = append(wanted, name)
			}
		}
	}
	if len(wanted) == 0 {
		return names, indexes
	}
	if len(wanted) > maxSelected {
		f.fail(`"columns" has %d names, at most %d are possible`, len(wanted), maxSelected)
		return nil, nil
	}
	indexes = nil
	for _, name := range wanted {
		index := slices.Index(names, name)
		if index < 0 {
			f.fail("Column %.300q does not exist", name)
			return nil, nil
		}
		indexes = append(indexes, index)
	}
	return wanted, indexes
}
