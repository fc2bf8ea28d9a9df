package field

import (
	"regexp"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Type describes the values of a field. It must not change after NewTree. It may refer to
// itself.
type Type struct {
	// Name is the name of the definition in the schema. A type without a name is written
	// where it is used.
	Name string
	// Base is a type with rules that apply too. If it is set, only Name, Title, Doc and
	// Required may be set as well.
	Base       *Type
	Title, Doc string
	// Kinds are JSON types as in JSON Schema. An empty list allows all types.
	Kinds []string
	// Fields are the members of an object, in the order of the reference.
	Fields []*Field
	// AllowUnknown allows other members. AllowReferenced allows them only in the schema:
	// Read lists them as unknown, and package config reports those without a reference.
	AllowUnknown, AllowReferenced bool
	// Others is the type of members that are not declared. Items is the type of items of
	// a list.
	Others, Items *Type
	// Required contains names of required fields, in addition to Field.Required.
	Required []string
	// Choices are all values that a string may have.
	Choices    []Choice
	IgnoreCase bool // true if the case of Choices does not matter
	// NotEmpty contains the kinds that must not be empty. A value of another kind counts
	// as absent if it is empty.
	NotEmpty []string
	// Pattern must match every string.
	Pattern *Pattern
	// Message describes what is expected. If it is "", it is derived from Kinds.
	Message failure.Text
	// Hint is shown for a string that does not match Pattern.
	Hint failure.Text
	// IsSingleItem reports whether a value is a single item instead of a list or an
	// object of items. It may be nil. AloneFault is the problem with such a value. If it
	// is nil, the value is read as an item.
	IsSingleItem func(value.Value) bool
	AloneFault   *failure.Problem
	// OnlyUnknownKeys is the problem with an object that has only unknown and empty keys.
	// "" allows such an object.
	OnlyUnknownKeys failure.Text
	// Examples are JSON texts.
	Examples []string
}

// Choice is one of the values of a field.
type Choice struct {
	Name string
	// AlsoCalled contains the names in other tools.
	AlsoCalled []string
	// Hint describes what to write instead. If it is set, Name is not allowed: it is a
	// value of other tools.
	Hint failure.Text
	// Old is the warning for the old name of another choice, or "".
	Old failure.Text
}

// Pattern is a regular expression that is compiled at its first use.
type Pattern struct {
	Text    string
	matcher func() *regexp.Regexp
}

// NewPattern returns a pattern. Its first use panics if the text is invalid.
func NewPattern(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Types that many fields share. They allow the values that the original extractor
// converts: numeric strings to numbers, any scalar to a boolean.
var (
	number      = NewPattern(`^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$`)
	TextType    = &Type{Name: "text", Title: "string", Kinds: []string{"string", "number", "boolean"}, Message: "expected a string"}
	FlagType    = &Type{Name: "flag", Title: "boolean", Kinds: []string{"boolean", "number", "string"}, Message: "expected true or false"}
	IntegerType = &Type{Name: "integerLike", Title: "integer", Kinds: []string{"integer", "number", "string"}, Pattern: number, Message: "expected an integer"}
	NumberType  = &Type{Name: "numberLike", Title: "number", Kinds: []string{"number", "string"}, Pattern: number, Message: "expected a number"}
	// StrictText and BooleanType do not convert values.
	StrictText  = &Type{Kinds: []string{"string"}, Message: "expected a string"}
	BooleanType = &Type{Kinds: []string{"boolean"}}
	// Literals is an object of values that are not evaluated.
	Literals = &Type{Name: "literals", Title: "object of values", Kinds: []string{"object"}, AllowUnknown: true}
)

// ListOf returns the type of a list.
func ListOf(items *Type) *Type { return &Type{Kinds: []string{"array"}, Items: items} }

// MapOf returns the type of an object with any keys.
func MapOf(members *Type) *Type { return &Type{Kinds: []string{"object"}, Others: members} }

// Object returns the type of an object with the given fields.
func Object(name, title, doc string, fields ...Declaration) *Type {
	return &Type{Name: name, Title: title, Doc: doc, Kinds: []string{"object"}, Fields: Fields(fields...)}
}

// base returns the last type in the chain of Base.
func (t *Type) base() *Type {
	for t != nil && t.Base != nil {
		t = t.Base
	}
	return t
}

// Field returns the named field, or nil.
func (t *Type) Field(name string) *Field {
	if t = t.base(); t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.Fields, func(f *Field) bool { return f.Name == name }); i >= 0 {
		return t.Fields[i]
	}
	return nil
}

// names returns the names of fields that hints may suggest: fields that are read.
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

// IsChoice reports whether the values are choices, which are never secrets.
func (t *Type) IsChoice() bool { return t.base() != nil && len(t.base().Choices) > 0 }

// required returns the names of all required fields.
func (t *Type) required() []string {
	var all []string
	for ; t != nil; t = t.Base {
		all = append(all, t.Required...)
		for _, f := range t.Fields {
			if f.Required && !slices.Contains(all, f.Name) {
				all = append(all, f.Name)
			}
		}
	}
	return all
}

// allows reports whether the type allows values of this kind.
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
