// Package field contains the declarations of settings and everything derived from them:
// reading values, checking documents, the JSON Schema, hints for unknown keys, and the
// roles of settings, such as paths and names of parameters.
//
// A setting is declared once, beside the code that reads it. Package schema combines the
// declarations into the Type of a whole document. Package field does not know any setting
// by name.
package field

import (
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Field declares one setting: a member of an object in the document.
type Field struct {
	Name  string
	Title string
	// Doc is the description in the reference: sentences in Markdown.
	Doc string
	// Type is nil if the program does not read the value.
	Type *Type
	// Default is the value of an absent field. Null means that there is no default.
	Default value.Value
	// Empty and Null replace an empty value and null. If they are nil, such a value
	// counts as absent.
	Empty, Null *value.Value
	// Required makes an absent field a problem. See also Type.Required.
	Required bool
	// Deprecated describes the replacement. It is "" if the field is not deprecated.
	Deprecated failure.Text
	// Examples are JSON texts. A test checks each of them.
	Examples []string
	// AlsoCalled contains the names in other tools, in lower case.
	AlsoCalled []string
	Role       Role
	// Variants are the values of another field that this field is used with. Nil means
	// all values.
	Variants []string
	// Places are the sites of the expressions in the value. There are several if the
	// section decides. A field without sites has the sites of the field around it.
	Places []Site
	// Separator is the field with the separator of a path. Nil means a dot.
	Separator *Setting[string]
}

// Site is a kind of place with expressions, as named in the reference. It decides which
// references exist.
type Site string

// Role is the kind of value in a field. Code that does not know the settings uses it to
// handle documents.
type Role int

// The roles.
const (
	_ Role = iota
	// Path is a path to a value in a response or in an item.
	Path
	// Condition is a condition, see package condition.
	Condition
	// Parameter is the name of a parameter of requests.
	Parameter
	// Headers is an object of header names and values.
	Headers
	// LookaheadRole makes the run request pages in advance, which requires concurrency.
	LookaheadRole
	// NamingRole is the role of values with names and paths. These are not secrets, even
	// if their keys begin with #.
	NamingRole
	// RememberRole is like NamingRole. The names are names of remembered values.
	RememberRole
)

// Declaration is a *Field or a Setting.
type Declaration interface{ declared() *Field }

func (f *Field) declared() *Field { return f }

// Fields returns the fields of declarations.
func Fields(all ...Declaration) []*Field {
	fields := make([]*Field, len(all))
	for i, one := range all {
		fields[i] = one.declared()
	}
	return fields
}

// Setting is a field with the function that reads it. Methods that return a Setting
// change the field, so call them only in its declaration.
type Setting[T any] struct {
	*Field
	fallback T
	read     func(s Section, fallback T) T
	toValue  func(T) value.Value
}

// Of returns the value of the setting in a section, or its default. It reports a value of
// the wrong type.
func (s Setting[T]) Of(parent Section) T { return s.read(parent.Get(s.Name), s.fallback) }

// In returns the section of the setting in its parent.
func (s Setting[T]) In(parent Section) Section { return parent.Get(s.Name) }

// Text declares a text setting. It converts numbers and booleans.
func Text(name, title, doc string) Setting[string] {
	return Setting[string]{&Field{Name: name, Title: title, Doc: doc, Type: TextType}, "", Section.text, value.OfString}
}

// Integer declares an integer setting. It converts numeric strings.
func Integer(name, title, doc string) Setting[int] {
	return Setting[int]{&Field{Name: name, Title: title, Doc: doc, Type: IntegerType}, 0, Section.int,
		func(i int) value.Value { return value.OfInt(int64(i)) }}
}

// Flag declares a flag, which is false by default. It converts any scalar.
func Flag(name, title, doc string) Setting[bool] {
	return Setting[bool]{&Field{Name: name, Title: title, Doc: doc, Type: FlagType}, false, Section.bool, value.OfBool}.Default(false)
}

// Of declares a setting of any type. The declaring package reads the value.
func Of(name, title, doc string, t *Type) Setting[Section] {
	return Setting[Section]{&Field{Name: name, Title: title, Doc: doc, Type: t}, Section{}, func(s, _ Section) Section { return s },
		func(Section) value.Value { return value.Value{} }}
}

// Seconds declares a duration in seconds.
func Seconds(name, title, doc string) Setting[time.Duration] {
	return Setting[time.Duration]{&Field{Name: name, Title: title, Doc: doc, Type: NumberType}, 0, Section.duration,
		func(d time.Duration) value.Value { return value.OfInt(int64(d / time.Second)) }}
}

// Group declares an object of settings.
func Group(name, title, doc string, fields ...Declaration) Setting[Section] {
	return Of(name, title, doc, Object("", title, doc, fields...))
}

// Unread declares a member that only other programs read.
func Unread(name, title, doc string) Setting[Section] { return Of(name, title, doc, nil) }

// Default sets the default value.
func (s Setting[T]) Default(v T) Setting[T] {
	s.fallback, s.Field.Default = v, s.toValue(v)
	return s
}

// Fallback returns the default value.
func (s Setting[T]) Fallback() T { return s.fallback }

// DefaultJSON sets the default in the reference. The package that reads the value applies
// it.
func (s Setting[T]) DefaultJSON(text string) Setting[T] {
	s.Field.Default = mustParse(text)
	return s
}

// Typed replaces the type by a narrower one.
func (s Setting[T]) Typed(t *Type) Setting[T] {
	s.Type = t
	return s
}

// Example adds examples as JSON texts.
func (s Setting[T]) Example(texts ...string) Setting[T] {
	s.Examples = append(s.Examples, texts...)
	return s
}

// Must makes the setting required.
func (s Setting[T]) Must() Setting[T] {
	s.Required = true
	return s
}

// Old makes the setting deprecated. instead describes the replacement.
func (s Setting[T]) Old(instead failure.Text) Setting[T] {
	s.Deprecated = instead
	return s
}

// EmptyMeans sets the value that replaces an empty value.
func (s Setting[T]) EmptyMeans(v T) Setting[T] {
	empty := s.toValue(v)
	s.Empty = &empty
	return s
}

// NullMeans sets the value that replaces null.
func (s Setting[T]) NullMeans(v T) Setting[T] {
	null := s.toValue(v)
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

// Evaluated sets the sites of the expressions in the value.
func (s Setting[T]) Evaluated(sites ...Site) Setting[T] {
	s.Places = sites
	return s
}

// PartedBy makes the setting a path. Another setting contains its separator.
func (s Setting[T]) PartedBy(separator Setting[string]) Setting[T] {
	s.Role, s.Separator = Path, &separator
	return s
}

// meaning returns the value that replaces an empty value, or nil if it counts as absent.
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

// mustParse parses a JSON text in a declaration.
func mustParse(text string) value.Value {
	v, err := value.Parse([]byte(text))
	if err != nil {
		panic("a declaration holds no JSON: " + strconv.Quote(text)) // a test builds all of them
	}
	return v
}

// Choices returns a choice for each name.
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

// Union returns the fields of all variants without duplicates, in their order. It adds
// the variants to the beginning of each Doc. what is the noun for the variants, e.g.
// "Method".
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

// With returns the field with another type, for a type that the declaration does not
// know.
func (s Setting[T]) With(t *Type) *Field {
	f := *s.Field
	f.Type = t
	return &f
}
