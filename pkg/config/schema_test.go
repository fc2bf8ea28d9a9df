package config

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestSchemaIsValid: the published schema, not only the rules the program uses,
// is a schema of its draft, and says the same of a good document and a bad one.
func TestSchemaIsValid(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	text := mustValue(t, string(Schema()))
	id := text.Field("$id").Raw()
	if err := compiler.AddResource(id, native(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	good := given{api: `"pagination":{"method":"offset","limit":"10","__x":1},`, config: `"any":1,`, job: `"params":{"a":{"attr":"any"}},`}.document()
	if err := schema.Validate(native(mustValue(t, good))); err != nil {
		t.Errorf("%v", err)
	}
	for _, bad := range []given{{api: `"pagination":{"methd":"offset"},`}, {api: `"pagination":{"method":"ofset"},`}, {jobs: `[]`}} {
		if err := schema.Validate(native(mustValue(t, bad.document()))); err == nil {
			t.Errorf("no violation in %s", bad.document())
		}
	}
}

// TestSchemaDescribesEveryProperty: also where nothing refers to.
func TestSchemaDescribesEveryProperty(t *testing.T) {
	seen := 0
	var check func(v value.Value, at string)
	check = func(v value.Value, at string) {
		for _, m := range v.Field("properties").Members() {
			seen++
			if m.Value.Field("description").Raw() == "" || m.Value.Field("title").Raw() == "" {
				t.Errorf("%s/properties/%s lacks a title or a description", at, m.Name)
			}
			check(m.Value, at+"/properties/"+m.Name)
		}
		for _, m := range v.Field("$defs").Members() {
			check(m.Value, at+"/$defs/"+m.Name)
		}
		for _, keyword := range []string{"items", "additionalProperties"} {
			if inner := v.Field(keyword); inner.Kind() == value.Object {
				check(inner, at+"/"+keyword)
			}
		}
	}
	check(mustValue(t, string(Schema())), "")
	if seen < 100 {
		t.Errorf("only %d properties: is this the schema?", seen)
	}
}

func TestNative(t *testing.T) {
	compare := func(in string, want any) {
		t.Helper()
		if got := native(mustValue(t, in)); got != want {
			t.Errorf("%s: got %v (%T), want %v (%T)", in, got, got, want, want)
		}
	}
	compare(`null`, nil)
	compare(`true`, true)
	compare(`"x"`, "x")
	compare(`5`, int64(5))
	compare(`1.5`, 1.5)
	compare(`9223372036854775808`, 9223372036854775808.0)
	compare(`1e999999999`, 1.7976931348623157e308)
	compare(`-1e999999999`, -1.7976931348623157e308)
}
