package queue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// declareVariables stores variables configurations: 12 declares x and y, its rows
// hold values.
func (p *platform) declareVariables() {
	p.t.Helper()
	for id, text := range map[string]string{
		"12":  `{"variables":[{"name":"x","type":"string"},{"name":"y","type":"int"}]}`,
		"odd": `{"variables":[{"name":"x"}]}`,
		"key": `{"variables":[],"more":1}`,
	} {
		_, err := p.store.CreateConfiguration(store.Configuration{
			Component: "keboola.variables", ID: id, Configuration: []byte(text),
			Rows: []store.Row{
				{ID: "full", Configuration: []byte(`{"values":[{"name":"x","value":"one"},{"name":"y","value":2}]}`)},
				{ID: "half", Configuration: []byte(`{"values":[{"name":"x","value":"one"}]}`)},
				{ID: "bad", Configuration: []byte(`{"values":[{"name":"x","value":{}}]}`)},
			},
		})
		must(p.t, err)
	}
}

type resolution struct {
	doc  string // parameters and links
	row  string // variableValuesId
	data string // variableValuesData

	want    string // delivered parameters
	err     string
	given   string // result.variables
	notices []string
}

func (tc resolution) check(t *testing.T, resolve bool) {
	t.Helper()
	p := newPlatform(t)
	p.declareVariables()
	var got string
	p.component = func(run *play) sandbox.Exit {
		got = testvalue.Parse(t, string(run.spec.Config)).Field("parameters").JSON()
		return sandbox.Exit{}
	}
	p.start(func(o *Options) { o.ResolveVariables = resolve })
	job := inline(tc.doc)
	job.VariableValuesID = tc.row
	if tc.data != "" {
		job.VariableValuesData = []byte(tc.data)
	}
	j := p.run(job)
	same(t, "parameters", got, tc.want)
	if tc.err == "" {
		same(t, "status", string(j.Status)+" "+j.Result.Message, "success Component processing finished.")
	} else {
		same(t, "error", j.Result.ErrorType+" "+j.Result.Message, "user "+tc.err)
	}
	var pairs []string
	for _, v := range j.Result.Variables {
		pairs = append(pairs, v.Name+"="+v.Value)
	}
	same(t, "variables of the result", strings.Join(pairs, " "), tc.given)
	var notices []string
	for _, line := range p.events(j.ID) {
		if strings.Contains(line, "Repla") {
			notices = append(notices, line)
		}
	}
	sameLines(t, "notices", notices, tc.notices...)
}

func TestVariablesAreResolved(t *testing.T) {
	const used = `{"parameters":{"a":"{{ y }}-{{x}}","{{x}}":1},"variables_id":"12"`
	const data = `{"values":[{"name":"x","value":"one"},{"name":"y","value":2}]}`
	const filled, replaced = `{"a":"2-one","one":1}`, "info: Replaced values for variables: y, x"
	for name, tc := range map[string]resolution{
		"of the job": {doc: used + `}`, data: data, want: filled, given: "x=one y=2", notices: []string{replaced}},
		"of a row of the job": {
			doc: used + `,"variables_values_id":"half"}`, row: "full", want: filled, given: "x=one y=2",
			notices: []string{`info: Replacing variables using values with ID: "full".`, replaced},
		},
		"of the standard row": {
			doc: used + `,"variables_values_id":"full"}`, want: filled, given: "x=one y=2",
			notices: []string{`info: Replacing variables using default values with ID: "full".`, replaced},
		},
		"no values in the data": {
			doc: used + `,"variables_values_id":"full"}`, data: `{"values":[]}`, want: filled, given: "x=one y=2",
			notices: []string{`info: Replacing variables using default values with ID: "full".`, replaced},
		},
		"without declarations": {
			doc: `{"parameters":{"a":"{{z}}"}}`, data: `{"values":[{"name":"z","value":true},{"name":"more","value":1.50}]}`,
			want: `{"a":"1"}`, given: "z=1 more=1.50", notices: []string{"info: Replaced values for variables: z"},
		},
		"the last one counts": {
			doc: `{"parameters":{"a":"{{z}}"}}`, data: `{"values":[{"name":"z","value":1},{"name":"z","value":2}]}`,
			want: `{"a":"2"}`, given: "z=2", notices: []string{"info: Replaced values for variables: z"},
		},
		"the vault first": {
			doc: `{"parameters":{"a":"{{z}}{{vault.b}}"}}`, data: `{"values":[{"name":"z","value":1},{"name":"vault.b","value":2}]}`,
			want: `{"a":"12"}`, given: "z=1 vault.b=2", notices: []string{"info: Replaced values for variables: vault.b, z"},
		},
		"a secret": {
			doc: `{"parameters":{"#a":"{{token}}"}}`, data: `{"values":[{"name":"token","value":"t-9f2c"}]}`,
			want: `{"#a":"t-9f2c"}`, given: "token=[hidden]", notices: []string{"info: Replaced values for variables: token"},
		},
		"nothing used":                  {doc: `{"parameters":{"a":1},"variables_id":"12"}`, data: data, want: `{"a":1}`, given: "x=one y=2"},
		"nothing given":                 {doc: `{"parameters":{"a":"{{z}}"}}`, want: `{"a":"{{z}}"}`},
		"a row without a configuration": {doc: `{"parameters":{"a":"{{z}}"}}`, row: "full", want: `{"a":"{{z}}"}`},

		"declared without a value": {
			doc: `{"parameters":{},"variables_id":"12"}`, row: "half", given: "x=one",
			err: `No value provided for variable "y".`,
		},
		"used without a value": {
			doc: `{"parameters":{"a":"{{u}}{{vault.v}}{{z}}{{w}}"}}`, data: `{"values":[{"name":"z","value":1}]}`, given: "z=1",
			err: "Missing values for placeholders: vault.v, u, w",
		},
		"no values": {doc: used + `}`, err: `No variable values provided for variables configuration "12".`},
		"two sources": {
			doc: used + `}`, row: "full", data: data, err: "Only one of variableValuesId and variableValuesData can be entered.",
		},
		"unknown row": {
			doc: used + `}`, row: "none", err: `Cannot read variable values "none" of variables configuration "12".`,
		},
		"malformed row": {
			doc: used + `}`, row: "bad",
			err: `Variable values configuration is invalid: "values.0.value" must be a string, a number or a boolean`,
		},
		"unknown configuration": {
			doc: `{"variables_id":"13"}`, data: data, given: "x=one y=2",
			err: `Variable configuration cannot be read: Configuration "13" not found`,
		},
		"malformed configuration": {
			doc: `{"variables_id":"odd"}`, data: data, given: "x=one y=2",
			err: `Variable configuration is invalid: "variables.0.type" must be a text that is not empty`,
		},
		"unknown key in a configuration": {
			doc: `{"variables_id":"key"}`, data: data, given: "x=one y=2", err: `Variable configuration is invalid: unrecognized option "more"`,
		},
		"no name": {doc: `{}`, data: `{"values":[{"name":"","value":1}]}`, err: "Variable name cannot be empty."},
		"no list": {doc: `{}`, data: `{"values":"x"}`, err: `Variable values are invalid: "values" must be a list`},
		"two names become one": {
			doc: `{"parameters":{"{{z}}":1,"one":2}}`, data: `{"values":[{"name":"z","value":"one"}]}`, given: "z=one",
			err: "replacing variables makes two names of one object equal: z (at /parameters)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t, true)
		})
	}
}

// TestVariablesAreLeft: the component replaces them itself, but the result has the
// values.
func TestVariablesAreLeft(t *testing.T) {
	const doc, left = `{"parameters":{"a":"{{x}}"},"variables_id":"12","variables_values_id":"full"}`, `{"a":"{{x}}"}`
	for name, tc := range map[string]resolution{
		"of the job":     {doc: doc, data: `{"values":[{"name":"x","value":1}]}`, want: left, given: "x=1"},
		"of a row":       {doc: doc, row: "half", want: left, given: "x=one"},
		"standard":       {doc: doc, want: left, given: "x=one y=2"},
		"unknown row":    {doc: doc, row: "none", want: left},
		"two sources":    {doc: doc, row: "half", data: `{"values":[{"name":"x","value":1}]}`, want: left},
		"equal names":    {doc: `{"parameters":{"{{x}}":1,"b":2}}`, data: `{"values":[{"name":"x","value":"b"}]}`, want: `{"{{x}}":1,"b":2}`, given: "x=b"},
		"nothing at all": {doc: `{"parameters":{"a":"{{x}}"}}`, want: left},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t, false)
		})
	}
}

// TestVariablesOfRows: the notice comes once for all rows.
func TestVariablesOfRows(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{"parameters":{"a":"{{x}}"}}`, store.Row{ID: "a"}, store.Row{ID: "b", Configuration: []byte(`{"parameters":{"b":"{{y}}"}}`)})
	p.start(func(o *Options) { o.ResolveVariables = true })
	j := p.run(store.Job{Config: "7", VariableValuesData: []byte(`{"values":[{"name":"y","value":1},{"name":"x","value":2}]}`)})
	same(t, "status", string(j.Status), "success")
	sameLines(t, "events", p.events(j.ID)[:2],
		"info: Replaced values for variables: x, y", "info: Running component acme.ex (row 1 of 2)")
}

// TestValuesUnderSecretKeys: a value below a secret key is a secret, wherever it
// comes from.
func TestValuesUnderSecretKeys(t *testing.T) {
	for _, resolve := range []bool{true, false} {
		t.Run(fmt.Sprint(resolve), func(t *testing.T) {
			p := newPlatform(t)
			p.component = func(*play) sandbox.Exit { return sandbox.Exit{Code: 1, Message: "refused: pass-word"} }
			p.start(func(o *Options) { o.ResolveVariables = resolve })
			job := inline(`{"parameters":{"#p":"{{p}}"}}`)
			job.VariableValuesData = []byte(`{"values":[{"name":"p","value":"pass-word"}]}`)
			j := p.run(job)
			same(t, "message", j.Result.Message, "refused: [hidden]")
			same(t, "variable", j.Result.Variables[0].Value, "[hidden]")
		})
	}
}
