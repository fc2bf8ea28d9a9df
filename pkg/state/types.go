package state

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const keyTypes = "tableTypes"

// Types stores the columns of tables with declared types by file name. It stores nothing
// before the first declaration: the state then equals the state of the original extractor.
// A column is an object with a name, because names can be numbers, and PHP changes an
// object with such names.
type Types struct {
	known value.Value // an object, or null
}

func (t *Types) load(previous value.Value) {
	t.known = previous.Field(keyTypes).AsObject()
	if t.known.Kind() != value.Object {
		t.known = value.Value{}
	}
}

func (t *Types) save() []value.Member {
	if t.known.IsNull() {
		return nil
	}
	return []value.Member{{Name: keyTypes, Value: t.known}}
}

// Changes describes how the declared types of a table differ from the last run that wrote
// the table, in a way that the platform refuses for an existing table.
func (t *Types) Changes(table csvtable.Table) (changes []string) {
	known, ok := t.known.Get(table.FileName())
	if !ok {
		return nil
	}
	var before []string
	for _, item := range known.Items() {
		name := item.Field("name").Text()
		before = append(before, name)
		was := csvtable.ColumnType{Base: item.Field("type").Text(), Length: item.Field("length").Text(), Nullable: item.Field("nullable").True()}
		at := slices.Index(table.Columns, name)
		switch {
		case at < 0:
			changes = append(changes, fmt.Sprintf("column %q (%s) is missing", name, csvtable.TypeText(was)))
			continue
		case was.Base == "":
			continue // its type was derived from cells
		}
		var is csvtable.ColumnType
		if table.Types != nil {
			is = table.Types[at]
		}
		if why := was.Change(is); why != "" {
			changes = append(changes, fmt.Sprintf("column %q was %s and is %s (%s)", name, was, csvtable.TypeText(is), why))
		}
	}
	for i, name := range table.Columns {
		if table.Types != nil && table.Types[i].Base != "" && !table.Types[i].Nullable && !slices.Contains(before, name) {
			changes = append(changes, fmt.Sprintf("column %q is new and %s, but existing rows have no value for it", name, table.Types[i]))
		}
	}
	return changes
}

// Set stores the declared types of a table that this run writes. Tables that it does not
// write keep theirs.
func (t *Types) Set(table csvtable.Table) {
	file := table.FileName()
	if table.Types == nil {
		if _, ok := t.known.Get(file); ok {
			t.known = t.known.Without(file)
		}
		return
	}
	columns := make([]value.Value, len(table.Columns))
	for i, name := range table.Columns {
		declared := table.Types[i]
		columns[i] = value.Value{}.With("name", value.OfString(name))
		if declared.Base == "" {
			continue
		}
		columns[i] = columns[i].With("type", value.OfString(declared.Base))
		if declared.Length != "" {
			columns[i] = columns[i].With("length", value.OfString(declared.Length))
		}
		columns[i] = columns[i].With("nullable", value.OfBool(declared.Nullable))
	}
	t.known = t.known.With(file, value.OfItems(columns...))
}

// Empty reports whether no types are stored.
func (t *Types) Empty() bool { return t.known.Empty() }
