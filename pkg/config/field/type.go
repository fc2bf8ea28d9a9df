package field

import (
	"regexp"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Type is what the values of a field may look like. A type is never changed once
// the fields of the document are put together; a recursive one refers to itself.
type Type struct {
	// Name is that of the definition in the schema which fields refer to; a type
	// without a name is written out where it is used.
	Name string
	// Base is a type whose rules count too; then only Required may be set.
	Base       *Type
	Title, Doc string
	// Kinds are JSON types in the words of JSON Schema; none allows all.
	Kinds []string
	// Fields are the members of an object, in the order of the reference.
	Fields []*Field
	// Open welcomes other members. Loose reports them only when no one refers to
	// them, and lets the schema allow them.
	Open, Loose bool
	// Others is the type of the members that are no field, Items that of the items
	// of a list.
	Others, Items *Type
	// Required are the names of fields that must be there, besides those that say
	// so themselves.
	Required []string
	// Choices are all values that a string may have.
	Choices    []Choice
	IgnoreCase bool // of Choices
	// NotEmpty are the kinds of which an empty value is an error. For any other
	// type an empty value means the same as none.
	NotEmpty []string
	// Pattern is a regular expression that a string must match.
	Pattern *Pattern
	// Message is what is expected, for a person; "" is made of Kinds.
	Message failure.Text
	// Alone reports whether a value is an item that stands in the place of a list or
	// an object of items; nil takes none for it. AloneFault is the error then;
	// without one the value is read as an item.
	Alone      func(value.Value) bool
	AloneFault *failure.Problem
	// Lost is the error about an object that was given, but of which nothing is left
	// without its unknown and empty keys; "" is no error.
	Lost failure.Text
	// Examples are JSON texts.
	Examples []string
}

// Choice is one of the values that a field may have.
type Choice struct {
	Name string
	// AlsoCalled are words of other tools that mean it.
	AlsoCalled []string
	// Hint says what to write instead. Such a choice is none of the values, but
	// other tools have it; Name is one of their words.
	Hint failure.Text
	// Old is the warning about the old name of another choice, "" for none.
	Old failure.Text
}

// Pattern is a regular expression that is compiled when it is needed.
type Pattern struct {
	Text    string
	matcher func() *regexp.Regexp
}

// NewPattern makes a pattern of an expression.
func NewPattern(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// The types that many fields share. What the original casts is allowed: a
// numeric string is a number, and any scalar has a truth.
var (
	number      = NewPattern(`^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$`)
	TextType    = &Type{Name: "text", Title: "string", Kinds: []string{"string", "number", "boolean"}, Message: "expected a string"}
	FlagType    = &Type{Name: "flag", Title: "boolean", Kinds: []string{"boolean", "number", "string"}, Message: "expected true or false"}
	IntegerType = &Type{Name: "integerLike", Title: "integer", Kinds: []string{"integer", "number", "string"}, Pattern: number, Message: "expected an integer"}
	NumberType  = &Type{Name: "numberLike", Title: "number", Kinds: []string{"number", "string"}, Pattern: number, Message: "expected a number"}
	// StrictText is a string as such, BooleanType true or false as such.
	StrictText  = &Type{Kinds: []string{"string"}, Message: "expected a string"}
	BooleanType = &Type{Kinds: []string{"boolean"}}
	// Literals is an object of values that are taken as they are.
	Literals = &Type{Name: "literals", Title: "object of values", Kinds: []string{"object"}, Open: true}
)

// ListOf is the type of a list.
func ListOf(items *Type) *Type { return &Type{Kinds: []string{"array"}, Items: items} }

// MapOf is the type of an object whose keys are names that the author chooses.
func MapOf(members *Type) *Type { return &Type{Kinds: []string{"object"}, Others: members} }

// Object is the type of an object with these fields.
func Object(name, title, doc string, fields ...Declared) *Type {
	return &Type{Name: name, Title: title, Doc: doc, Kinds: []string{"object"}, Fields: Fields(fields...)}
}

// base is the type at the end of Base.
func (t *Type) base() *Type {
	for t != nil && t.Base != nil {
		t = t.Base
	}
	return t
}

// Field is the field of that name, nil for none.
func (t *Type) Field(name string) *Field {
	if t = t.base(); t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.Fields, func(f *Field) bool { return f.Name == name }); i >= 0 {
		return t.Fields[i]
	}
	return nil
}

// names are those of the fields that someone reads.
func (t *Type) names() []string {
	var all []string
	for _, f := range t.base().Fields {
		if f.Type != nil { // without a type no hint should name it
			all = append(all, f.Name)
		}
	}
	return all
}

// choices are the values that a string may have.
func (t *Type) choices() []string {
	var all []string
	for _, c := range t.base().Choices {
		if c.Hint == "" {
			all = append(all, c.Name)
		}
	}
	return all
}

// required are the names of the fields that must be there.
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

// allows reports whether values of this kind may stand here.
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
