package schema_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestSchemaIsValid: the published schema is valid for its draft, accepts a good document
// and refuses a bad one.
func TestSchemaIsValid(t *testing.T) {
	schema := validator(t, func(schema value.Value) value.Value { return schema })
	good := given{api: `"pagination":{"method":"offset","limit":"10","__x":1},`, config: `"any":1,`, job: `"params":{"a":{"attr":"any"}},`}.document()
	if err := schema.Validate(native(testvalue.Parse(t, good))); err != nil {
		t.Errorf("%v", err)
	}
	for _, bad := range []given{{api: `"pagination":{"methd":"offset"},`}, {api: `"pagination":{"method":"ofset"},`}, {jobs: `[]`}} {
		if err := schema.Validate(native(testvalue.Parse(t, bad.document()))); err == nil {
			t.Errorf("no violation in %s", bad.document())
		}
	}
}

// validator compiles the schema after a change.
func validator(t testing.TB, change func(schema value.Value) value.Value) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	text := testvalue.Parse(t, string(schema.Default().Schema()))
	id := text.Field("$id").Raw()
	if err := compiler.AddResource(id, native(change(text))); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaFile: the schema in the repository is the one of the program.
func TestSchemaFile(t *testing.T) {
	golden.File(t, "schema.json", string(schema.Default().Schema()))
}

// FuzzWalkerAgrees: the published schema and the program agree on any document.
func FuzzWalkerAgrees(f *testing.F) {
	agrees := agreement(f)
	for _, row := range brokenDocuments() {
		f.Add([]byte(row.in.document()))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if doc, err := value.Parse(text); err == nil {
			agrees(t, doc)
		}
	})
}

// agreement compares the program with the JSON Schema library. The library is
// given the document after field.Tree.Read, because JSON Schema cannot express the rules
// for empty values and unknown keys.
func agreement(t testing.TB) func(t testing.TB, doc value.Value) {
	t.Helper()
	tree := schema.Default().Tree
	schema := validator(t, rules)
	return func(t testing.TB, doc value.Value) {
		t.Helper()
		problems := &failure.Problems{}
		read := tree.Read(doc, problems)
		ours := slices.DeleteFunc(slices.Clone(*problems), func(p failure.Problem) bool {
			return !slices.Contains(schemaCodes(), p.Code) || strings.HasPrefix(p.Expected.String(), `expected the key "count"`) || strings.Contains(p.Hint.String(), "brackets")
		})
		theirs := schema.Validate(native(read.Value))
		if (len(ours) > 0) != (theirs != nil) {
			t.Errorf("%s\nthe program: %v\nthe schema: %v", doc.JSON(), ours, theirs)
		}
	}
}

// schemaCodes are the kinds of problems that a JSON Schema can find.
func schemaCodes() []failure.Code {
	return []failure.Code{failure.WrongType, failure.WrongValue, failure.UnknownChoice, failure.MissingKey}
}

// rules is the schema without keywords for people and editors, and without those that
// refuse unknown keys, see agreement.
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

// native converts a value for the validator. Numbers become integers or doubles, because
// a huge exponent must not be computed exactly.
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
