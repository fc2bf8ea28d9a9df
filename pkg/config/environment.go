package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// CredentialType is the type of the settings of `config` that are credentials.
var CredentialType = &field.Type{Name: "credential", Title: "Credential", Doc: "A text, or an environment variable that contains it.",
	Kinds: []string{"string", "number", "boolean", "object"}, Message: "expected a string, or {\"env\": \"NAME\"}",
	Fields: field.Fields(
		field.Text(string(expr.Env), "Environment variable", "The variable is `"+expr.EnvPrefix+"` and this name. Its value is a secret.").Example(`"API_KEY"`).Must(),
		field.Of("default", "Default", "Used if the variable is not set.", ExpressionType).Example(`"test"`))}

// withEnvironment replaces references to environment variables in the attributes: in
// `config` and in the items of `iterations`. Their values are secrets. In the original
// extractor such an object is data. So it stays if no expression refers to the attribute
// as a whole, unless the attribute is a credential.
func (c *compiler) withEnvironment() value.Value {
	wrapper := []string{Wrapper.Name}
	if c.document.Field(Wrapper.Name).Empty() {
		wrapper = nil
	}
	e := environment{compiler: c, names: map[string]bool{}}
	for _, name := range appendAttributeNames(c.document, nil) {
		e.names[name] = true
	}
	for _, f := range field.Fields(ownSettings(nil, nil)...) {
		e.settings = append(e.settings, f.Name)
	}
	settings := Section{Value: c.document.Lookup(wrapper), Pointer: strings.Join(append([]string{""}, wrapper...), "/")}
	filled := settings.Value.Map(func(m value.Member) value.Member {
		at := settings.Get(m.Name)
		switch m.Name {
		case ConfigSection.Name:
			m.Value = e.section(at)
		case IterationsSection.Name:
			items := slices.Clone(m.Value.Items())
			for i, item := range at.Items()[:len(items)] {
				items[i] = e.section(item)
			}
			if m.Value.Kind() == value.Array {
				m.Value = value.OfItems(items...)
			}
		}
		return m
	})
	if wrapper == nil {
		return filled
	}
	return c.document.With(Wrapper.Name, filled)
}

// environment replaces references to environment variables in the attributes of a
// document.
type environment struct {
	*compiler
	// names are the names of the attributes that expressions refer to.
	names map[string]bool
	// settings are the keys of `config` that this package declares.
	settings []string
}

// section replaces the references in `config` or in an item of `iterations`.
func (e environment) section(s Section) value.Value {
	return s.Value.Map(func(m value.Member) value.Member {
		if m.Name != "" && !slices.Contains(e.settings, m.Name) {
			m.Value = e.value(s.Get(m.Name), m.Name)
		}
		return m
	})
}

// value replaces the references in an attribute. path is the name of the attribute.
func (e environment) value(s Section, path string) value.Value {
	form, ok := e.Vocabulary.All().References.At(expr.InAttributes).Parse(s.Value, true)
	if !ok || !form.Is(expr.Env) {
		if s.Value.Kind() == value.Object && e.isCredential(path) {
			e.problems.Add(failure.Problem{Code: failure.WrongType, Pointer: s.Pointer, Found: "an object", Expected: "expected a string, or {\"env\": \"NAME\"}"})
			return value.OfString(path)
		}
		items := slices.Collect(func(yield func(Section) bool) {
			for _, item := range s.Items() {
				if !yield(item) {
					return
				}
			}
		})
		i := -1
		return s.Value.Map(func(m value.Member) value.Member {
			i++
			tokens := failure.PointerSplit(items[i].Pointer)
			m.Value = e.value(items[i], path+"."+tokens[len(tokens)-1])
			return m
		})
	}
	if !e.names[path] && !e.isCredential(path) {
		return s.Value
	}
	v, ok := e.variable(form, s.Pointer)
	if !ok {
		return value.OfString(path)
	}
	if text := v.Text(); e.Conceal != nil && text != "" {
		e.Conceal(text)
	}
	return v.AsSecret()
}

// isCredential reports whether a package declares a setting with the name of the
// attribute.
func (e environment) isCredential(name string) bool {
	settings := e.Tree.Root().Field(Wrapper.Name).Type.Field(ConfigSection.Name).Type
	for settings.Base != nil {
		settings = settings.Base
	}
	return settings.Field(name) != nil
}

// variable evaluates a reference to the environment. On failure it reports a problem and
// returns false.
func (e environment) variable(form expr.Form, pointer string) (value.Value, bool) {
	envPointer := failure.PointerJoin(pointer, string(expr.Env))
	name := form.Name.Raw()
	if form.Name.Kind() != value.String || !isVariableName(name) {
		e.problems.Add(failure.Problem{Code: failure.UnknownAttribute, Pointer: envPointer, Found: field.Describe(envPointer, form.Name),
			Expected: "expected the name of an environment variable: letters, digits and _", Hint: "{\"env\": \"API_KEY\"} is the variable " + expr.EnvPrefix + "API_KEY"})
		return value.Value{}, false
	}
	if e.Getenv != nil {
		if text := e.Getenv(expr.EnvPrefix + name); text != "" {
			return value.OfString(text), true
		}
	}
	if form.HasDefault {
		at := failure.PointerJoin(pointer, "default")
		before := len(*e.problems)
		compiled := expr.Compiler{Place: expr.InAttributes, Exact: true, Vocabulary: e.Vocabulary, Problems: e.problems}.Compile(form.Default, at)
		if len(*e.problems) > before {
			return value.Value{}, false
		}
		return evaluator{compiler: e.compiler, registerSecret: e.Conceal, environment: e.variables}.eval(compiled, at)
	}
	hint := failure.Text("set it, or add a \"default\"")
	if bare, ok := strings.CutPrefix(name, expr.EnvPrefix); ok {
		hint = "write the name without " + expr.EnvPrefix + ": {\"env\": " + failure.Part(strconv.Quote(bare)) + "}"
	}
	e.problems.Add(failure.Problem{Code: failure.MissingVariable, Pointer: envPointer, Found: field.Quoted(name),
		Expected: "expected the environment variable " + failure.Part(expr.EnvPrefix+name) + ", which is not set", Hint: hint})
	return value.Value{}, false
}

// variables returns the value of an environment variable that the default of another
// variable refers to.
func (e environment) variables(name string) (value.Value, bool) {
	if e.Getenv == nil {
		return value.Value{}, false
	}
	text := e.Getenv(expr.EnvPrefix + name)
	return value.OfString(text), text != ""
}

func isVariableName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
