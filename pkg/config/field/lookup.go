package field

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Inside returns the declaration and the type of a member. The field is nil if the member
// is not declared. The type is nil if any value is allowed.
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

// Item returns the type of the items of a list, or nil if any value is allowed.
func (t *Type) Item() *Type {
	if base := t.base(); base != nil {
		return base.Items
	}
	return nil
}

// Members returns the fields that a person may add to an object: fields that are read and
// not deprecated. If a field decides which others are used, such as the method of
// pagination, Members leaves out fields that are not used. given returns the value of a
// field in the object, or null.
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

// uses reports whether a field is used with the given values.
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

// Values returns the names of the allowed choices.
func (t *Type) Values() []string {
	if t.base() == nil {
		return nil
	}
	return t.choices()
}

// Needs reports whether the member is required.
func (t *Type) Needs(name string) bool { return slices.Contains(t.required(), name) }

// Allows reports whether a value of this kind is allowed.
func (t *Type) Allows(k value.Kind) bool { return t.base() == nil || t.allows(k) }

// Describes returns the title of the type: "string", "list", "Pagination".
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
