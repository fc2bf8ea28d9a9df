package field

import (
	"regexp"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Type is the type of a field's values. It must not be changed after NewTree. A type
// may refer to itself.
type Type struct {
	// Name is that of the definition in the schema. A type without a name is written
	// out where it is used.
	Name string
	// Base is a type whose rules apply too; then only Required may be set.
	Base       *Type
	Title, Doc string
	// Kinds are JSON types as in JSON Schema; none allows all.
	Kinds []string
	// Fields are the members of an object, in the order of the reference.
	Fields []*Field
	// AllowUnknown allows other members. Loose allows them in the schema, and reports those to
	// which the document does not refer.
	AllowUnknown, AllowReferenced bool
	// Others is the type of members that are no field, Items that of items of a list.
	Others, Items *Type
	// Required are names of required fields, besides those with Field.Required.
	Required []string
	// Choices are all values that a string may have.
	Choices    []Choice
	IgnoreCase bool // of Choices
	// NotEmpty are the kinds of which an empty value is an error. For other types an
	// empty value means absent.
	NotEmpty []string
	// Pattern is a regular expression that a string must match.
	Pattern *Pattern
	// Message says what is expected; "" is derived from Kinds.
	Message failure.Text
	// Hint says what to write instead of a string that does not match Pattern.
	Hint failure.Text
	// IsSingleItem reports whether a value is a single item instead of a list or an object of
	// items; nil is never. AloneFault is the error for it; without one the value is
	// read as an item.
	IsSingleItem func(value.Value) bool
	AloneFault   *failure.Problem
	// OnlyUnknownKeys is the error for an object that has only unknown and empty keys; "" is no
	// error.
	OnlyUnknownKeys failure.Text
	// Examples are JSON texts.
	Examples []string
}

// Choice is one of the values that a field may have.
type Choice struct {
	Name string
	// AlsoCalled are its names in other tools.
	AlsoCalled []string
	// Hint says what to write instead. With a hint Name is no allowed value, but a
	// value of other tools.
	Hint failure.Text
	// Old is the warning about the old name of another choice, "" for none.
	Old failure.Text
}

// Pattern is a regular expression that is compiled at its first use.
type Pattern struct {
	Text    string
	matcher func() *regexp.Regexp
}

// NewPattern makes a pattern.
func NewPattern(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// The types that many fields share. They allow what the original converts: numeric
// strings to numbers, any scalar to a boolean.
var (
	number      = NewPattern(`^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$`)
	TextType    = &Type{Name: "text", Title: "string", Kinds: []string{"string", "number", "boolean"}, Message: "expected a string"}
	FlagType    = &Type{Name: "flag", Title: "boolean", Kinds: []string{"boolean", "number", "string"}, Message: "expected true or false"}
	IntegerType = &Type{Name: "integerLike", Title: "integer", Kinds: []string{"integer", "number", "string"}, Pattern: number, Message: "expected an integer"}
	NumberType  = &Type{Name: "numberLike", Title: "number", Kinds: []string{"number", "string"}, Pattern: number, Message: "expected a number"}
	// StrictText and BooleanType convert nothing.
	StrictText  = &Type{Kinds: []string{"string"}, Message: "expected a string"}
	BooleanType = &Type{Kinds: []string{"boolean"}}
	// Literals is an object in which nothing is evaluated.
	Literals = &Type{Name: "literals", Title: "object of values", Kinds: []string{"object"}, AllowUnknown: true}
)

// ListOf is the type of a list.
func ListOf(items *Type) *Type { return &Type{Kinds: []string{"array"}, Items: items} }

// MapOf is the type of an object with any keys.
func MapOf(members *Type) *Type { return &Type{Kinds: []string{"object"}, Others: members} }

// Object is the type of an object with these fields.
func Object(name, title, doc string, fields ...Declaration) *Type {
	return &Type{Name: name, Title: title, Doc: doc, Kinds: []string{"object"}, Fields: Fields(fields...)}
}

// base follows Base to its end.
func (t *Type) base() *Type {
	for t != nil && t.Base != nil {
		t = t.Base
	}
	return t
}

// Field returns the field of that name, nil for none.
func (t *Type) Field(name string) *Field {
	if t = t.base(); t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.Fields, func(f *Field) bool { return f.Name == name }); i >= 0 {
		return t.Fields[i]
	}
	return nil
}

// names returns the names of fields that hints may suggest: those that are read.
func (t *Type) names() []string {
	var all []string
	for _, f := range t.base().Fields {
		if f.Type != nil {
			all = append(all, f.Name)
		}
	}
	return all
}

// choices returns the allowed values.
func (t *Type) choices() []string {
	var all []string
	for _, c := range t.base().Choices {
		if c.Hint == "" {
			all = append(all, c.Name)
		}
	}
	return all
}

// IsChoice reports whether the values are choices, which are no secrets.
func (t *Type) IsChoice() bool { return t.base() != nil && len(t.base().Choices) > 0 }

// required returns the names of the fields that must be there.
func (t *Type) required() []string {
	var all []string
	for ; t != nil; t = t.Base {
		all = append(all, t.Required...)
		for _, f := range t.Fields {
			if f.Required {
				all = append(all, f.Name)
			}
		}
	}
	return all
}

// allows reports whether the type has this kind.
func (t *Type) allows(k value.Kind) bool {
	kinds := t.base().Kinds
	switch {
	case len(kinds) == 0:
		return true
	case k == value.Number:
		return slices.Contains(kinds, "number") || slices.Contains(kinds, "integer")
	default:
		return slices.Contains(kinds, k.String())
	}
}
