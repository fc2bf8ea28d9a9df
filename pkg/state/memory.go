package state

import (
	"fmt"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// MaxCombinations is how many values one name may have.
	MaxCombinations = 100_000
	// MaxBytes is how many bytes one iteration may remember: they are in memory together,
	// and in the state.
	MaxBytes = 16 << 20
)

// Name is a name under which something is remembered.
type Name struct {
	Name string
	// Per says that it has one value for each combination of placeholders, which are
	// known by texts (see Combination).
	Per bool
	// Scalar says that its values are not objects and no lists.
	Scalar bool
}

// Secret reports whether what is remembered under a name is a secret.
func Secret(name string) bool { return strings.HasPrefix(name, "#") }

// Combination is the text by which the values of some placeholders are known.
func Combination(of []value.Value) string {
	texts := make([]string, len(of))
	for i, v := range of {
		text := v.Cell()
		if v.Len() > 0 {
			text = v.JSON()
		}
		texts[i] = strings.ReplaceAll(strings.ReplaceAll(text, "%", "%25"), "/", "%2F")
	}
	return strings.Join(texts, "/")
}

// IterationValues holds what one iteration remembers: what earlier runs left, and what this one
// leaves. The methods may be called by several goroutines at once. A nil Memory is
// empty.
type IterationValues struct {
	iteration string
	mu        sync.Mutex
	names     map[string]*values
	order     []string
	owner     *Remembered
	kept      []string // the names of values that were given to Keep
	bytes     int      // of the values that Save would store, and of their combinations
}

// values are those of one name, by their combinations. A name without any has one
// value, that of the combination "".
type values struct {
	per    bool
	before map[string]value.Value
	now    map[string]value.Value // those that this run has set
	order  []string               // of all combinations
	held   held
}

func (m *IterationValues) load(before value.Value, names []Name, place string, warn func(text string)) {
	forms := map[string]Name{}
	for _, n := range names {
		forms[n.Name] = n
	}
	for _, member := range before.Members() {
		form := forms[member.Name]
		vs := m.of(member.Name)
		vs.per = form.Per
		v := member.Value
		at := fmt.Sprintf("'%s' in %s", member.Name, place)
		if !form.Per {
			m.bytes += vs.load("", portableAs(member.Name, v), form, at, warn)
			continue
		}
		once := warnOnce(warn)
		for _, one := range object(v, at, warn).Members() {
			combination := one.Name
			if Secret(member.Name) {
				combination = strings.TrimPrefix(combination, "#")
			}
			m.bytes += vs.load(combination, portableAs(member.Name, one.Value), form, fmt.Sprintf("'%s' in %s", one.Name, at), once)
		}
	}
	for _, n := range names {
		m.of(n.Name).per = n.Per
	}
}

// warnOnce passes on the first warning of many alike.
func warnOnce(warn func(text string)) func(text string) {
	warned := false
	return func(text string) {
		if !warned {
			warn(text)
		}
		warned = true
	}
}

// load takes one value of the state, and returns by how many bytes that is more.
func (vs *values) load(combination string, v value.Value, form Name, place string, warn func(text string)) (bytes int) {
	if form.Scalar && !v.IsScalar() && !v.IsNull() {
		warn(place + " is an " + v.Kind().String() + ", expected one value; it is not known any more")
		return 0
	}
	if depthOf(v) > MaxValueDepth {
		warn(fmt.Sprintf("%s has more than %d levels of objects and lists; it is not known any more", place, MaxValueDepth))
		return 0
	}
	if rounded(v) {
		warn(fmt.Sprintf("%s is %s, which was probably a longer integer before the platform rounded it, so rows may be missing; correct it, or run once without the state", place, v.Raw()))
	}
	bytes = sizeOf(v)
	if twice, ok := vs.before[combination]; ok { // a secret with and without the hash sign
		bytes -= sizeOf(twice)
	} else {
		bytes += len(combination)
		vs.order = append(vs.order, combination)
	}
	vs.before[combination] = v
	return bytes
}

// sizeOf is how many bytes a value has, without what is around it.
func sizeOf(v value.Value) int {
	if v.Len() > 0 {
		return len(v.JSON())
	}
	return len(v.Raw())
}

// of are the values of a name.
func (m *IterationValues) of(name string) *values {
	vs := m.names[name]
	if vs == nil {
		vs = &values{before: map[string]value.Value{}, now: map[string]value.Value{}}
		m.names[name] = vs
		m.order = append(m.order, name)
	}
	return vs
}

// Previous is what earlier runs left under a name, for a combination where the name has
// them; null for nothing.
func (m *IterationValues) Previous(name, combination string) value.Value {
	if m == nil {
		return value.Value{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[name].find(combination, false)
}

// Current is what this run left there, else what earlier runs did.
func (m *IterationValues) Current(name, combination string) value.Value {
	if m == nil {
		return value.Value{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[name].find(combination, true)
}

func (vs *values) find(combination string, now bool) value.Value {
	if vs == nil {
		return value.Value{}
	}
	if v := vs.now[combination]; now && !v.IsNull() {
		return v
	}
	return vs.before[combination]
}

// Set remembers a value, in the form that survives the platform (see portable). With null
// what earlier runs left stays. A value that is held stays as it is. An error is a user
// error.
func (m *IterationValues) Set(name, combination string, v value.Value) error {
	return m.set(name, combination, v, MaxBytes)
}

// set is Set with another limit of bytes.
func (m *IterationValues) set(name, combination string, v value.Value, most int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.of(name)
	if vs.isHeld(combination) {
		return nil
	}
	if Secret(name) && v.Len() > 0 {
		return failure.Userf("the value of '%s' is an %s, expected one value: the platform encrypts no other secrets", name, v.Kind())
	}
	if depthOf(v) > MaxValueDepth {
		return failure.Userf("the value of '%s' has more than %d levels of objects and lists: the platform cannot read a state that is so deep; remember a value inside it", name, MaxValueDepth)
	}
	v = portableAs(name, v)
	if !vs.has(combination) && len(vs.order) >= MaxCombinations { // a state may hold more
		return failure.Userf("'%s' has more than %d values to remember", name, MaxCombinations)
	}
	more := vs.growth(combination, v)
	if more > 0 && m.bytes+more > most {
		return failure.Userf("the values to remember have more than %d MiB, with that of '%s'", most>>20, name)
	}
	m.bytes += more
	if !vs.has(combination) {
		vs.order = append(vs.order, combination)
	}
	vs.now[combination] = v
	return nil
}

// portableAs returns a value in the form in which it is remembered under a name.
func portableAs(name string, v value.Value) value.Value {
	if v = portable(v); Secret(name) && !v.IsNull() {
		v = asText(v).AsSecret()
	}
	return v
}

// has reports whether a combination is known.
func (vs *values) has(combination string) bool {
	_, now := vs.now[combination]
	_, before := vs.before[combination]
	return now || before
}

// growth is how many bytes more there are when a value is set.
func (vs *values) growth(combination string, v value.Value) int {
	more := -sizeOf(vs.find(combination, true))
	if v.IsNull() {
		v = vs.before[combination]
	}
	if !vs.has(combination) {
		more += len(combination)
	}
	return more + sizeOf(v)
}

// IsSet reports whether this run has set a value, be it null.
func (m *IterationValues) IsSet(name, combination string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.names[name]
	if vs == nil {
		return false
	}
	_, set := vs.now[combination]
	return set
}

// Entry is what is known of a name.
type Entry struct {
	// Per says that it has combinations. Stored is how many values earlier runs left,
	// Set how many this one leaves.
	Per         bool
	Stored, Set int
	// Before and Now are the values of a name without combinations.
	Before, Now value.Value
}

// Entry sums up what is remembered under a name.
func (m *IterationValues) Entry(name string) Entry {
	if m == nil {
		return Entry{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.names[name]
	if vs == nil {
		return Entry{}
	}
	e := Entry{Per: vs.per, Stored: len(vs.before)}
	for _, v := range vs.now {
		if !v.IsNull() {
			e.Set++
		}
	}
	if !vs.per {
		e.Before, e.Now = vs.find("", false), vs.find("", true)
	}
	return e
}

// AllBefore is what earlier runs left, by the names that have one value. AllNow is what
// this run left there, else what earlier runs did.
func (m *IterationValues) AllBefore() map[string]value.Value { return m.all(false) }

// AllNow see AllBefore.
func (m *IterationValues) AllNow() map[string]value.Value { return m.all(true) }

func (m *IterationValues) all(now bool) map[string]value.Value {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[string]value.Value, len(m.order))
	for _, name := range m.order {
		if vs := m.names[name]; !vs.per {
			all[name] = vs.find("", now)
		}
	}
	return all
}

// members are all values, in the order of their first occurrence.
func (m *IterationValues) members() []value.Member {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []value.Member
	for _, name := range m.order {
		vs := m.names[name]
		kept := vs.members(Secret(name))
		switch {
		case len(kept) == 0:
		case vs.per:
			all = append(all, value.Member{Name: name, Value: value.OfMembers(kept...)})
		default:
			all = append(all, value.Member{Name: name, Value: kept[0].Value})
		}
	}
	return all
}

// members are the values by their combinations. The platform encrypts what has a key
// with a hash sign: a combination of a secret gets one.
func (vs *values) members(secret bool) []value.Member {
	var all []value.Member
	for _, c := range vs.order {
		v := vs.find(c, true)
		if vs.per && secret {
			c = "#" + c
		}
		if !v.IsNull() {
			all = append(all, value.Member{Name: c, Value: v})
		}
	}
	return all
}
