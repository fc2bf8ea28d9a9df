package state

import (
	"fmt"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// MaxCombinations is the maximum number of values per name.
	MaxCombinations = 100_000
	// maxBytes is the maximum size, in bytes, of the remembered values of one iteration:
	// they are in memory together, and in the state.
	maxBytes = 16 << 20
)

// Name declares a remembered name.
type Name struct {
	Name string
	// Per is true if the name has a value for each combination of placeholders, see
	// Combination.
	Per bool
	// Scalar is true if its values are neither objects nor lists.
	Scalar bool
}

// Secret reports whether the value remembered under a name is a secret.
func Secret(name string) bool { return strings.HasPrefix(name, "#") }

// Combination returns the key of a combination of placeholder values.
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

// IterationValues holds the remembered values of one iteration: the values of earlier
// runs, and the values that this run sets. Its methods may be called concurrently. The
// methods that return remembered values treat a nil IterationValues as empty.
type IterationValues struct {
	iteration string
	mu        sync.Mutex
	names     map[string]*values
	order     []string
	owner     *Remembered
	durable   []string // names of values that were set with SetDurable
	bytes     int      // size of the values that save would store, and of their combinations
}

// values are the values of a single name by combination. A name without combinations has
// one value, with the combination "".
type values struct {
	per    bool
	before map[string]value.Value
	now    map[string]value.Value // values that this run has set
	order  []string               // all combinations in the order of their first occurrence
	held   held
}

func (m *IterationValues) loadPrevious(before value.Value, names []Name, place string, warn func(text string)) {
	forms := map[string]Name{}
	for _, n := range names {
		forms[n.Name] = n
	}
	for _, member := range before.Members() {
		form := forms[member.Name]
		vs := m.values(member.Name)
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
		m.values(n.Name).per = n.Per
	}
}

// warnOnce returns a function that passes only its first warning to warn.
func warnOnce(warn func(text string)) func(text string) {
	warned := false
	return func(text string) {
		if !warned {
			warn(text)
		}
		warned = true
	}
}

// load stores one value of the previous state. It returns the number of bytes that it
// adds.
func (vs *values) load(combination string, v value.Value, form Name, place string, warn func(text string)) (bytes int) {
	if form.Scalar && !v.IsScalar() && !v.IsNull() {
		warn(place + " is an " + v.Kind().String() + ", expected one value; it is not known any more")
		return 0
	}
	if depthOf(v) > maxValueDepth {
		warn(fmt.Sprintf("%s has more than %d levels of objects and lists; it is not known any more", place, maxValueDepth))
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

// sizeOf returns the size of a value in bytes, without quotes.
func sizeOf(v value.Value) int {
	if v.Len() > 0 {
		return len(v.JSON())
	}
	return len(v.Raw())
}

// values returns the values of a name. It adds the name if it is missing. The caller holds
// the lock.
func (m *IterationValues) values(name string) *values {
	vs := m.names[name]
	if vs == nil {
		vs = &values{before: map[string]value.Value{}, now: map[string]value.Value{}}
		m.names[name] = vs
		m.order = append(m.order, name)
	}
	return vs
}

// Previous returns the value that earlier runs stored for a name and a combination, or
// null. combination is "" for a name without combinations.
func (m *IterationValues) Previous(name, combination string) value.Value {
	return m.find(name, combination, false)
}

// Current returns the value that this run set. If it set none, Current returns the value
// of earlier runs.
func (m *IterationValues) Current(name, combination string) value.Value {
	return m.find(name, combination, true)
}

func (m *IterationValues) find(name, combination string, now bool) value.Value {
	if m == nil {
		return value.Value{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[name].find(combination, now)
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

// Set remembers a value in the form that the platform does not change, see portable. If v
// is null, the value of earlier runs stays. Set ignores a value that is held. It returns
// only user errors.
func (m *IterationValues) Set(name, combination string, v value.Value) error {
	return m.set(name, combination, v, maxBytes)
}

// set is Set with a given maximum number of bytes.
func (m *IterationValues) set(name, combination string, v value.Value, most int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.values(name)
	if vs.isHeld(combination) {
		return nil
	}
	if Secret(name) && v.Len() > 0 {
		return failure.Userf("the value of '%s' is an %s, expected one value: the platform encrypts no other secrets", name, v.Kind())
	}
	if depthOf(v) > maxValueDepth {
		return failure.Userf("the value of '%s' has more than %d levels of objects and lists: the platform cannot read a state that is so deep; remember a value inside it", name, maxValueDepth)
	}
	v = portableAs(name, v)
	if !vs.has(combination) && len(vs.order) >= MaxCombinations { // the previous state may have more values
		return failure.Userf("'%s' has more than %d values to remember", name, MaxCombinations)
	}
	more := vs.addedBytes(combination, v)
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

// AsRemembered returns the form of a value that the next run reads, if this run remembers
// the value under this name.
func AsRemembered(name string, v value.Value) value.Value { return portableAs(name, v) }

// portableAs returns the form of a value that is remembered under a name.
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

// addedBytes returns the number of bytes that setting a value adds.
func (vs *values) addedBytes(combination string, v value.Value) int {
	more := -sizeOf(vs.find(combination, true))
	if v.IsNull() {
		v = vs.before[combination]
	}
	if !vs.has(combination) {
		more += len(combination)
	}
	return more + sizeOf(v)
}

// IsSet reports whether this run has set a value, even if the value is null.
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

// Entry is a summary of a remembered name.
type Entry struct {
	// Per is true if the name has combinations.
	Per bool
	// Stored is the number of values of earlier runs. Set is the number of values that
	// this run has set.
	Stored, Set int
	// Before and Now are the previous and the current value of a name without
	// combinations.
	Before, Now value.Value
}

// Entry returns a summary of a remembered name.
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

// AllBefore returns the values of earlier runs, for the names without combinations.
func (m *IterationValues) AllBefore() map[string]value.Value { return m.all(false) }

// AllNow returns the current values, for the names without combinations.
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

// members returns all values, in the order of their first occurrence.
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

// members returns the values by combination. A combination of a secret gets a hash sign,
// because the platform encrypts values with such a key.
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
