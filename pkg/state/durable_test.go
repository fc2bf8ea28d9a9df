package state

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestKept: a document gets the values that are to be kept, and nothing else that the
// run remembers.
func TestKept(t *testing.T) {
	for _, row := range []struct {
		name, previous string
		iterations     []string
		document, want string
		next           string
	}{
		{"first run", `null`, []string{""}, `null`, `{"remembered":{"#t":"new"}}`, `{"remembered":{"max":9,"#t":"new"}}`},
		{"a later run", `{"time":{"previousStart":5},"remembered":{"max":4,"#t":"old","o":{}}}`, []string{""}, "",
			`{"time":{"previousStart":5},"remembered":{"max":4,"#t":"new","o":{}}}`, `{"time":{"previousStart":5},"remembered":{"max":9,"#t":"new","o":[]}}`},
		{"another document", `{"remembered":{"#t":"old"}}`, []string{""}, `{"a":1.50,"remembered":{"x":1}}`, `{"a":1.50,"remembered":{"x":1,"#t":"new"}}`,
			`{"remembered":{"#t":"new","max":9}}`},
		{"an empty list", `[]`, []string{""}, `[]`, `{"remembered":{"#t":"new"}}`, `{"remembered":{"max":9,"#t":"new"}}`},
		{"no object", `{"remembered":5}`, []string{""}, `{"remembered":5}`, `{"remembered":{"#t":"new"}}`, `{"remembered":{"max":9,"#t":"new"}}`},
		{"iterations", `{"remembered":{"old":1,"iterations":{"i":{"a":1,"#t":"old"},"gone":{"b":2}}}}`, []string{"i", "j"}, "",
			`{"remembered":{"old":1,"iterations":{"i":{"a":1,"#t":"new"},"gone":{"b":2},"j":{"#t":"new"}}}}`,
			`{"remembered":{"iterations":{"i":{"a":1,"#t":"new","max":9},"j":{"max":9,"#t":"new"}}}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			previous := testvalue.Parse(t, row.previous)
			document := previous
			if row.document != "" {
				document = testvalue.Parse(t, row.document)
			}
			var r Remembered
			s := Open(previous, &r)
			var memories []*IterationValues
			for _, key := range row.iterations {
				memories = append(memories, r.ForIteration(key, []Name{{Name: "max"}, {Name: "#t"}}, func(string) {}))
			}
			for _, m := range memories {
				if err := m.Set("max", "", value.OfInt(9)); err != nil {
					t.Fatal(err)
				}
				for i, v := range []string{"between", "new", "new"} {
					if changed, err := m.SetDurable("#t", value.OfString(v)); err != nil || changed != (i < 2) {
						t.Fatalf("%s: changed %t, %v", v, changed, err)
					}
				}
			}
			if got := memories[0].WithDurable(document).JSON(); got != row.want {
				t.Errorf("kept\n got %s\nwant %s", got, row.want)
			}
			if got, err := s.Next(); err != nil || got.JSON() != row.next {
				t.Errorf("next\n got %s\nwant %s (%v)", got.JSON(), row.next, err)
			}
		})
	}
}

// TestNothingToKeep: the same value as before is no change.
func TestNothingToKeep(t *testing.T) {
	var r Remembered
	Open(testvalue.Parse(t, `{"remembered":{"#t":"same"}}`), &r)
	m := r.ForIteration("", []Name{{Name: "#t"}}, func(string) {})
	if changed, err := m.SetDurable("#t", value.OfString("same")); changed || err != nil {
		t.Errorf("changed %t, %v", changed, err)
	}
	if !m.Current("#t", "").Secret() {
		t.Error("a name with # holds no secret")
	}
}
