package mapping

import (
	"fmt"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestKeyless: all tables of a data type without a primary key are found, each once.
func TestKeyless(t *testing.T) {
	m := compileKeys(t, `{
		"a": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "lines": {"type": "table", "destination": "lines", "tableMapping": {"n": "n"}}, "more": {"type": "table", "destination": "lines", "tableMapping": {"n": "n"}},
			"notes": {"type": "table", "destination": "notes", "parentKey": {"primaryKey": true}, "tableMapping": {"n": "n"}}},
		"b": {"id": "id"}}`)
	for dataType, want := range map[string]string{"a": "[{lines /m/a/lines/tableMapping}]", "b": "[{b /m/b}]", "c": "[]"} {
		if got := fmt.Sprint(m.Keyless(dataType)); got != want {
			t.Errorf("%s: %s, want %s", dataType, got, want)
		}
	}
}

// TestAppendKey: items with the same key are equal, and items without any key differ by
// their content.
func TestAppendKey(t *testing.T) {
	m := compileKeys(t, `{"a": {"key.id": {"mapping": {"destination": "id", "primaryKey": true}, "or": "old"}, "n": "n", "at": {"type": "user", "mapping": {"destination": "at", "primaryKey": true}}}}`)
	key := func(dataType, item string) string {
		return string(m.AppendKey(nil, dataType, testvalue.Parse(t, item).AppendPacked(nil)))
	}
	for _, same := range [][2]string{{`{"key":{"id":1},"n":1}`, `{"n":2,"key":{"id":1}}`}, {`{"key":{"id":"x"}}`, `{"key":{"id":""},"old":"x"}`}} {
		if key("a", same[0]) != key("a", same[1]) {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
	for _, different := range [][2]string{{`{"key":{"id":1}}`, `{"key":{"id":2}}`}, {`{"n":1}`, `{"n":2}`}, {`{"key":null,"n":1}`, `{"key":{"id":1},"n":1}`}} {
		if key("a", different[0]) == key("a", different[1]) {
			t.Errorf("%s and %s are equal", different[0], different[1])
		}
	}
	if key("none", `{"key":{"id":1},"n":1}`) == key("none", `{"key":{"id":1},"n":2}`) {
		t.Error("without a mapping, the whole item counts")
	}
}

func compileKeys(t *testing.T, text string) Mappings {
	t.Helper()
	var problems failure.Problems
	m := CompileMappings(field.NewSection(testvalue.Parse(t, text), "/m", &problems), false, false)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return m
}
