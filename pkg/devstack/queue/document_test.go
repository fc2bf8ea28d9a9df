package queue

import (
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestOverlay(t *testing.T) {
	for name, tc := range map[string]struct{ base, over, want string }{
		"row wins":                   {`{"a":1,"b":2}`, `{"b":3}`, `{"a":1,"b":3}`},
		"new members come last":      {`{"b":1}`, `{"a":2,"b":3}`, `{"b":3,"a":2}`},
		"deep":                       {`{"a":{"b":{"c":1,"d":2}}}`, `{"a":{"b":{"d":3}}}`, `{"a":{"b":{"c":1,"d":3}}}`},
		"arrays by index":            {`{"a":[1,2,3]}`, `{"a":[9]}`, `{"a":[9,2,3]}`},
		"longer array":               {`{"a":[1]}`, `{"a":[8,9]}`, `{"a":[8,9]}`},
		"objects in arrays":          {`{"a":[{"x":1,"y":2}]}`, `{"a":[{"y":3}]}`, `{"a":[{"x":1,"y":3}]}`},
		"empty array changes none":   {`{"a":[1],"b":{"c":1}}`, `{"a":[],"b":[]}`, `{"a":[1],"b":{"c":1}}`},
		"empty object changes none":  {`{"a":[1],"b":{"c":1}}`, `{"a":{},"b":{}}`, `{"a":[1],"b":{"c":1}}`},
		"an empty array takes":       {`{"a":[]}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		"empty over a scalar":        {`{"a":1}`, `{"a":{}}`, `{"a":{}}`},
		"null wins":                  {`{"a":{"b":1}}`, `{"a":null}`, `{"a":null}`},
		"another type wins":          {`{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`},
		"numbers stay as written":    {`{"a":1.0,"b":12345678901234567890}`, `{"c":1e3}`, `{"a":1.0,"b":12345678901234567890,"c":1e3}`},
		"a whole document from PHP":  {`[]`, `{"a":1}`, `{"a":1}`},
		"a row from PHP":             {`{"a":1}`, `[]`, `{"a":1}`},
		"array over an object, full": {`{"a":{"b":1}}`, `{"a":[2]}`, `{"a":[2]}`},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, "overlay", RowDocument(testvalue.Parse(t, tc.base), testvalue.Parse(t, tc.over)).JSON(), tc.want)
		})
	}
}

func TestDeliver(t *testing.T) {
	const rest = `"image_parameters":{},"authorization":{},"action":"run"}`
	for name, tc := range map[string]struct{ doc, want string }{
		"empty":           {`{}`, `{"parameters":{},"storage":{},` + rest},
		"empty from PHP":  {`[]`, `{"parameters":{},"storage":{},` + rest},
		"empty sections":  {`{"storage":[],"parameters":null}`, `{"storage":{},"parameters":{},` + rest},
		"without wrapper": {`{"config":{"a":1.50},"api":{}}`, `{"config":{"a":1.5},"api":[],"parameters":{},"storage":{},` + rest},
		"not delivered": {
			`{"runtime":{"process_timeout":5},"parameters":{"z":1,"a":2},"processors":{"after":[]},"variables_id":"7"}`,
			`{"parameters":{"z":1,"a":2},"variables_id":"7","storage":{},` + rest,
		},
		"the context of the backend": {
			`{"runtime":{"backend":{"context":"wlm"}},"authorization":{"a":1},"parameters":{}}`,
			`{"authorization":{"a":1,"context":"wlm"},"parameters":{},"storage":{},"image_parameters":{},"action":"run"}`,
		},
		"not the configuration's": {
			`{"action":"test","image_parameters":{"a":1}}`,
			`{"action":"run","image_parameters":{},"parameters":{},"storage":{},"authorization":{}}`,
		},
		"after PHP": {
			`{"parameters":{"api":{"defaults":{}},"a":1.0,"b":12345678901234567890,"c":{"0":"x","1":"y"},"d":1e25}}`,
			`{"parameters":{"api":{"defaults":[]},"a":1,"b":1.2345678901234567e+19,"c":["x","y"],"d":1.0e+25},"storage":{},` + rest,
		},
		"a cipher": {`{"parameters":{"#a":"KBC::x"},"storage":{"b":[]}}`, `{"parameters":{"#a":"KBC::x"},"storage":{"b":[]},` + rest},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := deliver(testvalue.Parse(t, tc.doc))
			must(t, err)
			same(t, "delivered", got.JSON(), tc.want)
		})
	}
	for name, doc := range map[string]string{
		"a number beyond all doubles": `{"parameters":{"a":1e400}}`,
		"too deep":                    `{"parameters":` + strings.Repeat("[", 511) + strings.Repeat("]", 511) + `}`,
	} {
		if _, err := deliver(testvalue.Parse(t, doc)); failure.KindOf(err) != failure.Application {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRoot(t *testing.T) {
	const available = ` under "container". Available options are "action", "api", "artifacts", "authorization", "config", ` +
		`"image_parameters", "parameters", "processors", "runtime", "shared_code_id", "shared_code_row_ids", "storage", ` +
		`"variables_id", "variables_values_id".`
	for name, tc := range map[string]struct{ doc, want string }{
		"all that are known": {`{"parameters":{},"api":{},"config":{},"variables_id":"1","runtime":{},"processors":[]}`, ""},
		"from PHP":           {`[]`, ""},
		"one":                {`{"paramters":{},"api":{}}`, `Unrecognized option "paramters"` + available},
		"two":                {`{"b":1,"a":2}`, `Unrecognized options "b, a"` + available},
		"addressed to the queue": {
			`{"variableValuesData":{"values":[]}}`, `Unrecognized option "variableValuesData"` + available,
		},
		"a section": {`{"parameters":"x"}`, `Invalid type for path "container.parameters". Expected "array", but got "string"`},
		"a list":    {`[1]`, "The configuration is not an object, but: array"},
	} {
		t.Run(name, func(t *testing.T) { sameUserError(t, checkRoot(testvalue.Parse(t, tc.doc)), tc.want) })
	}
}

func TestProcessTimeout(t *testing.T) {
	const refused = `Invalid value for path "container.runtime.process_timeout": expected an integer from 1 to 86400`
	for name, tc := range map[string]struct {
		doc  string
		want time.Duration
		err  string
	}{
		"standard":    {`{"runtime":{"tag":"1"}}`, time.Minute, ""},
		"shorter":     {`{"runtime":{"process_timeout":5}}`, 5 * time.Second, ""},
		"a whole day": {`{"runtime":{"process_timeout":86400}}`, 24 * time.Hour, ""},
		"more":        {`{"runtime":{"process_timeout":86401}}`, 0, refused},
		"none":        {`{"runtime":{"process_timeout":0}}`, 0, refused},
		"a text":      {`{"runtime":{"process_timeout":"5"}}`, 0, refused},
		"a fraction":  {`{"runtime":{"process_timeout":1.5}}`, 0, refused},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := processTimeout(testvalue.Parse(t, tc.doc), time.Minute)
			sameUserError(t, err, tc.err)
			if got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// sameUserError compares an error with a text, "" for none.
func sameUserError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v, want no error", err)
	case want == "":
	case err == nil || err.Error() != want || failure.KindOf(err) != failure.User:
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add([]byte(`{"parameters":{"a":[1,{"#b":2}]},"runtime":{"process_timeout":5}}`), []byte(`{"parameters":{"a":[]},"processors":[1]}`))
	f.Add([]byte(`[]`), []byte(`{"values":[{"name":"a","value":1}],"variables":[{"name":"a","type":"int"}]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		base, err := value.Parse(first)
		if err != nil {
			return
		}
		over, err := value.Parse(second)
		if err != nil {
			return
		}
		if same := RowDocument(base, base); !same.Equal(base) {
			t.Fatalf("%s over itself: %s", base.JSON(), same.JSON())
		}
		merged := RowDocument(base, over)
		if again := RowDocument(merged, over); !again.Equal(merged) {
			t.Fatalf("%s over %s: %s, and once more: %s", over.JSON(), base.JSON(), merged.JSON(), again.JSON())
		}
		if _, err := processTimeout(merged, time.Minute); err != nil && failure.KindOf(err) != failure.User {
			t.Fatal(err)
		}
		if s, err := readValues(merged, "x"); err == nil && len(s.texts()) != len(s.values) {
			t.Fatalf("%s: a name is twice in %v", merged.JSON(), s.values)
		}
		if names, err := readDeclarations(merged); err == nil && len(names) != merged.Field("variables").Len() {
			t.Fatalf("%s declares %v", merged.JSON(), names)
		}
		if checkRoot(merged) != nil {
			return
		}
		delivered, err := deliver(merged)
		if err != nil { // too deep, or with a number beyond all doubles
			return
		}
		for _, name := range rootKeys()[:4] {
			if !isComposite(delivered.Field(name)) {
				t.Fatalf("%s: %s is delivered as %s", merged.JSON(), name, delivered.Field(name).JSON())
			}
		}
		if _, found := delivered.Get("runtime"); found || delivered.Field("action").Raw() != "run" {
			t.Fatalf("delivered: %s", delivered.JSON())
		}
	})
}
