package variables

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestSources(t *testing.T) {
	all := map[string]string{
		"config 12": declares,
		"job 55":    `{"variableValuesData":` + values(`"job"`, `3`) + `}`,
		"job 66":    `{"variableValuesData":[],"variableValuesId":"8"}`,
		"job 77":    `{"variableValuesData":{"values":[]},"variableValuesId":null}`,
		"row 12/7":  values(`"default"`, `5`),
		"row 12/8":  values(`"row"`, `4`),
	}
	inline := `,"variableValuesData":` + values(`"inline"`, `2`)
	const links = `,"variables_id":"12","variables_values_id":"7"}`
	flags := []Assignment{{"x", "old"}, {"y", "1"}, {"x", "flag"}}
	for name, tc := range map[string]resolution{
		"flags win": {
			doc: `{"a":"{{x}}{{y}}"` + inline + links, flags: flags, run: "1.55", records: all,
			want: `{"a":"flag1"` + links, replaced: "x y", source: "the command line", asked: "config 12",
		},
		"then the document": {
			doc: `{"a":"{{x}}{{y}}"` + inline + links, run: "1.55", records: all,
			want: `{"a":"inline2"` + links, replaced: "x y", source: "variableValuesData of the configuration", asked: "config 12",
		},
		"then the job": {
			doc: `{"a":"{{x}}{{y}}","variableValuesId":"8"` + links, run: "1.44.55", records: all,
			want: `{"a":"job3"` + links, replaced: "x y", source: `job "55"`, asked: "job 55, config 12",
		},
		"then the row of the job": {
			doc: `{"a":"{{x}}{{y}}"` + links, run: "66", records: all,
			want: `{"a":"row4"` + links, replaced: "x y", source: `row "8" of variables configuration "12"`,
			asked: "job 66, row 12/8, config 12",
		},
		"then variableValuesId of the document": {
			doc: `{"a":"{{x}}{{y}}","variableValuesId":"8"` + links, run: "77", records: all,
			want: `{"a":"row4"` + links, replaced: "x y", source: `row "8" of variables configuration "12"`,
			asked: "job 77, row 12/8, config 12",
		},
		"then the default row": {
			doc: `{"a":"{{x}}{{y}}","variableValuesData":{"values":[]}` + links, run: "77", records: all,
			want: `{"a":"default5"` + links, replaced: "x y", source: `row "7" of variables configuration "12"`,
			asked: "job 77, row 12/7, config 12",
		},
		"no job is asked without its id": {
			doc: `{"a":"{{x}}{{y}}"` + links, records: all,
			want: `{"a":"default5"` + links, replaced: "x y", source: `row "7" of variables configuration "12"`, asked: "row 12/7, config 12",
		},
		"an unreadable job is passed over": {
			doc: `{"a":"{{x}}{{y}}"` + links, run: "9", records: all, errors: map[string]error{"job 9": errors.New("connection refused")},
			want: `{"a":"default5"` + links, replaced: "x y", source: `row "7" of variables configuration "12"`, asked: "job 9, row 12/7, config 12",
			warnings: []string{`variable values of job "9" cannot be read: connection refused`},
		},
		"a value with a placeholder in a document that is not filled": {
			doc: `{"a":"{{x}}{{y}}","variables_id":"12"}`, run: "5",
			records: map[string]string{"config 12": `{"variables":[]}`, "job 5": `{"variableValuesData":` + values(`"1"`, `"{{x}}"`) + `}`},
			want:    `{"a":"1{{x}}","variables_id":"12"}`, replaced: "x y", source: `job "5"`, asked: "job 5, config 12",
		},
		"a value with a placeholder, and no variables_id: the platform fills nothing": {
			doc: `{"a":"{{x}}"}`, run: "5", records: map[string]string{"job 5": `{"variableValuesData":` + values(`"1"`, `"{{x}}"`) + `}`},
			want: `{"a":"1"}`, replaced: "x", source: `job "5"`, asked: "job 5",
		},
		"values of the command line are for this run": {
			doc: `{"a":"{{x}}","variables_id":"12"}`, flags: []Assignment{{"x", "1"}, {"y", "{{x}}"}}, records: map[string]string{"config 12": `{"variables":[]}`},
			want: `{"a":"1","variables_id":"12"}`, replaced: "x", source: "the command line", asked: "config 12",
		},
		"ids may be numbers": {
			doc: `{"a":"{{x}}","variables_id":12,"variables_values_id":7}`, records: all,
			want: `{"a":"default","variables_id":12,"variables_values_id":7}`, replaced: "x",
			source: `row "7" of variables configuration "12"`, asked: "row 12/7, config 12",
		},
		"values without variables_id": {
			doc: `{"a":"{{x}}"}`, run: "55", records: all,
			want: `{"a":"job"}`, replaced: "x", source: `job "55"`, asked: "job 55",
		},
		"values without a platform": {
			doc: `{"a":"{{x}}"` + links, flags: flags[2:], offline: true,
			want: `{"a":"flag"` + links, replaced: "x", source: "the command line",
		},
		"another component": {
			doc: `{"a":"{{x}}"` + links, component: "vendor.variables",
			records: map[string]string{"config vendor.variables/12": `{"variables":[]}`, "row vendor.variables/12/7": values(`"v"`, `1`)},
			want:    `{"a":"v"` + links, replaced: "x", source: `row "7" of variables configuration "12"`,
			asked: "row vendor.variables/12/7, config vendor.variables/12",
		},
		"declarations refused": {
			doc: `{"a":"{{x}}"` + links, flags: flags[2:], errors: map[string]error{"config 12": status(403)},
			want: `{"a":"flag"` + links, replaced: "x", source: "the command line", asked: "config 12",
			warnings: []string{`variables configuration "12" cannot be read: GET https://platform: 403`},
		},
	} {
		t.Run(name, tc.check)
	}
}

// An interruption is neither the user's fault nor a reason to look elsewhere.
func TestInterruption(t *testing.T) {
	for name, tc := range map[string]struct {
		run   string
		flags []Assignment
		asked string
	}{
		"while the job is read":          {"1", nil, "job 1"},
		"while the row is read":          {"", nil, "row 12/7"},
		"while declarations are read":    {"", []Assignment{{"x", "1"}}, "config 12"},
		"flags come before the platform": {"1", []Assignment{{"x", "1"}}, "config 12"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			platform := &fake{t: t, cancel: cancel}
			doc := testvalue.Parse(t, `{"a":"{{x}}","variables_id":"12","variables_values_id":"7"}`)
			_, err := Resolve(ctx, doc, Inputs{Platform: platform, RunID: tc.run, Flags: tc.flags})
			if !errors.Is(err, context.Canceled) || failure.KindOf(err) != failure.Application {
				t.Errorf("got %v", err)
			}
			if asked := strings.Join(platform.asked, ", "); asked != tc.asked {
				t.Errorf("asked %q, want %q", asked, tc.asked)
			}
		})
	}
}
