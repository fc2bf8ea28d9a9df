package state

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/phpjson"
)

func TestPortable(t *testing.T) {
	for _, row := range []struct{ from, want string }{
		{`5`, `5`}, {`-9223372036854775808`, `-9223372036854775808`},
		{`0.1`, `0.1`}, {`1735689600.123456`, `1735689600.123456`}, {`1.0`, `1`}, {`1.50`, `1.5`}, {`-0.0`, `0`}, {`-0`, `0`},
		{`1e15`, `1000000000000000`}, {`1e20`, `1.0e+20`}, {`1E-7`, `1.0e-7`},
		{`12345678901234567890`, `"12345678901234567890"`}, {`100000000000000000000`, `"100000000000000000000"`},
		{`9223372036854775808`, `"9223372036854775808"`},
		{`123456789012345678.0`, `"123456789012345678.0"`},
		{`1735689600.12345678901234`, `"1735689600.12345678901234"`},
		{`0.1000000000000000055511151231257827`, `"0.1000000000000000055511151231257827"`},
		{`1e400`, `"1e400"`}, {`1e-400`, `"1e-400"`}, {`1e99999999999999999999`, `"1e99999999999999999999"`},
		{`"1.0"`, `"1.0"`}, {`true`, `true`}, {`null`, `null`},
		{`{}`, `[]`}, {`[{}]`, `[[]]`}, {`{"0":1,"1":{"0":2}}`, `[1,[2]]`}, {`{"1":1,"0":2}`, `{"1":1,"0":2}`},
		{`{"#key":5,"key":5}`, `{"#key":"5","key":5}`}, {`{"#a":true,"#b":null,"#c":0.30000000000000004}`, `{"#a":"1","#b":"","#c":"0.30000000000000004"}`},
		{`{"#list":[1]}`, `{"#list":[1]}`},
	} {
		v := testvalue.Parse(t, row.from)
		got := portable(v)
		if got.JSON() != row.want {
			t.Errorf("%s: %s, want %s", row.from, got.JSON(), row.want)
		}
		if again, err := phpjson.Of(got); err != nil || !again.Equal(got) {
			t.Errorf("%s: PHP makes %s of %s, %v", row.from, again.JSON(), got.JSON(), err)
		}
		if !v.IsNull() && !portable(v.AsSecret()).Secret() && v.IsScalar() {
			t.Errorf("%s is not a secret any more", row.from)
		}
	}
}

// TestSurvivesPHP: each remembered value is the same for the next run, whether PHP has
// read and written the state in between or not.
func TestSurvivesPHP(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 3))
		s := randomState(random)
		written := s.save(t, value.Value{}, random)
		recoded, err := phpjson.Recode(written.AppendEscapedJSON(nil))
		if err != nil {
			t.Fatalf("seed %d: PHP cannot read %s: %v", seed, written.JSON(), err)
		}
		if recoded, err = phpjson.Recode(recoded); err != nil {
			t.Fatalf("seed %d: PHP cannot read it again: %v", seed, err)
		}
		direct, through := s.load(t, written), s.load(t, testvalue.Parse(t, string(recoded)))
		if direct != through {
			t.Fatalf("seed %d:\nstate   %s\nPHP     %s\nwithout %s\nwith    %s", seed, written.JSON(), recoded, direct, through)
		}
		if s.set != strings.Count(through, "\n") {
			t.Fatalf("seed %d: %d values were set, but this is known:\n%s", seed, s.set, through)
		}
	}
}

// aState are the iterations and names of a configuration.
type aState struct {
	iterations   []string
	names        []Name
	combinations []string
	set          int
}

func randomState(random *rand.Rand) *aState {
	s := &aState{iterations: randomNames(random), names: nil, combinations: append(randomNames(random), "")}
	if random.IntN(3) == 0 {
		s.iterations = []string{""}
	}
	for i, name := range randomNames(random) {
		if random.IntN(5) == 0 {
			name = "#" + name
		}
		s.names = append(s.names, Name{Name: name, Per: (i+random.IntN(2))%2 == 0})
	}
	return s
}

// randomNames are different names, often 0, 1, 2.
func randomNames(random *rand.Rand) []string {
	var names []string
	for i := range 1 + random.IntN(3) {
		if names = append(names, strconv.Itoa(i)); random.IntN(4) == 0 {
			names[i] = []string{"a", "é/%", "00", "-1", "\"\\\u2028"}[random.IntN(5)] + strconv.Itoa(i)
		}
	}
	return names
}

// save is the state of a run that remembers random values.
func (s *aState) save(t *testing.T, previous value.Value, random *rand.Rand) value.Value {
	var remembered Remembered
	state := Open(previous, &remembered)
	for _, m := range s.memories(t, &remembered) {
		for _, name := range s.names {
			for _, combination := range s.combinationsOf(name) {
				v := randomValue(random, 3)
				for v.IsNull() || Secret(name.Name) && !v.IsScalar() {
					v = randomValue(random, 3)
				}
				if err := m.Set(name.Name, combination, v); err != nil {
					t.Fatal(err)
				}
				s.set++
			}
		}
	}
	next, err := state.Next()
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func (s *aState) memories(t *testing.T, remembered *Remembered) []*IterationValues {
	var all []*IterationValues
	for _, iteration := range s.iterations {
		all = append(all, remembered.ForIteration(iteration, s.names, func(text string) { t.Error(text) }))
	}
	return all
}

func (s *aState) combinationsOf(name Name) []string {
	if name.Per {
		return s.combinations
	}
	return []string{""}
}

// load is what a run knows from a state, a value on each line.
func (s *aState) load(t *testing.T, state value.Value) string {
	var remembered Remembered
	Open(state, &remembered)
	var known strings.Builder
	for i, m := range s.memories(t, &remembered) {
		for _, name := range s.names {
			for _, combination := range s.combinationsOf(name) {
				if v := m.Previous(name.Name, combination); !v.IsNull() {
					fmt.Fprintf(&known, "%s %q %q: %s %t\n", s.iterations[i], name.Name, combination, v.JSON(), v.Secret())
				}
			}
		}
	}
	return known.String()
}

func randomValue(random *rand.Rand, depth int) value.Value {
	kind := random.IntN(8)
	if depth == 0 {
		kind = random.IntN(6)
	}
	switch kind {
	case 0:
		return value.OfBool(random.IntN(2) == 0)
	case 1:
		return value.OfString([]string{"", "0", "é", "{}", "1e5"}[random.IntN(5)])
	case 2:
		return value.OfNumber(strconv.FormatUint(random.Uint64(), 10) + strings.Repeat("7", random.IntN(5)))
	case 3:
		f := math.Float64frombits(random.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return value.Value{}
		}
		return value.OfNumber(strconv.FormatFloat(f, "ef"[random.IntN(2)], random.IntN(25)-1, 64))
	case 4:
		return value.OfNumber(fmt.Sprintf("%d.%de%d", random.IntN(10), random.IntN(1000), random.IntN(800)-400))
	case 5:
		return value.OfNumber(strconv.Itoa(random.IntN(100)) + ".0")
	case 6:
		var items []value.Value
		for range random.IntN(3) {
			items = append(items, randomValue(random, depth-1))
		}
		return value.OfItems(items...)
	default:
		var members []value.Member
		for i := range random.IntN(4) {
			name := strconv.Itoa(i)
			if random.IntN(4) == 0 {
				name = []string{"a", "", "#a", "10"}[random.IntN(4)]
			}
			members = append(members, value.Member{Name: name, Value: randomValue(random, depth-1)})
		}
		return value.OfMembers(members...)
	}
}

// TestStateAfterPHP: states of earlier versions, and of the original, that PHP has
// rewritten.
func TestStateAfterPHP(t *testing.T) {
	var remembered Remembered
	Open(testvalue.Parse(t, `{"remembered":{"since":1.2345678901234567e+19,"seen":["a",{"x":1}],"iterations":[{"since":"x"},[]]}}`), &remembered)
	var warnings []string
	warn := func(text string) { warnings = append(warnings, text) }
	names := []Name{{Name: "since"}, {Name: "seen", Per: true}}
	all, first, second := remembered.ForIteration("", names, warn), remembered.ForIteration("0", names, warn), remembered.ForIteration("1", names, warn)
	for _, row := range []struct {
		m                       *IterationValues
		name, combination, want string
	}{
		{all, "since", "", `1.2345678901234567e+19`},
		{all, "seen", "0", `"a"`},
		{all, "seen", "1", `{"x":1}`},
		{first, "since", "", `"x"`},
		{second, "since", "", `null`},
	} {
		if got := row.m.Previous(row.name, row.combination).JSON(); got != row.want {
			t.Errorf("%s, %q: %s, want %s", row.name, row.combination, got, row.want)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "'since' in 'remembered' is 1.2345678901234567e+19, which was probably a longer integer") {
		t.Errorf("warnings %q", warnings)
	}
	// What the platform has stored is changed after PHP has read it, too.
	if _, err := first.SetDurable("since", value.OfString("y")); err != nil {
		t.Fatal(err)
	}
	want := `{"remembered":{"0":"a","iterations":{"0":{"since":"y"},"1":[]}}}`
	if got := first.WithDurable(testvalue.Parse(t, `{"remembered":{"0":"a","iterations":[{"since":"x"},[]]}}`)).JSON(); got != want {
		t.Errorf("kept  %s\nwant %s", got, want)
	}
	want = `{"remembered":{"1":"b","iterations":{"1":{"1":"d"}}}}`
	if got := LoginValues(testvalue.Parse(t, `{"remembered":{"0":"a","1":"b","iterations":[["c"],["c","d"]]}}`), []string{"1"}).JSON(); got != want {
		t.Errorf("logins %s\nwant   %s", got, want)
	}
}

// TestTooDeep: PHP would refuse the whole state because of one value.
func TestTooDeep(t *testing.T) {
	deep := func(levels int) value.Value {
		return testvalue.Parse(t, strings.Repeat(`[`, levels)+strings.Repeat(`]`, levels))
	}
	var remembered Remembered
	state := Open(value.Value{}, &remembered)
	m := remembered.ForIteration("it", []Name{{Name: "seen", Per: true}}, func(text string) { t.Error(text) })
	if err := m.Set("seen", "1", deep(maxValueDepth)); err != nil {
		t.Error(err)
	}
	next, err := state.Next()
	if err != nil || depthOf(next) != maxDepth {
		t.Errorf("%d levels, %v", depthOf(next), err)
	}
	if _, err := phpjson.Recode([]byte(`[{"configurations":[{"rows":[{"state":{"component":` + string(next.AppendEscapedJSON(nil)) + `}}]}]}]`)); err != nil {
		t.Errorf("the platform cannot read it in a list of components: %v", err)
	}
	if err := m.Set("seen", "1", deep(maxValueDepth+1)); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "'seen'") {
		t.Error(err)
	}

	// Other parts of the state may be too deep, too.
	structure := Structure{}
	state = Open(value.Value{}, &structure)
	structure.Latest = value.OfMembers(value.Member{Name: "a/b", Value: deep(maxDepth)})
	if _, err := state.Next(); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "'/json_parser.struct/a~1b/0/0") {
		t.Error(err)
	}

	// A state that an earlier version has written on a laptop.
	remembered = Remembered{}
	Open(value.OfMembers(value.Member{Name: keyRemembered, Value: value.OfMembers(value.Member{Name: "x", Value: deep(maxValueDepth + 1)})}), &remembered)
	warned := 0
	m = remembered.ForIteration("", []Name{{Name: "x"}}, func(string) { warned++ })
	if v := m.Previous("x", ""); !v.IsNull() || warned != 1 {
		t.Errorf("%d warnings, %s", warned, v.JSON())
	}
}
