package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// namingOf returns a naming with the names of keys.
func namingOf(names map[string]string) *naming {
	set := &nameSet{nameSource: nameSource{"fields", "id", "name"}, byKey: map[string]string{}}
	for key, name := range names {
		row := value.OfMembers(value.Member{Name: "id", Value: value.OfString(key)}, value.Member{Name: "name", Value: value.OfString(name)})
		if err := set.add(row.AppendPacked(nil)); err != nil {
			panic(err)
		}
	}
	return &naming{nameSet: set, pointer: "/p", paths: map[string]*pathNames{}}
}

// rename returns a row with new names as JSON, or the message of the error.
func (n *naming) rename(row value.Value) (string, bool) {
	all := func(yield func(value.Packed, error) bool) { yield(row.AppendPacked(nil), nil) }
	for renamed, err := range n.apply(all) {
		if err != nil {
			return err.Error(), false
		}
		return renamed.Value().JSON(), true
	}
	return "", false
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestNames: items one after another; "!" begins a part of the error.
func TestNames(t *testing.T) {
	names := map[string]string{"k1": "A", "k2": "A", "k3": "A_2", "k4": "k5", "k5": "k4", "k6": "k6"}
	for name, rows := range map[string][][2]string{
		"order of keys":             {{`{"k2":2}`, `{"A_3":2}`}, {`{"k1":1,"k2":2,"k3":3}`, `{"A":1,"A_3":2,"A_2":3}`}},
		"own before":                {{`{"A":0}`, `{"A":0}`}, {`{"k1":1}`, `{"A_3":1}`}, {`{"k2":1,"A":null}`, `{"A_4":1,"A":null}`}},
		"own in the same item":      {{`{"k1":1,"A":0}`, `{"A_3":1,"A":0}`}},
		"own number":                {{`{"A_3":0,"k2":1}`, `{"A_3":0,"A_4":1}`}},
		"own later":                 {{`{"k1":1}`, `{"A":1}`}, {`{"x":1,"A":2}`, `!"A"`}},
		"own later, of another key": {{`{"k1":1}`, `{"A":1}`}, {`{"A_3":2}`, `!"k2"`}},
		"other objects":             {{`{"k1":1,"in":{"A":0,"k1":[{"k1":2}]}}`, `{"A":1,"in":{"A":0,"A_3":[{"A":2}]}}`}},
		"lists are one path":        {{`{"l":[{"A":0},{"k1":1}]}`, `{"l":[{"A":0},{"A_3":1}]}`}},
		"keys that are names":       {{`{"k4":4,"k5":5,"k6":6}`, `{"k5":4,"k4":5,"k6":6}`}},
		"no object":                 {{`[{"k1":1},[{"k2":2}],null,"k1"]`, `[{"A":1},[{"A_3":2}],null,"k1"]`}, {`null`, `null`}, {`{}`, `{}`}, {`"k1"`, `"k1"`}},
	} {
		t.Run(name, func(t *testing.T) {
			n := namingOf(names)
			for _, row := range rows {
				got, ok := n.rename(parse(t, row[0]))
				if part, fails := strings.CutPrefix(row[1], "!"); fails && (ok || !strings.Contains(got, part)) || !fails && got != row[1] {
					t.Errorf("%s becomes %s, want %s", row[0], got, row[1])
				}
			}
		})
	}
}

// TestNamesNeverMix: in random items, a column has either the values of one key or those of
// own members with its name, all names of an item are different, and the same items are
// renamed in the same way when child jobs read them again.
func TestNamesNeverMix(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	errors := 0
	for range 2000 {
		names := map[string]string{}
		for k := range r.IntN(6) {
			names[fmt.Sprint("k", k)] = []string{"A", "B", "A_2", "k1"}[r.IntN(4)]
		}
		n := namingOf(names)
		columns := map[string]string{} // the member of each column
		var rows []value.Value
		var first []string
		for range 6 {
			var members []value.Member
			for _, i := range r.Perm(9)[:r.IntN(6)] {
				name := []string{"k0", "k1", "k2", "k3", "k4", "A", "B", "A_2", "A_3"}[i]
				members = append(members, value.Member{Name: name, Value: value.OfString(name)})
			}
			row := value.OfMembers(members...)
			text, ok := n.rename(row)
			if !ok {
				errors++
				break
			}
			rows, first = append(rows, row), append(first, text)
			for _, m := range parse(t, text).Members() {
				if was, ok := columns[m.Name]; ok && was != m.Value.Text() {
					t.Fatalf("column %s has values of %s and %s; names %v, rows %v", m.Name, was, m.Value.Text(), names, rows)
				}
				columns[m.Name] = m.Value.Text()
			}
			if parse(t, text).Len() != len(members) {
				t.Fatalf("%s lost a member of %s", text, row.JSON())
			}
		}
		for i, row := range rows {
			if again, _ := n.rename(row); again != first[i] {
				t.Fatalf("%s becomes %s and then %s", row.JSON(), first[i], again)
			}
		}
	}
	if errors < 50 || errors > 1500 {
		t.Errorf("%d of 2000 sequences ended with an error", errors)
	}
}

// TestNamesAreBounded: neither names nor the paths where they are used fill the memory.
func TestNamesAreBounded(t *testing.T) {
	set := &nameSet{nameSource: nameSource{"fields", "id", "name"}, byKey: map[string]string{}}
	var err error
	count := 0
	for ; err == nil && count < 1_000_000; count++ {
		row := value.OfMembers(value.Member{Name: "id", Value: value.OfInt(int64(count))}, value.Member{Name: "name", Value: value.OfString("n")})
		err = set.add(row.AppendPacked(nil))
	}
	if err == nil || !strings.Contains(err.Error(), "16 MiB") || count < 200_000 {
		t.Errorf("%d names: %v", count, err)
	}
	n := namingOf(map[string]string{"k": "A"})
	text, ok := "", true
	for count = 0; ok && count < 1_000_000; count++ {
		inner := value.OfMembers(value.Member{Name: "A", Value: value.OfInt(1)})
		text, ok = n.rename(value.OfMembers(value.Member{Name: fmt.Sprint("data ", count), Value: inner}))
	}
	if ok || !strings.Contains(text, "16 MiB") || count < 20_000 {
		t.Errorf("%d paths: %s", count, text)
	}
}

// TestComputedTables: what claim refuses.
func TestComputedTables(t *testing.T) {
	var c computedTables
	a, b := &job{Job: config.Job{Pointer: "/a"}}, &job{Job: config.Job{Pointer: "/b", Mapping: "m"}}
	for i, step := range []struct {
		job        *job
		text, want string
	}{
		{a, "Spare parts", "Spare_parts"}, {a, "Spare parts", "Spare_parts"},
		{a, "Spare/parts", "!have the same table name"},
		{b, "Spare parts", "!another mapping"},
		{b, "x", "x"},
	} {
		table, err := c.claim(step.job, step.text)
		if part, fails := strings.CutPrefix(step.want, "!"); fails && (err == nil || !strings.Contains(err.Error(), part)) || !fails && (err != nil || table != step.want) {
			t.Errorf("step %d: %q, %v", i, table, err)
		}
	}
	for i := range config.MaxComputedTables - 1 {
		if _, err := c.claim(a, fmt.Sprint("t", i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.claim(a, "more"); err == nil || !strings.Contains(err.Error(), "more than 200") {
		t.Error(err)
	}
	if _, err := c.claim(a, "t7"); err != nil {
		t.Error(err)
	}
	if !slices.Contains(c.names["/a"], "t7") {
		t.Error("the table is not known")
	}
}
