package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// keyColumns is where the state remembers the columns of tables by their file
// names. Only a run with `config.driftWarning` reads and writes it, because the
// state of other runs holds what the original writes and nothing else.
const keyColumns = "tableColumns"

// drift compares the columns of this run's tables with those of the last run that
// wrote them.
type drift struct {
	log   *event.Log
	known value.Value // an object, or null
}

func newDrift(log *event.Log, state value.Value) *drift {
	known := state.Field(keyColumns)
	if !known.IsNull() && !columnsByTable(known) {
		log.Emit(event.StateWarning{Text: "'" + keyColumns + "' is no object of lists of columns by tables; all tables are taken as new"})
		known = value.Value{}
	}
	return &drift{log: log, known: known}
}

// columnsByTable reports whether a value has the form that see writes.
func columnsByTable(v value.Value) bool {
	for _, m := range v.Members() {
		if m.Value.Kind() != value.Array || slices.ContainsFunc(m.Value.Items(), func(item value.Value) bool { return item.Kind() != value.String }) {
			return false
		}
	}
	return v.Kind() == value.Object
}

// see warns when the columns of a table have changed, and keeps them. Those of tables
// that this run does not write stay.
func (d *drift) see(table string, columns []string) {
	before, ok := d.known.Get(table)
	items := make([]value.Value, len(columns))
	for i, column := range columns {
		items[i] = value.OfString(column)
	}
	now := value.OfItems(items...)
	d.known = d.known.With(table, now)
	if !ok || before.Equal(now) {
		return
	}
	old := make([]string, before.Len())
	for i, item := range before.Items() {
		old[i] = item.Text()
	}
	d.log.Emit(event.TableDrifted{Table: table, Added: lacking(columns, old), Removed: lacking(old, columns)})
}

// lacking are the items of the first list that the second one does not have.
func lacking(list, from []string) (lacking []string) {
	for _, s := range list {
		if !slices.Contains(from, s) {
			lacking = append(lacking, s)
		}
	}
	return lacking
}
