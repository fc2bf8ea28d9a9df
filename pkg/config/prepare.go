package config

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// preparer walks a document along the schema before it is validated. It settles
// what the original's language does by itself: an empty list is an empty object
// and the other way round, and an empty value is the same as none. On the way
// it meets unknown keys and old ones.
//
// Where the original asks whether a key is set, not whether it is empty, an empty
// value is a value: emptyMeans of the schema says which.
type preparer struct {
	warnings *failure.Problems
	unknown  []unknownKey
	sole     []string // places of single jobs where a list of jobs is expected
}

// unknownKey is a key the schema does not know, and those it knows beside it.
type unknownKey struct {
	pointer string
	name    string
	known   []string
}

func (p *preparer) prepare(v value.Value, s *shape, pointer string) value.Value {
	base := s.base()
	switch {
	case base == nil:
		return v
	case v.Kind() == value.Array && v.Len() == 0 && !s.allows(value.Array) && s.allows(value.Object):
		return value.OfMembers()
	case v.Kind() == value.Object && v.Len() == 0 && !s.allows(value.Object) && s.allows(value.Array):
		return value.OfItems()
	case soleJob(v, base):
		p.sole = append(p.sole, pointer)
		return value.OfItems()
	case soleSetting(v, base):
		return p.prepare(v, base.others, pointer)
	case v.Kind() == value.Object:
		return p.members(v, s, pointer)
	case v.Kind() == value.Array && base.items != nil:
		return p.items(v, base.items, pointer)
	case v.Kind() == value.String && base.ignoreCase:
		for _, known := range base.enum {
			if strings.EqualFold(known, v.Raw()) {
				return value.OfString(known)
			}
		}
	}
	return v
}

// soleJob tells whether a value is one job in the place of a list of jobs, which
// could be an object with jobs in it.
func soleJob(v value.Value, s *shape) bool {
	return v.Field("endpoint").Kind() == value.String && s.items != nil && s.others != nil && s.items.requires("endpoint")
}

// soleSetting tells whether a value is one setting of a table in the place of a
// mapping, which is an object of settings. Its own keys are known then.
func soleSetting(v value.Value, s *shape) bool {
	if s.others == nil || v.Field("type").Raw() != "table" || v.Field("tableMapping").Kind() != value.Object {
		return false
	}
	_, ok := s.others.base().properties["tableMapping"]
	return ok
}

func (p *preparer) items(v value.Value, s *shape, pointer string) value.Value {
	items := make([]value.Value, 0, v.Len())
	for _, item := range (Section{Value: v, Pointer: pointer}).Items() {
		items = append(items, p.prepare(item.Value, s, item.Pointer))
	}
	return value.OfItems(items...)
}

func (p *preparer) members(v value.Value, s *shape, pointer string) value.Value {
	base := s.base()
	var kept []value.Member
	for _, m := range v.Members() {
		at := failure.PointerJoin(pointer, m.Name)
		property, known := base.properties[m.Name]
		switch {
		case known && property.meaning(m.Value) != nil:
			m.Value = *property.meaning(m.Value)
		case known:
			empty := m.Value.Empty()
			m.Value = p.prepare(m.Value, property, at)
			if property.absent(m.Value, empty, s.requires(m.Name)) {
				continue
			}
			if property.deprecation != "" {
				p.warnings.Add(failure.Problem{Code: failure.OldForm, Pointer: at, Expected: failure.Text(property.deprecation)})
			}
		case base.others != nil:
			m.Value = p.prepare(m.Value, base.others, at)
		case len(base.names) > 0 && !base.open && !strings.HasPrefix(m.Name, "__"):
			p.unknown = append(p.unknown, unknownKey{at, m.Name, base.names})
			continue
		}
		kept = append(kept, m)
	}
	return value.OfMembers(kept...)
}

// absent tells whether a member means the same as no member: null and the empty
// string; unless it is required, an empty value of another type, too, and an
// object that is empty although it would need keys. Whether a value is empty is
// judged before keys were left out of it.
func (s *shape) absent(v value.Value, empty, required bool) bool {
	base := s.base()
	switch {
	case v.IsNull():
		return len(base.types) > 0
	case len(base.types) == 1 && base.types[0] == "boolean":
		return false // nothing but a boolean says what was meant
	case v.Kind() == value.String && v.Raw() == "":
		return len(base.types) > 0 && !base.notEmpty
	case required || !empty:
		return false
	case !s.allows(v.Kind()):
		return true
	default:
		return v.Kind() == value.Object && s.needsKeys() && !base.notEmpty
	}
}
