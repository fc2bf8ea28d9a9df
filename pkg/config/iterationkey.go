package config

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// iterationKey returns the identity of an item of `iterations`, for this run and later
// runs. It is the id of the item. Without an id, or with a secret id, it is a hash of the
// contents without secrets, which does not depend on the order of keys.
func iterationKey(item value.Value) string {
	if item.IsNull() {
		return ""
	}
	id := item.Field(ConfigID.Name)
	if text := id.Text(); id.IsScalar() && text != "" && !id.Secret() {
		return text
	}
	sum := sha256.Sum256([]byte(withoutSecrets(item).JSON()))
	return hex.EncodeToString(sum[:16])
}

// withoutSecrets removes keys that begin with a hash sign, and replaces other secrets by
// null. It sorts the members of objects.
func withoutSecrets(v value.Value) value.Value {
	switch v.Kind() {
	case value.Array:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = withoutSecrets(item)
		}
		return value.OfItems(items...)
	case value.Object:
		var members []value.Member
		for _, m := range v.Members() {
			if !strings.HasPrefix(m.Name, "#") {
				members = append(members, value.Member{Name: m.Name, Value: withoutSecrets(m.Value)})
			}
		}
		slices.SortFunc(members, func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
		return value.OfMembers(members...)
	}
	if v.Secret() {
		return value.Value{}
	}
	return v
}
