package value

import "slices"

// AsSecret marks the value, and every scalar in it, as a secret. Copies of a value
// keep the mark. JSON does not have it, and Equal ignores it.
func (v Value) AsSecret() Value {
	if v.IsScalar() {
		v.secret = true
		return v
	}
	return v.Map(func(m Member) Member {
		m.Value = m.Value.AsSecret()
		return m
	})
}

// Secret reports whether the value or a part of it is marked as a secret.
func (v Value) Secret() bool {
	return v.secret || slices.ContainsFunc(v.Items(), Value.Secret) ||
		slices.ContainsFunc(v.Members(), func(m Member) bool { return m.Value.Secret() })
}
