package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// shape is what one subschema says, as far as a walk along a document needs it.
type shape struct {
	ref        *shape   // what `$ref` points at; its keywords count too
	types      []string // empty allows all
	names      []string // of the properties that somebody reads, in the order of the schema
	properties map[string]*shape
	others     *shape // of members that are no property
	open       bool   // any other member is welcome
	items      *shape
	required   []string
	enum       []string
	ignoreCase bool
	// notEmpty: an empty value is a fault here, not another word for absent.
	notEmpty bool
	// emptyMeans and nullMeans are the values that an empty value, and null,
	// stand for where they are not other words for absent.
	emptyMeans, nullMeans *value.Value
	message               string
	deprecation           string
}

// load reads the subschema that stands at a place of the schema.
func (s *schema) load(root, node value.Value, pointer string) *shape {
	if known, ok := s.shapes[pointer]; ok {
		return known
	}
	sh := &shape{properties: map[string]*shape{}}
	s.shapes[pointer] = sh
	if ref := node.Field("$ref").Raw(); ref != "" {
		pointer := strings.TrimPrefix(ref, "#")
		target, _ := lookup(root, pointer)
		sh.ref = s.load(root, target, pointer)
	}
	sh.types = texts(node.Field("type"))
	sh.required = texts(node.Field("required"))
	sh.enum = texts(node.Field("enum"))
	sh.ignoreCase = node.Field("ignoreCase").True()
	sh.emptyMeans, sh.nullMeans = keyword(node, "emptyMeans"), keyword(node, "nullMeans")
	sh.message = node.Field("errorMessage").Raw()
	sh.deprecation = node.Field("deprecationMessage").Raw()
	for _, keyword := range []string{"minLength", "minItems", "minProperties"} {
		sh.notEmpty = sh.notEmpty || !node.Field(keyword).IsNull()
	}
	for _, m := range node.Field("properties").Members() {
		// Without a type it is nobody's business, and no hint should name it.
		if !m.Value.Field("type").IsNull() || !m.Value.Field("$ref").IsNull() {
			sh.names = append(sh.names, m.Name)
		}
		sh.properties[m.Name] = s.load(root, m.Value, pointer+"/properties/"+m.Name)
	}
	switch others := node.Field("additionalProperties"); others.Kind() {
	case value.Object:
		sh.others = s.load(root, others, pointer+"/additionalProperties")
	default:
		sh.open = others.True()
	}
	if items := node.Field("items"); items.Kind() == value.Object {
		sh.items = s.load(root, items, pointer+"/items")
	}
	return sh
}

// keyword is the value of a keyword, nil without it.
func keyword(node value.Value, name string) *value.Value {
	if v, ok := node.Get(name); ok {
		return &v
	}
	return nil
}

// texts are the strings of a list, or the one string in the place of a list.
func texts(v value.Value) []string {
	if v.Kind() == value.String {
		return []string{v.Raw()}
	}
	var all []string
	for _, item := range v.Items() {
		all = append(all, item.Raw())
	}
	return all
}

// base is the shape at the end of the references.
func (s *shape) base() *shape {
	for s != nil && s.ref != nil {
		s = s.ref
	}
	return s
}

// meaning is what an empty value stands for, nil where it is another word for
// absent.
func (s *shape) meaning(v value.Value) *value.Value {
	switch {
	case v.IsNull():
		return s.nullMeans
	case v.Empty():
		return s.emptyMeans
	default:
		return nil
	}
}

// allows tells whether values of this kind may stand here.
func (s *shape) allows(k value.Kind) bool {
	types := s.base().types
	switch {
	case len(types) == 0:
		return true
	case k == value.Number:
		return slices.Contains(types, "number") || slices.Contains(types, "integer")
	default:
		return slices.Contains(types, k.String())
	}
}

func (s *shape) requires(name string) bool {
	for ; s != nil; s = s.ref {
		if slices.Contains(s.required, name) {
			return true
		}
	}
	return false
}

func (s *shape) needsKeys() bool {
	for ; s != nil; s = s.ref {
		if len(s.required) > 0 {
			return true
		}
	}
	return false
}
