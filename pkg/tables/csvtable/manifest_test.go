package csvtable

import (
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestParseManifest: what a manifest says is read back, and written again as it was.
func TestParseManifest(t *testing.T) {
	columns := []string{"id", "n", "f", "b", "s"}
	seen := []Kinds{KindsOf(Integer), KindsOf(Integer, Absent), KindsOf(Number), KindsOf(True, Absent), KindsOf(Text)}
	for _, row := range []Table{
		{Name: "t", Columns: columns},
		{Name: "t", Bucket: "b", Columns: columns, Incremental: true, PrimaryKey: []string{"id", "s"}},
		{Name: "t", Bucket: "é/", Columns: columns, Incremental: true, PrimaryKey: []string{"id"}, Typed: true},
		{Name: "t", Columns: columns, Typed: true},
	} {
		text := row.manifest(seen)
		m, err := ParseManifest(text)
		if err != nil {
			t.Fatal(err)
		}
		if m.Incremental != row.Incremental || !slices.Equal(m.PrimaryKey, row.PrimaryKey) || (m.Columns != nil) != row.Typed {
			t.Errorf("%s is read as %+v", text, m)
		}
		if row.Typed && !slices.Equal(m.Columns, columns) {
			t.Errorf("columns %q of %s", m.Columns, text)
		}
		if got := m.With(columns, nil, m.Kinds); string(got) != string(text) {
			t.Errorf("written again\n%s\nwant\n%s", got, text)
		}
	}
	for _, text := range []string{"", "[]", "null", "{"} {
		if _, err := ParseManifest([]byte(text)); failure.KindOf(err) != failure.User || err == nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
