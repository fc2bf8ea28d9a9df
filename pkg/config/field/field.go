// Package field holds the declarations of settings, and everything that follows
// from them: reading a value, checking a document, the JSON Schema, hints for
// unknown keys, and which settings are paths or names of parameters.
//
// A setting is declared once, beside the code that reads it. The declarations of
// a whole document are a Type, see the package language, which puts them
// together. This package knows no setting by name.
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
	// Doc is its meaning in the reference: whole sentences in Markdown.
	Doc string
	// Type is nil for what is not read.
	Type *Type
	// Default is what an absent value means, null for nothing in particular.
	Default value.Value
	// Empty and Null are the values that an empty value, and null, stand for where
	// they are not other words for absent; nil is absent.
	Empty, Null *value.Value
	// Required fields must be there, see Type.Required.
	Required bool
	// Deprecated says what is used instead, "" for fields that are not.
	Deprecated failure.Text
	// Examples are JSON texts. Each is tested.
	Examples []string
	// AlsoCalled are names that other tools have for it, in lower case.
	AlsoCalled []string
	// Role is what else the value is besides a setting.
	Role Role
	// Separator is what parts the keys of a path: the field beside it that says
	// so; nil is a dot.
	Separator *Setting[string]
}

// Role is what the value of a field is, for those who look at a document without
// knowing its settings.
type Role int

// The roles.
const (
	NoRole Role = iota
	// Path leads to a value in an answer or in an item of one.
	Path
	// Parameter is the name of a parameter of requests.
	Parameter
	// Headers are names and values of headers.
	Headers
	// Literal is taken as it is: nothing in it is evaluated.
	Literal
	// InAdvance lets pages be asked for in advance, which needs concurrency.
	InAdvance
	// PathInAdvance is Path and InAdvance.
	PathInAdvance
	// Naming holds names and paths, which are no secrets whatever they are called.
	Naming
)

// Declared is a field, or a Setting that reads it.
type Declared interface{ declared() *Field }

func (f *Field) declared() *Field { return f }

// Fields are the fields of settings.
func Fields(all ...Declared) []*Field {
	fields := make([]*Field, len(all))
	for i, one := range all {
		fields[i] = one.declared()
	}
	return fields
}

// Setting is a field and the way to read it. The methods that return a Setting
// complete its declaration in place: call them only there.
type Setting[T any] struct {
	*Field
	fallback T
	read     func(s Section, fallback T) T
	of       func(T) value.Value
}

// Of is the value of the setting in a section, or its default. What cannot be
// read becomes a problem.
func (s Setting[T]) Of(parent Section) T { return s.read(parent.Get(s.Name), s.fallback) }

// In is the part of a section where the setting stands.
func (s Setting[T]) In(parent Section) Section { return parent.Get(s.Name) }

// Text declares a text; a number or a boolean is taken as its text.
func Text(name, title, doc string) Setting[string] {
	return Setting[string]{&Field{Name: name, Title: title, Doc: doc, Type: TextType}, "", Section.text, value.OfString}
}

// Integer declares an integer, also as a numeric string.
func Integer(name, title, doc string) Setting[int] {
	return Setting[int]{&Field{Name: name, Title: title, Doc: doc, Type: IntegerType}, 0, Section.int,
		func(i int) value.Value { return value.OfInt(int64(i)) }}
}

// Flag declares a flag, false by default. Any scalar has a truth.
func Flag(name, title, doc string) Setting[bool] {
	return Setting[bool]{&Field{Name: name, Title: title, Doc: doc, Type: FlagType}, false, Section.bool, value.OfBool}.Default(false)
}

// Of declares a setting of any type, which the package that declares it reads.
func Of(name, title, doc string, t *Type) Setting[Section] {
	return Setting[Section]{&Field{Name: name, Title: title, Doc: doc, Type: t}, Section{}, func(s, _ Section) Section { return s },
		func(Section) value.Value { return value.Value{} }}
}

// Seconds declares a number that its reader takes as a time.
func Seconds(name, title, doc string) Setting[Section] { return Of(name, title, doc, NumberType) }

// Unread declares a member that others read and that may be anything.
func Unread(name, title, doc string) Setting[Section] { return Of(name, title, doc, nil) }

// Default is the setting with a default.
func (s Setting[T]) Default(v T) Setting[T] {
	s.fallback, s.Field.Default = v, s.of(v)
	return s
}

// DefaultJSON is the setting with a default that its reader fills in.
func (s Setting[T]) DefaultJSON(text string) Setting[T] {
	s.Field.Default = parsed(text)
	return s
}

// Typed is the setting with a narrower type.
func (s Setting[T]) Typed(t *Type) Setting[T] {
	s.Type = t
	return s
}

// Example adds examples: JSON texts.
func (s Setting[T]) Example(texts ...string) Setting[T] {
	s.Examples = append(s.Examples, texts...)
	return s
}

// Must is the setting that has to be there.
func (s Setting[T]) Must() Setting[T] {
	s.Required = true
	return s
}

// Old is the setting with what to use instead.
func (s Setting[T]) Old(instead failure.Text) Setting[T] {
	s.Deprecated = instead
	return s
}

// EmptyMeans is the setting for which an empty value is a value.
func (s Setting[T]) EmptyMeans(v T) Setting[T] {
	empty := s.of(v)
	s.Empty = &empty
	return s
}

// NullMeans is the setting for which null is a value.
func (s Setting[T]) NullMeans(v T) Setting[T] {
	null := s.of(v)
	s.Null = &null
	return s
}

// Also is the setting with names that other tools have for it.
func (s Setting[T]) Also(names ...string) Setting[T] {
	s.AlsoCalled = names
	return s
}

// As is the setting with a role.
func (s Setting[T]) As(role Role) Setting[T] {
	s.Role = role
	return s
}

// PartedBy is the setting of a path whose separator another setting holds.
func (s Setting[T]) PartedBy(separator Setting[string]) Setting[T] {
	s.Role, s.Separator = Path, &separator
	return s
}

// meaning is what an empty value stands for, nil where it is another word for
// absent.
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

// parsed is the value of a JSON text in a declaration.
func parsed(text string) value.Value {
	v, err := value.Parse([]byte(text))
	if err != nil {
		panic("a declaration holds no JSON: " + strconv.Quote(text)) // a test builds all of them
	}
	return v
}

// Choices are values by their names.
func Choices(names ...string) []Choice {
	all := make([]Choice, len(names))
	for i, name := range names {
		all[i] = Choice{Name: name}
	}
	return all
}

// Variant is a value of a setting on which it depends which others count.
type Variant struct {
	Name             string
	Settings, Needed []Declared
}

// Union are the fields of all variants, each once, in their order. The
// documentation of each begins with the variants that have it; what says
// which variant counts is called so, e.g. "Method".
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
		f.Doc = prefix + ": " + strings.ToLower(f.Doc[:1]) + f.Doc[1:]
	}
	return fields
}

// With is the field with its type, which was not known where it is declared.
func (s Setting[T]) With(t *Type) *Field {
	f := *s.Field
	f.Type = t
	return &f
}
