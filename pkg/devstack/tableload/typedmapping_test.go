package tableload_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestTypedMappingsAreLoaded: a table with random types and cells is loaded exactly if the
// mapping found no cell that does not fit its type. Columns without a declared type, of
// which each table has some, always fit.
func TestTypedMappingsAreLoaded(t *testing.T) {
	const seed = 20260102
	r := rand.New(rand.NewPCG(seed, 1))
	results := map[bool]int{}
	s, err := store.Open(filepath.Join(t.TempDir(), "store"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // the test is over
	for n := range 250 {
		text, types := randomMapping(r)
		var problems failure.Problems
		m := mapping.CompileMappings(field.NewSection(testvalue.Parse(t, `{"t":{`+text+`}}`), "/mappings", &problems), true, true)
		if err := problems.Err(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		data := t.TempDir()
		dir := filepath.Join(data, "out", "tables")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		set := csvtable.NewSet(dir, t.TempDir())
		c := mapping.NewConfigured(m, set)
		batch := c.Batch("t", nil)
		for range r.IntN(3) {
			if err := batch.Row(value.Packed(testvalue.Parse(t, randomRow(r, types)).AppendPacked(nil))); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Write(context.Background(), mapping.Defaults{Bucket: fmt.Sprintf("b%d", n)}); err != nil {
			t.Fatal(err)
		}
		if _, err := set.Close(); err != nil {
			t.Fatal(err)
		}
		accepted := len(c.Mismatches()) == 0
		ignore := func(string) {}
		loaded, err := tableload.Load(context.Background(), tableload.Options{Store: s, Dir: data, DataTypes: tableload.Authoritative, Table: ignore, Warn: ignore})
		if accepted != (err == nil) {
			t.Fatalf("table %d of %s: the mapping found %v, the load %v", n, text, c.Mismatches(), err)
		}
		if err == nil && !loaded[0].Typed {
			t.Error("the table is not typed")
		}
		results[accepted]++
	}
	if results[true] < 50 || results[false] < 50 {
		t.Errorf("accepted and refused %v", results)
	}
}

// randomMapping returns the settings of columns, and their types, "" without one.
func randomMapping(r *rand.Rand) (text string, types []string) {
	var settings []string
	for i := range 1 + r.IntN(4) {
		setting := fmt.Sprintf(`"destination":"c%d"`, i)
		base := append(store.BaseTypes(), "")[r.IntN(8)]
		types = append(types, base)
		if base != "" {
			setting += `,"type":"` + base + `"`
			if r.IntN(3) == 0 {
				setting += `,"nullable":false`
			} else if r.IntN(6) == 0 {
				setting += `,"primaryKey":true`
			}
			if base == store.TypeNumeric && r.IntN(2) == 0 {
				setting += `,"length":"5,2"`
			}
			if base == store.TypeString && r.IntN(2) == 0 {
				setting += `,"length":4`
			}
		}
		settings = append(settings, fmt.Sprintf(`"p%d":{"mapping":{%s}}`, i, setting))
	}
	return strings.Join(settings, ","), types
}

// randomRow returns an item. Most values are good for the types of their columns.
func randomRow(r *rand.Rand, types []string) string {
	good := map[string][]string{
		"": {`1`, `1e3`, `"x"`, `true`, `""`, `null`, `1.5`, `12345678901234567890`}, store.TypeString: {`"a"`, `"žlu"`, `12`, `"abcd"`, `false`}, store.TypeInteger: {`1`, `"-7"`, `12345678901234567890`},
		store.TypeNumeric: {`1.5`, `"12.50"`, `-3`, `"999.990"`}, store.TypeFloat: {`1e-9`, `"-2.5E10"`, `3`}, store.TypeBoolean: {`true`, `false`, `0`, `"1"`},
		store.TypeDate: {`"2024-02-29"`}, store.TypeTimestamp: {`"2024-02-29T10:00:00Z"`, `"2026-01-02 03:04"`},
	}
	bad := []string{`null`, `""`, `"x"`, `1.005`, `"2026-02-30"`, `"+1"`, `"yes"`, `123456`, `" "`, `"2026-01-02T25:00"`}
	var members []string
	for i, base := range types {
		values := good[base]
		if base != "" && r.IntN(7) == 0 {
			values = bad
		}
		if base == "" || r.IntN(20) > 0 {
			members = append(members, fmt.Sprintf(`"p%d":%s`, i, values[r.IntN(len(values))]))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}
