package load_test

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// TestVariablesWithoutValues: a run refuses them. Offline they are accepted if the
// platform may have values. Stand-ins are values too.
func TestVariablesWithoutValues(t *testing.T) {
	const (
		linked = `"variables_id": "1"`
		data   = linked + `, "variableValuesData": {"values": [{"name": "b", "value": "v"}]}`
	)
	standIn := func(name string) string { return "<" + name + ">" }
	for name, tc := range map[string]struct {
		with   string
		o      load.Options
		bucket string // what replaces {{a}}
		open   bool
		failed bool
	}{
		"run":                      {linked, load.Options{}, "{{a}}", true, true},
		"offline":                  {linked, load.Options{Offline: true}, "{{a}}", true, false},
		"offline, flags":           {linked, load.Options{Offline: true, Variables: variables.Inputs{Flags: []variables.Assignment{{Name: "b"}}}}, "{{a}}", true, true},
		"offline, values":          {data, load.Options{Offline: true}, "{{a}}", true, true},
		"offline, stand-in":        {linked, load.Options{Offline: true, StandIn: standIn}, "<a>", false, false},
		"no variables_id":          {`"__": 1`, load.Options{Offline: true}, "{{a}}", false, false},
		"no variables_id, run":     {`"__": 1`, load.Options{}, "{{a}}", false, false},
		"no variables_id, standin": {`"__": 1`, load.Options{StandIn: standIn}, "<a>", false, false},
		"a value":                  {linked, load.Options{StandIn: standIn, Variables: variables.Inputs{Flags: []variables.Assignment{{Name: "a", Text: "v{{b}}"}}}}, "v{{b}}", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			given, err := config.Parse([]byte(`{` + tc.with + `, "parameters": {"api": {"baseUrl": "https://api.example.com"}, "config": {"outputBucket": "{{a}}", "#key": "of {{a}}", "jobs": [{"endpoint": "x", "params": {"key": {"attr": "#key"}}}], "jbos": 1}}}`))
			if err != nil {
				t.Fatal(err)
			}
			tc.o.Secrets, tc.o.Strict = &secret.Registry{}, true
			d, err := load.Load(t.Context(), given, tc.o)
			if (err != nil) != tc.failed || d.Unresolved != tc.open {
				t.Errorf("error %v, open %v", err, d.Unresolved)
			}
			attributes := d.Resolved.Field("parameters").Field("config")
			if got := attributes.Field("outputBucket").Raw(); got != tc.bucket || (len(d.StandIns) == 1) != strings.HasPrefix(got, "<") {
				t.Errorf("filled with %q, stand-ins for %q", got, d.StandIns)
			}
			if key := attributes.Field("#key").Raw(); key != "of "+tc.bucket || strings.Contains(tc.o.Secrets.Mask("x "+key), key) {
				t.Errorf("%q is not known as a secret", key)
			}
			if len(d.Problems) != 1 || !strings.HasSuffix(d.Problems[0].Pointer, "/jbos") || d.Program.Jobs() != 1 {
				t.Errorf("problems %v, %d jobs", d.Problems, d.Program.Jobs())
			}
		})
	}
}

// TestPlaceholdersAreNoSecrets: the name of a variable is an ordinary word, and only its
// value is masked.
func TestPlaceholdersAreNoSecrets(t *testing.T) {
	const event = "/parameters/config/#token {{token}}"
	for name, tc := range map[string]struct {
		with   string
		flags  []variables.Assignment
		secret string // is masked
	}{
		"a value":            {`"__": 1`, []variables.Assignment{{Name: "token", Text: "k-9f2c71"}, {Name: "user", Text: "ann"}}, "k-9f2c71 ann-pass-k-9f2c71"},
		"a value in braces":  {`"__": 1`, []variables.Assignment{{Name: "token", Text: "{{other}}"}, {Name: "user", Text: "ann"}}, "{{other}} ann-pass-{{other}}"},
		"a value is missing": {`"__": 1`, []variables.Assignment{{Name: "user", Text: "ann"}}, "{{user}}-pass-{{token}}"},
		"values elsewhere":   {`"variables_id": "1"`, nil, "{{user}}-pass-{{token}}"},
	} {
		t.Run(name, func(t *testing.T) {
			given, err := config.Parse([]byte(`{` + tc.with + `, "parameters": {"config": {"#token": "{{token}}", "#header": "Bearer {{ token }}", "#both": "{{user}}-pass-{{token}}"}}}`))
			if err != nil {
				t.Fatal(err)
			}
			secrets := &secret.Registry{}
			_, _ = load.Load(t.Context(), given, load.Options{Secrets: secrets, Offline: true, Variables: variables.Inputs{Flags: tc.flags}}) // a missing value is an error
			if got := secrets.Mask(event); got != event {
				t.Errorf("the name of a variable is masked: %s", got)
			}
			for one := range strings.FieldsSeq(tc.secret) {
				if got := secrets.Mask(one); got != secret.Hidden {
					t.Errorf("%s is shown as %s", one, got)
				}
			}
		})
	}
}
