package diagnostic

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/load"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sarifSchema is the official schema of SARIF 2.1.0.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "sarif-schema", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// valid checks a log.
func valid(t *testing.T, schema *jsonschema.Schema, log string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

func sarifOf(t *testing.T, text, file string) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteSARIF(&out, []*Report{Check(context.Background(), file, []byte(text), load.Options{})}, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSARIFIsValid: the logs of a configuration for each code, and of unusual ones, are
// valid.
func TestSARIFIsValid(t *testing.T) {
	schema := sarifSchema(t)
	texts := map[string]string{
		"nothing":      `{"api":{"baseUrl":"https://a.b"},"config":{"jobs":[{"endpoint":"e"}]}}`,
		"empty":        "",
		"a whole line": "[\n",
		"characters":   "{\"ž\u2028\": \"\\ud800\", \"\U0001F600\":1}",
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "cmd", "extractor", "testdata", "codes", "*.txtar"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d scripts (%v)", len(files), err)
	}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, ok := strings.Cut(string(script), "-- config.json --\n")
		if !ok {
			t.Errorf("%s has no config.json", file)
		}
		texts[filepath.Base(file)], _, _ = strings.Cut(text, "-- expected --")
	}
	for name, text := range texts {
		for _, path := range []string{"config.json", "my data/ž#?.json", "/data/config.json"} {
			log := sarifOf(t, text, path)
			if err := valid(t, schema, log); err != nil {
				t.Errorf("%s, %s: %v\n%s", name, path, err, log)
			}
		}
	}
}

// TestSARIFSchemaRefuses: the schema finds errors.
func TestSARIFSchemaRefuses(t *testing.T) {
	schema := sarifSchema(t)
	log := sarifOf(t, `{"x":1}`, "config.json")
	if err := valid(t, schema, log); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"the version":     {`"version": "2.1.0"`, `"version": "2.0.0"`},
		"a level":         {`"level": "error"`, `"level": "fatal"`},
		"a line":          {`"startLine": 1`, `"startLine": 0`},
		"an address":      {`"uri": "config.json"`, `"uri": "%zz"`},
		"a missing text":  {`"text": `, `"texts": `},
		"an unknown name": {`"ruleId": `, `"rule": `},
		"the columns":     {`"columnKind": "unicodeCodePoints"`, `"columnKind": "bytes"`},
	} {
		if broken := strings.Replace(log, change[0], change[1], 1); broken == log || valid(t, schema, broken) == nil {
			t.Errorf("%s: nothing is found", name)
		}
	}
}
