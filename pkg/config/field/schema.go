package field

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Schema returns the JSON Schema (draft 2020-12) of documents, with the given id.
//
// Besides standard keywords it contains `errorMessage` and `deprecationMessage`, which
// editors know, `ignoreCase` for an `enum`, and `emptyMeans` and `nullMeans` (see
// Field.Empty). It does not use keywords that combine schemas (anyOf, oneOf, allOf, not,
// if).
//
// definitions replace types that fields refer to only by name.
func (t *Tree) Schema(id string, definitions ...*Type) []byte {
	w := &schemaWriter{defined: map[string]bool{}}
	root := w.keywords(t.root)
	head := object{{"$schema", value.OfString("https://json-schema.org/draft/2020-12/schema")}, {"$id", value.OfString(id)}}
	var defs object
	for len(w.pending) > 0 {
		next := w.pending[0]
		w.pending = w.pending[1:]
		if i := slices.IndexFunc(definitions, func(d *Type) bool { return d.Name == next.Name }); i >= 0 {
			next = definitions[i]
		}
		defs = append(defs, member{next.Name, w.keywords(next)})
	}
	root = append(append(head, root...), member{"$defs", defs})
	var b bytes.Buffer
	print(&b, root, "")
	b.WriteByte('\n')
	return b.Bytes()
}

// object is an object of the schema. Its values are of type object or value.Value.
type (
	object []member
	member struct {
		name  string
		value any
	}
)

type schemaWriter struct {
	defined map[string]bool
	pending []*Type // named types to be written
}

// use returns a reference to a named type, or the keywords of a type without a name.
func (w *schemaWriter) use(t *Type) object {
	if t == nil {
		return nil
	}
	if t.Name == "" {
		return w.keywords(t)
	}
	if !w.defined[t.Name] {
		w.defined[t.Name] = true
		w.pending = append(w.pending, t)
	}
	return object{{"$ref", value.OfString("#/$defs/" + t.Name)}}
}

func (w *schemaWriter) keywords(t *Type) object {
	var o object
	add := func(name string, v any) { o = append(o, member{name, v}) }
	text := func(name, v string) {
		if v != "" {
			add(name, value.OfString(v))
		}
	}
	if t.Base != nil {
		add("$ref", w.use(t.Base)[0].value)
	}
	text("title", t.Title)
	text("description", t.Doc)
	switch len(t.Kinds) {
	case 0:
	case 1:
		text("type", t.Kinds[0])
	default:
		add("type", value.OfStrings(t.Kinds))
	}
	if choices := t.choices(); t.Base == nil && len(choices) > 0 {
		add("enum", value.OfStrings(choices))
	}
	if t.IgnoreCase {
		add("ignoreCase", value.OfBool(true))
	}
	if t.Pattern != nil {
		text("pattern", t.Pattern.Text)
	}
	for _, kind := range t.NotEmpty {
		add(map[string]string{"string": "minLength", "array": "minItems", "object": "minProperties"}[kind], value.OfInt(1))
	}
	required := slices.Clone(t.Required)
	for _, f := range t.Fields {
		if f.Required {
			required = append(required, f.Name)
		}
	}
	if len(required) > 0 {
		add("required", value.OfStrings(required))
	}
	text("errorMessage", t.Message.String())
	if t.Items != nil {
		add("items", w.use(t.Items))
	}
	if len(t.Fields) > 0 {
		var properties object
		for _, f := range t.Fields {
			properties = append(properties, member{f.Name, w.property(f)})
		}
		add("properties", properties)
	}
	switch {
	case t.Others != nil:
		add("additionalProperties", w.use(t.Others))
	case t.AllowUnknown:
		add("additionalProperties", value.OfBool(true))
	case len(t.Fields) > 0 && !t.AllowReferenced:
		add("patternProperties", object{{"^__", value.OfBool(true)}})
		add("additionalProperties", value.OfBool(false))
	}
	if len(t.Examples) > 0 {
		add("examples", valueList(t.Examples))
	}
	return o
}

func (w *schemaWriter) property(f *Field) object {
	o := w.use(f.Type)
	set := func(name string, v any) {
		if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
			o[i].value = v
			return
		}
		o = append(o, member{name, v})
	}
	if f.Deprecated != "" {
		set("deprecated", value.OfBool(true))
		set("deprecationMessage", value.OfString(f.Deprecated.String()))
	}
	set("title", value.OfString(f.Title))
	set("description", value.OfString(f.Doc))
	if !f.Default.IsNull() {
		set("default", f.Default)
	}
	if f.Empty != nil {
		set("emptyMeans", *f.Empty)
	}
	if f.Null != nil {
		set("nullMeans", *f.Null)
	}
	if len(f.Examples) > 0 {
		set("examples", valueList(f.Examples))
	}
	return o
}

func valueList(texts []string) value.Value {
	all := make([]value.Value, len(texts))
	for i, text := range texts {
		all[i] = mustParse(text)
	}
	return value.OfItems(all...)
}

// print writes an object with properties or definitions on several lines, and any other
// value on one line.
func print(b *bytes.Buffer, v any, indent string) {
	o, ok := v.(object)
	if !ok {
		b.WriteString(v.(value.Value).JSON())
		return
	}
	large := slices.ContainsFunc(o, func(m member) bool { return m.name == "properties" || m.name == "$defs" }) ||
		len(o) > 0 && isObject(o[0].value) && o[0].name != "^__"
	inner, between, end := "", ", ", ""
	if large {
		inner = "\n" + indent + "  "
		between, end = ","+inner, "\n"+indent
	}
	b.WriteString("{" + inner)
	for i, m := range o {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(strconv.Quote(m.name) + ": ")
		print(b, m.value, indent+strings.Repeat("  ", min(1, len(inner))))
	}
	b.WriteString(end + "}")
}

func isObject(v any) bool { _, ok := v.(object); return ok }
