package value

import "slices"

// AsSecret is the value marked as a secret: every string, number and boolean in
// it is. The mark stays with a value wherever it is put: into lists, objects,
// parameters. It is no part of JSON, and Equal does not look at it.
func (v Value) AsSecret() Value {
	switch v.kind {
	case Null:
		return v
	case Array:
		items := make([]Value, v.Len())
		for i, item := range v.Items() {
			items[i] = item.AsSecret()
		}
		return OfItems(items...)
	case Object:
		members := make([]Member, v.Len())
		for i, m := range v.Members() {
			members[i] = Member{m.Name, m.Value.AsSecret()}
		}
		return OfMembers(members...)
	default:
		v.secret = true
		return v
	}
}

// Secret tells whether the value, or one inside it, is marked as a secret.
func (v Value) Secret() bool {
	return v.secret || slices.ContainsFunc(v.Items(), Value.Secret) ||
		slices.ContainsFunc(v.Members(), func(m Member) bool { return m.Value.Secret() })
}
