package mapping

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/table"
)

// arrange gives every column its place: settings in their order, the link to the
// parent last. A child table has a column only where there is no primary key to
// refer to; settings with one child table share it.
func (c *mappingCompiler) arrange(t *mapped, parent link) {
	keyed := parent.on && parent.primary || slices.ContainsFunc(t.settings, func(s setting) bool { return s.primary })
	takenBy := map[string]*setting{}
	for i := range t.settings {
		s := &t.settings[i]
		if s.kind == typeTable && (keyed || !s.linked) {
			continue
		}
		name, ok := c.columnName(s.destination, s.pointer)
		switch other := takenBy[name]; {
		case !ok:
		case other == nil:
			takenBy[name] = s
			s.column = t.add(name, s.primary)
		case other.kind == typeTable && s.kind == typeTable && other.destination == s.destination:
			s.column = other.column
		default:
			c.taken(t, s.destination, other.destination, s.pointer)
		}
	}
	if !parent.on {
		return
	}
	name, ok := c.columnName(parent.name, parent.pointer)
	switch other := takenBy[name]; {
	case !ok:
	case other != nil:
		c.taken(t, parent.name, other.destination, parent.pointer)
	default:
		t.link = t.add(name, parent.primary)
	}
}

// columnName is the name of a column as it is written; false when it cannot be
// one.
func (c *mappingCompiler) columnName(name, pointer string) (string, bool) {
	if !c.typed {
		return name, true
	}
	stored, err := table.StoredName(name)
	if err != nil {
		c.problem(pointer, "expected another name: %s", err)
	}
	return stored, err == nil
}

// add appends a column and returns its place.
func (t *mapped) add(name string, primary bool) int {
	place := len(t.columns)
	t.columns = append(t.columns, name)
	if primary {
		t.key = append(t.key, place)
	}
	return place
}

// taken reports a column whose name another one has, or would have when it is
// stored.
func (c *mappingCompiler) taken(t *mapped, column, other, pointer string) {
	text := "a column of that name already"
	if column != other {
		text = fmt.Sprintf("the column %q already, and both would be stored under one name", other)
	}
	c.problem(pointer, "expected another name for the column %q: table %q has %s", column, t.name, text)
}
