package pagination

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestNextPageFlag(t *testing.T) {
	const (
		onTrue    = `{"field":"f","stopOn":true}`
		onTrueNo  = `{"field":"f","stopOn":true,"ifNotSet":false}`
		onFalse   = `{"field":"f","stopOn":false}`
		onFalseNo = `{"field":"f","stopOn":false,"ifNotSet":true}`
	)
	isFalse := []string{`{"f":false}`, `{"f":0}`, `{"f":0.0}`, `{"f":""}`, `{"f":"0"}`, `{"f":[]}`}
	isTrue := []string{`{"f":true}`, `{"f":1}`, `{"f":-0.5}`, `{"f":"false"}`, `{"f":"no"}`, `{"f":"0.0"}`, `{"f":[0]}`, `{"f":{}}`, `{"f":{"a":false}}`}
	notSet := []string{`{}`, `{"f":null}`, `{"a":{"f":true}}`, `[]`, `[{"f":true}]`}
	tests := []struct {
		name, flag string
		responses  []string
		rule       string // "" when the job continues
		pointer    string
	}{
		{"false and true stops", onTrue, isFalse, "", ""},
		{"true and true stops", onTrue, isTrue, "the field 'f' is true", "stopOn"},
		{"not set and true stops", onTrue, notSet, "the response has no value in the field 'f', which counts as true", "stopOn"},
		{"not set counts as false and true stops", onTrueNo, notSet, "", ""},
		{"set and true stops", onTrueNo, isTrue, "the field 'f' is true", "stopOn"},
		{"false and false stops", onFalse, isFalse, "the field 'f' is false", "stopOn"},
		{"true and false stops", onFalse, isTrue, "", ""},
		{"not set and false stops", onFalse, notSet, "the response has no value in the field 'f', which counts as false", "stopOn"},
		{"not set counts as true and false stops", onFalseNo, notSet, "", ""},
		{"not set counts as what stops", `{"field":"f","stopOn":true,"ifNotSet":true}`, notSet, "the response has no value in the field 'f', which counts as true", "ifNotSet"},
		{"null counts as absent", `{"field":"f","stopOn":true,"ifNotSet":null}`, notSet, "the response has no value in the field 'f', which counts as true", "stopOn"},
		{"a dot is part of the name", `{"field":"a.b","stopOn":true,"ifNotSet":false}`, []string{`{"a.b":true,"a":{"b":false}}`}, "the field 'a.b' is true", "stopOn"},
		{"a path", `{"field":"a.b","stopOn":true,"ifNotSet":false}`, []string{`{"a":{"b":true}}`, `{"a.b":null,"a":{"b":true}}`}, "the field 'a.b' is true", "stopOn"},
		{"a path that says to continue", `{"field":"a.b","stopOn":true,"ifNotSet":true}`, []string{`{"a":{"b":false}}`}, "", ""},
		{"a path into a list", `{"field":"-1.more","stopOn":false,"ifNotSet":true}`, []string{`[{"more":true},{"more":false}]`}, "the field '-1.more' is false", "stopOn"},
		{"an item that is chosen", `{"field":"links.[rel=next].active","stopOn":false}`, []string{`{"links":[{"rel":"self","active":true},{"rel":"next","active":false}]}`}, "the field 'links.[rel=next].active' is false", "stopOn"},
		{"a dot alone", `{"field":".","stopOn":true,"ifNotSet":false}`, []string{`{"a":true}`}, "", ""},
		{"a name that looks like an index", `{"field":1,"stopOn":true,"ifNotSet":false}`, []string{`{"1":true}`}, "the field '1' is true", "stopOn"},
		{"no index of a list", `{"field":1,"stopOn":true,"ifNotSet":false}`, []string{`[false,true]`}, "", ""},
	}
	endless := singleRequest()
	endless.Next = func(job config.RequestSpec, _ State, _ PageInfo) (config.RequestSpec, State, *Stop, error) {
		return job, nil, nil, nil
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compileText(t, `{"nextPageFlag":`+tt.flag+`}`).stoppers[0].around(endless)
			for _, response := range tt.responses {
				_, stop, err := walk(t, s, request(t, ""), 0, response)
				if err != nil {
					t.Fatal(err)
				}
				var want, got Stop
				if tt.rule != "" {
					want = Stop{Rule: tt.rule, Pointer: "/api/pagination/nextPageFlag/" + tt.pointer}
				}
				if stop != nil {
					got = Stop{Rule: stop.Rule, Pointer: stop.Pointer}
				}
				if got != want {
					t.Errorf("%s:\ngot  %+v\nwant %+v", response, got, want)
				}
			}
		})
	}
}
