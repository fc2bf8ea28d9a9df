package state

import (
	"fmt"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// MaxCombinations is how many values one name may have.
const MaxCombinations = 100_000

// Name is a name under which something is remembered.
type Name struct {
	Name string
	// Per says that it has one value for each combination of placeholders, which are
	// known by texts (see Combination).
	Per bool
	// Scalar says that its values are no objects and no lists.
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

// Memory holds what one iteration remembers: what earlier runs left, and what this one
// leaves. The methods may be called by several goroutines at once. A nil Memory is
// empty.
type Memory struct {
	iteration string
	mu        sync.Mutex
	names     map[string]*values
	order     []string
	owner     *Remembered
	kept      []string // the names of values that were given to Keep
}

// values are those of one name, by their combinations. A name without any has one
// value, that of the combination "".
type values struct {
	per    bool
	before map[string]value.Value
	now    map[string]value.Value // those that this run has set
	order  []string               // of all combinations
}

func (m *Memory) load(before value.Value, names []Name, place string, warn func(text string)) {
	forms := map[string]Name{}
	for _, n := range names {
		forms[n.Name] = n
	}
	for _, member := range before.Members() {
		form := forms[member.Name]
		vs := m.of(member.Name)
		vs.per = form.Per
		v := member.Value
		if Secret(member.Name) {
			v = v.AsSecret()
		}
		at := fmt.Sprintf("'%s' in %s", member.Name, place)
		if !form.Per {
			vs.load("", v, form, at, warn)
			continue
		}
		for _, one := range object(v, at, warn).Members() {
			vs.load(one.Name, one.Value, form, fmt.Sprintf("'%s' in %s", one.Name, at), warn)
		}
	}
	for _, n := range names {
		m.of(n.Name).per = n.Per
	}
}

func (vs *values) load(combination string, v value.Value, form Name, place string, warn func(text string)) {
	if form.Scalar && !v.IsScalar() && !v.IsNull() {
		warn(place + " is an " + v.Kind().String() + ", expected one value; it is not known any more")
		return
	}
	vs.before[combination] = v
	vs.order = append(vs.order, combination)
}

// of are the values of a name.
func (m *Memory) of(name string) *values {
	vs := m.names[name]
	if vs == nil {
		vs = &values{before: map[string]value.Value{}, now: map[string]value.Value{}}
		m.names[name] = vs
		m.order = append(m.order, name)
	}
	return vs
}

// Before is what earlier runs left under a name, for a combination where the name has
// them; null for nothing.
func (m *Memory) Before(name, combination string) value.Value {
	if m == nil {
		return value.Value{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[name].find(combination, false)
}

// Now is what this run left there, else what earlier runs did.
func (m *Memory) Now(name, combination string) value.Value {
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
	if v, ok := vs.now[combination]; ok && now {
		return v
	}
	return vs.before[combination]
}

// Set remembers a value. An error is a user error.
func (m *Memory) Set(name, combination string, v value.Value) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.of(name)
	_, set := vs.now[combination]
	_, before := vs.before[combination]
	if !set && !before {
		if len(vs.order) == MaxCombinations {
			return failure.Userf("'%s' has more than %d values to remember", name, MaxCombinations)
		}
		vs.order = append(vs.order, combination)
	}
	if Secret(name) {
		if v.Kind() == value.Object || v.Kind() == value.Array {
			v = value.OfString(v.JSON()) // the platform encrypts texts only
		}
		v = v.AsSecret()
	}
	vs.now[combination] = v
	return nil
}

// AllBefore is what earlier runs left, by the names that have one value. AllNow is what
// this run left there, else what earlier runs did.
func (m *Memory) AllBefore() map[string]value.Value { return m.all(false) }

// AllNow see AllBefore.
func (m *Memory) AllNow() map[string]value.Value { return m.all(true) }

func (m *Memory) all(now bool) map[string]value.Value {
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
func (m *Memory) members() []value.Member {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []value.Member
	for _, name := range m.order {
		vs := m.names[name]
		switch {
		case len(vs.order) == 0:
		case vs.per:
			combinations := make([]value.Member, len(vs.order))
			for i, c := range vs.order {
				combinations[i] = value.Member{Name: c, Value: vs.find(c, true)}
			}
			all = append(all, value.Member{Name: name, Value: value.OfMembers(combinations...)})
		default:
			all = append(all, value.Member{Name: name, Value: vs.find("", true)})
		}
	}
	return all
}
