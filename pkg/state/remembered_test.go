package state

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestRemembered: what a run takes from the state, and what it leaves there.
func TestRemembered(t *testing.T) {
	one, per, any := []Name{{Name: "a", Scalar: true}}, []Name{{Name: "a", Per: true, Scalar: true}}, []Name{{Name: "a"}}
	for _, row := range []struct {
		name, previous string
		iterations     []string
		names          []Name
		combination    string
		set            string // in the first iteration; "" sets nothing
		before, want   string
		warnings       []string
	}{
		{"first run", `null`, []string{""}, one, "", `5`, `null`, `{"remembered":{"a":5}}`, nil},
		{"nothing to remember", `null`, []string{""}, one, "", ``, `null`, `{}`, nil},
		{"a later run", `{"remembered":{"b":1,"a":4,"c":[]}}`, []string{""}, one, "", `5`, `4`, `{"remembered":{"b":1,"a":5,"c":[]}}`, nil},
		{"no change", `{"remembered":{"a":4}}`, []string{""}, one, "", ``, `4`, `{"remembered":{"a":4}}`, nil},
		{"no names", `{"remembered":{"a":{"x":1},"iterations":5}}`, []string{""}, nil, "", ``, `{"x":1}`, `{"remembered":{"a":{"x":1},"iterations":5}}`,
			[]string{"'iterations' in 'remembered' is not an object; what it held is not known any more"}},
		{"a combination", `{"remembered":{"a":{"x":1,"y":2}}}`, []string{""}, per, "x", `3`, `1`, `{"remembered":{"a":{"x":3,"y":2}}}`, nil},
		{"a new combination", `{"remembered":{"a":{"y":2}}}`, []string{""}, per, "x", `3`, `null`, `{"remembered":{"a":{"y":2,"x":3}}}`, nil},
		{"iterations", `{"remembered":{"a":9,"iterations":{"i":{"a":1},"j":{"a":2},"gone":{"a":3}}}}`, []string{"i", "j"}, one, "", `4`, `1`,
			`{"remembered":{"iterations":{"i":{"a":4},"j":{"a":2}}}}`, nil},
		{"iterations that are no more", `{"remembered":{"iterations":{"i":{"a":1}}}}`, []string{""}, one, "", ``, `null`, `{"remembered":{}}`, nil},

		{"no object", `{"remembered":5}`, []string{""}, one, "", `5`, `null`, `{"remembered":{"a":5}}`, []string{"'remembered' is not an object; what it held is not known any more"}},
		{"an empty list", `{"remembered":[]}`, []string{""}, one, "", ``, `null`, `{"remembered":[]}`, nil},
		{"iterations: no object", `{"remembered":{"iterations":5}}`, []string{"i", "j"}, one, "", `5`, `null`, `{"remembered":{"iterations":{"i":{"a":5}}}}`,
			[]string{"'iterations' in 'remembered' is not an object; what it held is not known any more"}},
		{"an iteration: no object", `{"remembered":{"iterations":{"i":"x"}}}`, []string{"i"}, one, "", `5`, `null`, `{"remembered":{"iterations":{"i":{"a":5}}}}`,
			[]string{"'i' in 'iterations' in 'remembered' is not an object; what it held is not known any more"}},
		{"no scalar", `{"remembered":{"a":{"x":1}}}`, []string{""}, one, "", ``, `null`, `{"remembered":{}}`, []string{"'a' in 'remembered' is an object, expected one value; it is not known any more"}},
		{"any value", `{"remembered":{"a":{"x":1}}}`, []string{""}, any, "", ``, `{"x":1}`, `{"remembered":{"a":{"x":1}}}`, nil},
		{"no combinations", `{"remembered":{"a":"x"}}`, []string{""}, per, "x", `1`, `null`, `{"remembered":{"a":{"x":1}}}`, []string{"'a' in 'remembered' is not an object; what it held is not known any more"}},
		{"a combination: no scalar", `{"remembered":{"a":{"x":[1],"y":2,"z":[1]}}}`, []string{""}, per, "x", ``, `null`, `{"remembered":{"a":{"y":2}}}`,
			[]string{"'x' in 'a' in 'remembered' is an array, expected one value; it is not known any more"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r Remembered
			var warnings []string
			s := Open(testvalue.Parse(t, row.previous), &r)
			var memories []*IterationValues
			for _, key := range row.iterations {
				memories = append(memories, r.ForIteration(key, row.names, func(text string) { warnings = append(warnings, text) }))
			}
			m := memories[0]
			if got := m.Previous("a", row.combination).JSON(); got != row.before {
				t.Errorf("before: got %s, want %s", got, row.before)
			}
			if row.set != "" {
				if err := m.Set("a", row.combination, testvalue.Parse(t, row.set)); err != nil {
					t.Error(err)
				}
				if before, now := m.Previous("a", row.combination).JSON(), m.Current("a", row.combination).JSON(); before != row.before || now != row.set {
					t.Errorf("after it was set: before %s, now %s", before, now)
				}
			}
			if got, err := s.Next(); err != nil || got.JSON() != row.want {
				t.Errorf("got  %s\nwant %s (%v)", got.JSON(), row.want, err)
			}
			if !slices.Equal(warnings, row.warnings) {
				t.Errorf("warnings %q, want %q", warnings, row.warnings)
			}
		})
	}
}

// TestAll: expressions see what has one value, a secret as such.
func TestAll(t *testing.T) {
	var r Remembered
	Open(testvalue.Parse(t, `{"remembered":{"a":1,"#b":"s","p":{"x":1}}}`), &r)
	m := r.ForIteration("", []Name{{Name: "p", Per: true}, {Name: "new"}}, func(text string) { t.Error(text) })
	if err := m.Set("#b", "", value.OfString("later")); err != nil {
		t.Error(err)
	}
	before, now := m.AllBefore(), m.AllNow()
	if _, ok := before["p"]; ok || before["a"].Raw() != "1" || before["#b"].Raw() != "s" || now["#b"].Raw() != "later" || !before["new"].IsNull() {
		t.Errorf("before %v, now %v", before, now)
	}
	if before["a"].Secret() || !before["#b"].Secret() || !now["#b"].Secret() {
		t.Error("secrets are not marked as such")
	}
	var none *IterationValues
	if len(none.AllNow()) != 0 || !none.Previous("a", "").IsNull() || !none.Current("a", "").IsNull() {
		t.Error("no memory is not empty")
	}
}

func TestCombination(t *testing.T) {
	for want, of := range map[string][]value.Value{
		"":                      {value.OfString("")},
		"7/a b":                 {value.OfInt(7), value.OfString("a b")},
		"a%2Fb/50%25/é":         {value.OfString("a/b"), value.OfString("50%"), value.OfString("é")},
		"1.50/1/":               {testvalue.Parse(t, `1.50`), testvalue.Parse(t, `true`), {}},
		`["x",1]`:               {testvalue.Parse(t, `["x",1]`)},
		"100000000000000000000": {testvalue.Parse(t, `100000000000000000000`)},
	} {
		if got := Combination(of); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTooManyCombinations(t *testing.T) {
	var r Remembered
	m := r.ForIteration("", []Name{{Name: "a", Per: true}}, func(string) {})
	for i := range MaxCombinations {
		if err := m.Set("a", strconv.Itoa(i), value.OfInt(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Set("a", "7", value.OfInt(2)); err != nil {
		t.Error(err)
	}
	if err := m.Set("a", "more", value.OfInt(2)); err == nil {
		t.Error("there is no limit")
	}
}

// TestCombinationsOfALargeState: the limit holds for a state that has more already.
func TestCombinationsOfALargeState(t *testing.T) {
	var values []value.Member
	for i := range MaxCombinations + 1 {
		values = append(values, value.Member{Name: strconv.Itoa(i), Value: value.OfInt(1)})
	}
	var r Remembered
	Open(value.OfMembers(value.Member{Name: "remembered", Value: value.OfMembers(value.Member{Name: "a", Value: value.OfMembers(values...)})}), &r)
	m := r.ForIteration("", []Name{{Name: "a", Per: true}}, func(text string) { t.Error(text) })
	if err := m.Set("a", "7", value.OfInt(2)); err != nil {
		t.Error(err)
	}
	if err := m.Set("a", "more", value.OfInt(2)); err == nil {
		t.Error("there is no limit")
	}
}

// TestTooManyBytes: what is stored counts, not what was there meanwhile. What a login
// leaves is kept in any case.
func TestTooManyBytes(t *testing.T) {
	half := value.OfString(strings.Repeat("x", maxBytes/2))
	var r Remembered
	Open(value.OfMembers(value.Member{Name: "remembered", Value: value.OfMembers(value.Member{Name: "old", Value: half})}), &r)
	m := r.ForIteration("", []Name{{Name: "old"}, {Name: "per", Per: true}}, func(text string) { t.Error(text) })
	set := func(name, combination string, v value.Value, ok bool) {
		t.Helper()
		if err := m.Set(name, combination, v); (err == nil) != ok || err != nil && failure.KindOf(err) != failure.User {
			t.Errorf("%s of %q: %v", name, combination, err)
		}
	}
	set("old", "", half, true)
	set("per", "a", half, false) // its combination is one byte
	set("per", "a", value.OfInt(1), true)
	set("per", "b", value.OfMembers(value.Member{Name: "x", Value: half}), false)
	set("per", strings.Repeat("c", maxBytes/2), value.OfInt(1), false)
	set("old", "", value.OfInt(1), true)
	set("per", "a", half, true)
	set("old", "", value.Value{}, false) // the old value would come back
	if _, err := m.SetDurable("#token", half); err != nil {
		t.Error(err)
	}
	set("per", "a", value.OfInt(1), true)
	set("old", "", half, false)
}

// FuzzRemembered: no matter what a state holds, a run takes it without a panic, says what it
// does not take, and leaves a state that the next run reads without a warning.
func FuzzRemembered(f *testing.F) {
	for _, text := range []string{
		`null`, `{}`, `{"remembered":{"bare":1,"per":{"a":1,"b/c":"2"},"any":{"x":[1]},"#secret":"s","#per":{"#a":"s","b":"t"}}}`,
		`{"remembered":{"iterations":{"i":{"bare":"x","per":{"a":null}},"j":5}}}`, `{"remembered":[1]}`, `{"remembered":{"per":"x","bare":{"y":1},"iterations":[]}}`, `5`,
	} {
		f.Add(text, "", "a")
		f.Add(text, "i", "")
	}
	names := []Name{{Name: "bare", Scalar: true}, {Name: "per", Per: true, Scalar: true}, {Name: "any"}, {Name: "#secret"}, {Name: "#per", Per: true}}
	f.Fuzz(func(t *testing.T, text, iteration, combination string) {
		previous, err := value.Parse([]byte(text))
		if err != nil || !utf8.ValidString(iteration) || !utf8.ValidString(combination) {
			return
		}
		next := previous
		for run := range 2 {
			var r Remembered
			s := Open(next, &r)
			m := r.ForIteration(iteration, names, func(text string) {
				if run > 0 {
					t.Errorf("the state that a run has left is not taken: %s", text)
				}
			})
			for _, name := range names {
				if !name.Per {
					combination = ""
				}
				before := m.Previous(name.Name, combination)
				if name.Scalar && !before.IsScalar() && !before.IsNull() {
					t.Errorf("%s is %s", name.Name, before.JSON())
				}
				if Secret(name.Name) && !before.IsNull() && before.Len() == 0 && before.IsScalar() && !before.Secret() {
					t.Errorf("%s is not a secret", name.Name)
				}
				if run > 0 && m.Entry(name.Name).Stored == 0 {
					t.Errorf("%s is lost", name.Name)
				}
				if err := m.Set(name.Name, combination, value.OfString("v")); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			if next, err = s.Next(); err != nil {
				t.Fatal(err)
			}
			if again, err := value.Parse([]byte(next.JSON())); err != nil || !again.Equal(next) {
				t.Fatalf("%v: %s is not read as it is", err, next.JSON())
			}
		}
	})
}
