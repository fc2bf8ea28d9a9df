package field

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Inside returns the declaration of a member, nil if it has none, and the type of its
// value, nil if any value is allowed.
func (t *Type) Inside(name string) (*Field, *Type) {
	base := t.base()
	if base == nil {
		return nil, nil
	}
	if f := base.Field(name); f != nil {
		return f, f.Type
	}
	return nil, base.Others
}

// Item returns the type of the items of a list, nil if any value is allowed.
func (t *Type) Item() *Type {
	if base := t.base(); base != nil {
		return base.Items
	}
	return nil
}

// Members returns the fields of an object that a person may add: those that are read and
// not deprecated. If one of them decides which others are used, such as the method of
// paging, fields that are not used are left out. given returns the value of a field in the
// object, null if it is absent.
func (t *Type) Members(given func(name string) value.Value) []*Field {
	base := t.base()
	if base == nil {
		return nil
	}
	var all []*Field
	for _, f := range base.Fields {
		if f.Type != nil && f.Deprecated == "" && base.uses(f, given) {
			all = append(all, f)
		}
	}
	return all
}

// uses reports whether a field is used with what was decided.
func (t *Type) uses(f *Field, given func(name string) value.Value) bool {
	if len(f.Variants) == 0 {
		return true
	}
	for _, deciding := range t.Fields {
		if !slices.ContainsFunc(deciding.Type.options(), func(c Choice) bool { return c.Name == f.Variants[0] }) {
			continue
		}
		v := given(deciding.Name)
		if v.Empty() {
			v = deciding.Default
		}
		return v.Empty() || slices.ContainsFunc(f.Variants, func(name string) bool { return strings.EqualFold(name, v.Raw()) })
	}
	return true
}

func (t *Type) options() []Choice {
	if base := t.base(); base != nil {
		return base.Choices
	}
	return nil
}

// Values returns the names of the choices that a text may have.
func (t *Type) Values() []string {
	if t.base() == nil {
		return nil
	}
	return t.choices()
}

// Needs reports whether the object must have the member.
func (t *Type) Needs(name string) bool { return slices.Contains(t.required(), name) }

// Allows reports whether a value may be of this kind.
func (t *Type) Allows(k value.Kind) bool { return t.base() == nil || t.allows(k) }

// Describes returns the title of the type for people: "string", "list", "Paging".
func (t *Type) Describes() string {
	base := t.base()
	switch {
	case base == nil:
		return "any value"
	case t.Title != "":
		return t.Title
	case base.Title != "":
		return base.Title
	case len(base.Kinds) == 0:
		return "any value"
	default:
		return strings.Join(base.Kinds, " or ")
	}
}
