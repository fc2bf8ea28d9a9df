package value

import "slices"

// AsSecret marks the value, and every scalar in it, as a secret. Copies of a value keep
// the mark. JSON does not have the mark, and Equal ignores it.
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

// WithoutSecrets removes members and items that are secrets, or that are empty without
// their secrets. A scalar that is a secret becomes null.
func (v Value) WithoutSecrets() Value {
	switch {
	case !v.Secret():
		return v
	case v.IsScalar():
		return Value{}
	}
	keep := func(part Value) (Value, bool) {
		left := part.WithoutSecrets()
		return left, !part.Secret() || left.Len() > 0
	}
	if v.kind == Array {
		var items []Value
		for _, item := range v.Items() {
			if left, ok := keep(item); ok {
				items = append(items, left)
			}
		}
		return OfItems(items...)
	}
	var members []Member
	for _, m := range v.Members() {
		if left, ok := keep(m.Value); ok {
			members = append(members, Member{m.Name, left})
		}
	}
	return OfMembers(members...)
}

// Secret reports whether the value or a part of it is marked as a secret.
func (v Value) Secret() bool {
	return v.secret || slices.ContainsFunc(v.Items(), Value.Secret) ||
		slices.ContainsFunc(v.Members(), func(m Member) bool { return m.Value.Secret() })
}
