package value

import "slices"

// AsSecret is the value marked as a secret: every string, number and boolean in
// it is. The mark stays with a value wherever it is put: into lists, objects,
// parameters. It is no part of JSON, and Equal does not look at it.
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

// Secret reports whether the value, or one inside it, is marked as a secret.
func (v Value) Secret() bool {
	return v.secret || slices.ContainsFunc(v.Items(), Value.Secret) ||
		slices.ContainsFunc(v.Members(), func(m Member) bool { return m.Value.Secret() })
}
