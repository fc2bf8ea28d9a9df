// Package field has the declarations of settings and what is derived from them:
// reading values, checking documents, the JSON Schema, hints for unknown keys, and
// which settings are paths or names of parameters.
//
// A setting is declared once, beside the code that reads it. Package language puts the
// declarations of a whole document together as a Type. This package knows no setting
// by name.
package field

import (
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Field is the declaration of one setting: a member of an object of the document.
type Field struct {
	Name  string
	Title string
	// Doc describes it in the reference: sentences in Markdown.
	Doc string
	// Type is nil if the value is not read.
	Type *Type
	// Default is the value if the field is absent; null is none.
	Default value.Value
	// Empty and Null are the meanings of an empty value and of null; nil means absent.
	Empty, Null *value.Value
	// Required fields must be there, see Type.Required.
	Required bool
	// Deprecated says what to use instead; "" if it is not deprecated.
	Deprecated failure.Text
	// Examples are JSON texts. Each is tested.
	Examples []string
	// AlsoCalled are its names in other tools, in lower case.
	AlsoCalled []string
	Role       Role
	// Variants are the values of another field with which this one is used; nil is all.
	Variants []string
	// Places are those of the expressions in the value, more than one if the section
	// decides. Without any they are those of the field around this one.
	Places []Site
	// Separator is the field with the separator of a path; nil is a dot.
	Separator *Setting[string]
}

// Site is a kind of place with expressions, in the words of the reference. It decides
// which references exist.
type Site string

// Role is the kind of value that a field has, for code that handles documents without
// knowing their settings.
type Role int

// The roles.
const (
	NoRole Role = iota
	// Path leads to a value in a response or in an item of one.
	Path
	// Condition is a condition on a response, see package condition.
	Condition
	// Parameter is the name of a parameter of requests.
	Parameter
	// Headers are names and values of headers.
	Headers
	// LookaheadRole makes the run request pages in advance, which needs concurrency.
	LookaheadRole
	// NamingRole has names and paths, which are not secrets even if their keys begin with #.
	NamingRole
	// RememberRole is Naming; the names are those of values for the next run.
	RememberRole
)

// Declaration is a field, or a Setting that reads it.
type Declaration interface{ declared() *Field }

func (f *Field) declared() *Field { return f }

// Fields returns the fields of settings.
func Fields(all ...Declaration) []*Field {
	fields := make([]*Field, len(all))
	for i, one := range all {
		fields[i] = one.declared()
	}
	return fields
}

// Setting is a field and the way to read it. The methods that return a Setting change
// the field: call them only in its declaration.
type Setting[T any] struct {
	*Field
	fallback T
	read     func(s Section, fallback T) T
	of       func(T) value.Value
}

// Of returns the value of the setting in a section, or its default. A value of the
// wrong type is a problem.
func (s Setting[T]) Of(parent Section) T { return s.read(parent.Get(s.Name), s.fallback) }

// In returns the part of a section with the setting.
func (s Setting[T]) In(parent Section) Section { return parent.Get(s.Name) }

// Text declares a text. A number or a boolean is converted.
func Text(name, title, doc string) Setting[string] {
	return Setting[string]{&Field{Name: name, Title: title, Doc: doc, Type: TextType}, "", Section.text, value.OfString}
}

// Integer declares an integer. A numeric string is converted.
func Integer(name, title, doc string) Setting[int] {
	return Setting[int]{&Field{Name: name, Title: title, Doc: doc, Type: IntegerType}, 0, Section.int,
		func(i int) value.Value { return value.OfInt(int64(i)) }}
}

// Flag declares a flag, false by default. Any scalar is converted.
func Flag(name, title, doc string) Setting[bool] {
	return Setting[bool]{&Field{Name: name, Title: title, Doc: doc, Type: FlagType}, false, Section.bool, value.OfBool}.Default(false)
}

// Of declares a setting of any type. The package that declares it reads the value.
func Of(name, title, doc string, t *Type) Setting[Section] {
	return Setting[Section]{&Field{Name: name, Title: title, Doc: doc, Type: t}, Section{}, func(s, _ Section) Section { return s },
		func(Section) value.Value { return value.Value{} }}
}

// Seconds declares a number of seconds.
func Seconds(name, title, doc string) Setting[Section] { return Of(name, title, doc, NumberType) }

// Unread declares a member of any type that other programs read.
func Unread(name, title, doc string) Setting[Section] { return Of(name, title, doc, nil) }

// Default sets the default.
func (s Setting[T]) Default(v T) Setting[T] {
	s.fallback, s.Field.Default = v, s.of(v)
	return s
}

// DefaultJSON sets the default in the reference; its reader has to apply it.
func (s Setting[T]) DefaultJSON(text string) Setting[T] {
	s.Field.Default = parsed(text)
	return s
}

// Typed sets a narrower type.
func (s Setting[T]) Typed(t *Type) Setting[T] {
	s.Type = t
	return s
}

// Example adds examples: JSON texts.
func (s Setting[T]) Example(texts ...string) Setting[T] {
	s.Examples = append(s.Examples, texts...)
	return s
}

// Must makes the setting required.
func (s Setting[T]) Must() Setting[T] {
	s.Required = true
	return s
}

// Old makes the setting deprecated.
func (s Setting[T]) Old(instead failure.Text) Setting[T] {
	s.Deprecated = instead
	return s
}

// EmptyMeans sets the meaning of an empty value.
func (s Setting[T]) EmptyMeans(v T) Setting[T] {
	empty := s.of(v)
	s.Empty = &empty
	return s
}

// NullMeans sets the meaning of null.
func (s Setting[T]) NullMeans(v T) Setting[T] {
	null := s.of(v)
	s.Null = &null
	return s
}

// Also sets the names in other tools.
func (s Setting[T]) Also(names ...string) Setting[T] {
	s.AlsoCalled = names
	return s
}

// As sets the role.
func (s Setting[T]) As(role Role) Setting[T] {
	s.Role = role
	return s
}

// Evaluated sets the places of the expressions in the value.
func (s Setting[T]) Evaluated(places ...Site) Setting[T] {
	s.Places = places
	return s
}

// PartedBy makes the setting a path with the separator of another setting.
func (s Setting[T]) PartedBy(separator Setting[string]) Setting[T] {
	s.Role, s.Separator = Path, &separator
	return s
}

// meaning returns the meaning of an empty value, nil for absent.
func (f *Field) meaning(v value.Value) *value.Value {
	switch {
	case v.IsNull():
		return f.Null
	case v.Empty():
		return f.Empty
	default:
		return nil
	}
}

// parsed returns the value of a JSON text in a declaration.
func parsed(text string) value.Value {
	v, err := value.Parse([]byte(text))
	if err != nil {
		panic("a declaration holds no JSON: " + strconv.Quote(text)) // a test builds all of them
	}
	return v
}

// Choices makes choices of names.
func Choices(names ...string) []Choice {
	all := make([]Choice, len(names))
	for i, name := range names {
		all[i] = Choice{Name: name}
	}
	return all
}

// Variant is a value of a setting that decides which other settings are used.
type Variant struct {
	Name             string
	Settings, Needed []Declaration
}

// Union returns the fields of all variants, each once, in their order. The Doc of each
// begins with its variants; what is the noun for them, e.g. "Method".
func Union(what string, variants []Variant) []*Field {
	var fields []*Field
	names, needed := map[string][]string{}, map[string]bool{}
	for _, v := range variants {
		for _, f := range Fields(v.Settings...) {
			if names[f.Name] == nil {
				one := *f
				fields = append(fields, &one)
			}
			names[f.Name] = append(names[f.Name], "`"+v.Name+"`")
		}
		for _, f := range Fields(v.Needed...) {
			needed[f.Name] = true
		}
	}
	for _, f := range fields {
		all := names[f.Name]
		prefix := what + " " + all[0]
		if last := len(all) - 1; last > 0 {
			prefix = what + "s " + strings.Join(all[:last], ", ") + " and " + all[last]
		}
		if needed[f.Name] {
			prefix += ", required"
		}
		for _, name := range all {
			f.Variants = append(f.Variants, strings.Trim(name, "`"))
		}
		f.Doc = prefix + ": " + strings.ToLower(f.Doc[:1]) + f.Doc[1:]
	}
	return fields
}

// With returns the field with a type that is not known at its declaration.
func (s Setting[T]) With(t *Type) *Field {
	f := *s.Field
	f.Type = t
	return &f
}
