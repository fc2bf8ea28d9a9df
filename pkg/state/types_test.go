package state

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/phpjson"
)

func TestTypes(t *testing.T) {
	table := csvtable.Table{Name: "0", Columns: []string{"0", "#1", "note"}, Types: []csvtable.ColumnType{{Base: "INTEGER"}, {Base: "NUMERIC", Length: "12,2", Nullable: true}, {}}}
	var first Types
	if Open(value.Value{}, &first); !first.Empty() || first.save() != nil {
		t.Error("a state without types has some")
	}
	first.Set(csvtable.Table{Name: "untyped", Columns: []string{"a"}})
	if first.save() != nil {
		t.Error("a table without types is stored")
	}
	first.Set(table)
	stored := value.OfMembers(first.save()...)
	for name, previous := range map[string]value.Value{"as written": stored, "after PHP": phpjson.AsList(stored.Map(func(m value.Member) value.Member { m.Value = phpjson.AsList(m.Value); return m }))} {
		t.Run(name, func(t *testing.T) {
			var next Types
			Open(previous, &next)
			if changes := next.Changes(table); changes != nil || next.Empty() {
				t.Errorf("the same table changed: %q", changes)
			}
			if changes := next.Changes(csvtable.Table{Name: "other", Columns: []string{"a"}}); changes != nil {
				t.Errorf("an unknown table changed: %q", changes)
			}
			changed := csvtable.Table{Name: "0", Columns: []string{"0", "new"}, Types: []csvtable.ColumnType{{Base: "STRING"}, {Base: "DATE"}}}
			got := strings.Join(next.Changes(changed), "\n")
			for _, want := range []string{`column "0" was INTEGER NOT NULL and is STRING NOT NULL`, `column "#1" (NUMERIC(12,2)) is missing`, `column "note" (without a declared type) is missing`, `column "new" is new and DATE NOT NULL`} {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
			undeclared := csvtable.Table{Name: "0", Columns: table.Columns}
			if got := strings.Join(next.Changes(undeclared), "\n"); !strings.Contains(got, `column "0" was INTEGER NOT NULL and is without a declared type`) {
				t.Errorf("got %s", got)
			}
			next.Set(undeclared)
			if !next.Empty() {
				t.Errorf("the types of a table without types stay: %v", next.save())
			}
		})
	}
	var broken Types
	Open(testvalue.Parse(t, `{"tableTypes":"x"}`), &broken)
	if !broken.Empty() || broken.Changes(table) != nil {
		t.Error("a text is read as types")
	}
}
