package schema_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// examples walks the schema and puts each example into the smallest document.
type examples struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	schema   value.Value
	id       string
	seen     map[string]bool
	checked  int
}

// TestExamples: every example and every default of the schema fits its own
// subschema, and the document around it compiles.
func TestExamples(t *testing.T) {
	parsedSchema, err := value.Parse(schema.Default().Schema())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Default().Schema()))
	if err != nil {
		t.Fatal(err)
	}
	e := &examples{t: t, compiler: jsonschema.NewCompiler(), schema: parsedSchema, id: parsedSchema.Field("$id").Raw(), seen: map[string]bool{}}
	if err := e.compiler.AddResource(e.id, parsed); err != nil {
		t.Fatal(err)
	}
	e.walk("", parsedSchema, func(v value.Value) value.Value { return v })
	if e.checked < 100 {
		t.Errorf("only %d examples: is this the schema?", e.checked)
	}
}

// walk checks the examples of a subschema and of all below it; around makes a
// document of a value that stands here.
func (e *examples) walk(pointer string, node value.Value, around func(value.Value) value.Value) {
	shown := node.Field("examples").Items()
	if d, ok := node.Get("default"); ok {
		shown = append(slices.Clone(shown), d)
	}
	for _, example := range shown {
		e.check(pointer, example, around(example))
	}
	if ref := node.Field("$ref").Raw(); ref != "" {
		pointer = strings.TrimPrefix(ref, "#")
		required := node.Field("required")
		node = e.at(pointer)
		if !required.IsNull() {
			node = node.With("required", required)
		}
		if !e.seen[pointer] {
			e.seen[pointer] = true
			e.walk(pointer, node, around)
		}
		return
	}
	for _, m := range node.Field("properties").Members() {
		beside := e.beside(pointer, node, m.Name)
		e.walk(pointer+"/properties/"+m.Name, m.Value, func(v value.Value) value.Value { return around(beside.With(m.Name, v)) })
	}
	if items := node.Field("items"); items.Kind() == value.Object {
		e.walk(pointer+"/items", items, func(v value.Value) value.Value { return around(value.OfItems(v)) })
	}
	if others := node.Field("additionalProperties"); others.Kind() == value.Object && node.Field("items").IsNull() {
		e.walk(pointer+"/additionalProperties", others, func(v value.Value) value.Value {
			return around(value.OfMembers(value.Member{Name: "name", Value: v}))
		})
	}
}

// at is a part of the schema.
func (e *examples) at(pointer string) value.Value {
	node, ok := e.schema.At(strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "~1", "/"), "/")
	if !ok {
		e.t.Fatalf("nothing at %s of the schema", pointer)
	}
	return node
}

// needs are other keys that a key needs although the schema does not require them, by the
// pointer of the key or of the object.
func needs(pointer string) string {
	switch pointer {
	case "":
		return `{"parameters":{"api":{"baseUrl":"https://api.example.com"},"config":{"jobs":[{"endpoint":"e"}]}}}`
	case "/$defs/parameters":
		return `{"api":{"baseUrl":"https://api.example.com"},"config":{"jobs":[{"endpoint":"e"}]}}`
	case "/$defs/authentication/properties/type":
		return `{"loginRequest":{"endpoint":"login"}}`
	case "/$defs/mappingSetting":
		return `{"mapping":{"destination":"c"}}`
	case "/$defs/mappingSetting/properties/mapping":
		return `{"destination":"c"}`
	case "/$defs/mappingSetting/properties/type":
		return `{"mapping":{"destination":"c"},"destination":"t","tableMapping":{"a":"a"}}`
	case "/$defs/mappingSetting/properties/destination", "/$defs/mappingSetting/properties/parentKey":
		return `{"type":"table","destination":"t","tableMapping":{"a":"a"}}`
	case "/$defs/mappingSetting/properties/tableMapping":
		return `{"type":"table","destination":"t"}`
	case "/$defs/response":
		return `{"format":"csv"}`
	case "/$defs/response/properties/member":
		return `{"unpack":"zip"}`
	case "/$defs/remember/properties/per":
		return `{"max":"updated_at"}`
	case "/$defs/ruleWait/properties/unit":
		return `{"header":"X-In"}`
	case "/$defs/job/properties/mapping":
		return `{"dataType":{"attr":"account"}}`
	case "/$defs/rule":
		return `{"status":404}`
	case "/$defs/job/properties/file":
		return `{"response":{"format":"file"}}`
	case "/$defs/rule/properties/timeout":
		return `{"status":404,"do":"poll"}`
	case "/$defs/job/properties/body":
		return `{"endpoint":"soap","method":"POST"}`
	case "/$defs/loginRequest/properties/body", "/$defs/scrollRequest/properties/body":
		return `{"endpoint":"login","method":"POST"}`
	case "/$defs/placeholder/properties/args":
		return `{"path":"name","function":"urlencode"}`
	}
	return `{}`
}

// beside is the object around a key: what the schema requires, by its own
// examples, and what else is needed.
func (e *examples) beside(pointer string, node value.Value, name string) value.Value {
	more := needs(pointer + "/properties/" + name)
	if more == `{}` {
		more = needs(pointer)
	}
	object, err := value.Parse([]byte(more))
	if err != nil {
		e.t.Fatal(err)
	}
	for _, required := range node.Field("required").Items() {
		key := required.Raw()
		if _, ok := object.Get(key); !ok && key != name {
			object = object.With(key, node.Field("properties").Field(key).Field("examples").Items()[0])
		}
	}
	return object
}

// shortened are keys whose examples are not complete: they show only the beginning of a
// value, name placeholders of a child job, or need other settings of the job.
func shortened() []string {
	return []string{"#privateKey", "hostKey", "caCertificate", "#clientCertificate", `"per":`, `"atMost":`, `"startOver":`, `"mapping":"records"`, `"dataType":"fields"`}
}

// attributes is the document with the attributes that examples refer to, and the
// header that one of them requires.
func attributes(doc value.Value) value.Value {
	settings := doc.Field("parameters")
	if settings.IsNull() {
		return doc
	}
	conf := settings.Field("config")
	if _, ok := conf.Get("http"); !ok {
		headers := value.OfMembers(value.Member{Name: "X-App-Key", Value: value.OfString("a")})
		conf = conf.With("http", value.OfMembers(value.Member{Name: "headers", Value: headers}))
	}
	for _, name := range []string{"region", "#token", "#key", "#appKey", "account", "username", "#password"} {
		if _, ok := conf.Get(name); !ok {
			conf = conf.With(name, value.OfString("a"))
		}
	}
	return doc.With("parameters", settings.With("config", conf))
}

func (e *examples) check(pointer string, example, doc value.Value) {
	e.checked++
	own, err := e.compiler.Compile(e.id + "#" + pointer)
	if err != nil {
		e.t.Fatal(err)
	}
	native, err := jsonschema.UnmarshalJSON(strings.NewReader(example.JSON()))
	if err != nil {
		e.t.Fatal(err)
	}
	if err := own.Validate(native); err != nil {
		e.t.Errorf("%s: the example %s does not fit its own schema: %v", pointer, example.JSON(), err)
	}
	if slices.ContainsFunc(shortened(), func(name string) bool { return strings.Contains(doc.JSON(), name) }) {
		return
	}
	compiled, problems := config.Compile(attributes(doc), config.Options{Tree: schema.Default().Tree, Getenv: strings.ToLower})
	engine.Compile(compiled, schema.Default().Features, false)
	if len(*problems) > 0 {
		e.t.Errorf("%s: the document around the example %s has problems: %v\n%s", pointer, example.JSON(), *problems, doc.JSON())
	}
}
