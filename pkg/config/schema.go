package config

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// schemaText is the JSON Schema of the document: the one source for validation,
// for the reference in docs/configuration.md and for completion in editors.
//
// Besides the standard keywords it has `errorMessage` and `deprecationMessage`,
// which editors know too, `ignoreCase` for an `enum` that does not look at the
// case of letters, and `emptyMeans` and `nullMeans`: the value that an empty
// one, or null, stands for where the original takes it for one that is set. It
// keeps to keywords that judge one value at a time (no anyOf, oneOf, allOf, not,
// if), so that every violation can be told in one plain sentence.
//
//go:embed schema.json
var schemaText []byte

// Schema is the JSON Schema (draft 2020-12) of the document, as text.
func Schema() []byte { return slices.Clone(schemaText) }

// schema is the JSON Schema in the two forms that reading a document needs.
type schema struct {
	validator *jsonschema.Schema
	root      *shape
	shapes    map[string]*shape // by JSON pointer in the schema
	// owners are the paths of the sections that have a key of a name.
	owners map[string][]string
}

// loadSchema compiles the schema when it is needed first. A schema that does not
// compile is a fault of this program that no input can cause.
var loadSchema = sync.OnceValue(func() *schema {
	text, err := value.Parse(schemaText)
	if err != nil {
		panic("the embedded schema is no JSON: " + err.Error())
	}
	id := text.Field("$id").Raw()
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(id, native(rules(text))); err != nil {
		panic("the embedded schema cannot be added: " + err.Error())
	}
	validator, err := compiler.Compile(id)
	if err != nil {
		panic("the embedded schema is not valid: " + err.Error())
	}
	s := &schema{validator: validator, shapes: map[string]*shape{}}
	s.root = s.load(text, text, "")
	s.findOwners(s.shapes["/$defs/parameters"])
	return s
})

// rules is the schema without what is for people and editors, and without the
// closing of objects, for unknown keys are found in another way: the validator
// compiles what is left in two thirds of the time.
func rules(schema value.Value) value.Value {
	var kept []value.Member
	for _, m := range schema.Members() {
		switch m.Name {
		case "$schema", "$id", "$ref", "type", "enum", "pattern", "minLength", "minItems", "minProperties", "required":
		case "properties", "$defs":
			members := make([]value.Member, 0, m.Value.Len())
			for _, inner := range m.Value.Members() {
				members = append(members, value.Member{Name: inner.Name, Value: rules(inner.Value)})
			}
			m.Value = value.OfMembers(members...)
		case "items", "additionalProperties":
			if m.Value.Kind() != value.Object {
				continue
			}
			m.Value = rules(m.Value)
		default:
			continue
		}
		kept = append(kept, m)
	}
	return value.OfMembers(kept...)
}

// native is a value as the validator knows it. Numbers become integers or
// doubles: an exponent of a thousand digits must not be computed exactly.
func native(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.True()
	case value.Number:
		if i, err := strconv.ParseInt(v.Raw(), 10, 64); err == nil {
			return i
		}
		f, _ := v.Float()
		return max(min(f, math.MaxFloat64), -math.MaxFloat64)
	case value.String:
		return v.Raw()
	case value.Array:
		items := make([]any, v.Len())
		for i, item := range v.Items() {
			items[i] = native(item)
		}
		return items
	case value.Object:
		members := make(map[string]any, v.Len())
		for _, m := range v.Members() {
			members[m.Name] = native(m.Value)
		}
		return members
	default:
		return nil
	}
}
