package state

import (
	"math"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// SetDurable sets a value that the next run needs even if this run fails. Unlike Set it
// ignores maxBytes. It reports whether the value differs from the current value.
func (m *IterationValues) SetDurable(name string, v value.Value) (changed bool, err error) {
	v = portableAs(name, v)
	if before := m.Current(name, ""); !before.IsNull() && before.Equal(v) {
		return false, nil
	}
	if err := m.set(name, "", v, math.MaxInt); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.durable, name) {
		m.durable = append(m.durable, name)
	}
	return true, nil
}

// WithDurable returns a document in which the values of SetDurable, of all iterations,
// replace older values. The rest of the document is unchanged.
func (m *IterationValues) WithDurable(document value.Value) value.Value {
	remembered := members(document.Field(keyRemembered))
	for _, one := range m.owner.iterationValues {
		values := one.durableMembers()
		switch {
		case len(values) == 0:
		case one.iteration == "":
			remembered = withMembers(remembered, values)
		default:
			iterations := members(remembered.Field(KeyIterations))
			own := withMembers(members(iterations.Field(one.iteration)), values)
			remembered = remembered.With(KeyIterations, iterations.With(one.iteration, own))
		}
	}
	return members(document).With(keyRemembered, remembered)
}

func (m *IterationValues) durableMembers() []value.Member {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []value.Member
	for _, name := range m.durable {
		all = append(all, value.Member{Name: name, Value: m.names[name].find("", true)})
	}
	return all
}

// members returns v as an object, or an empty object if v is neither an object nor a list.
// For lists see object.
func members(v value.Value) value.Value {
	if v = v.AsObject(); v.Kind() != value.Object {
		return value.OfMembers()
	}
	return v
}

func withMembers(object value.Value, added []value.Member) value.Value {
	for _, m := range added {
		object = object.With(m.Name, m.Value)
	}
	return object
}
