package platform_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The resolution of variables over HTTP: what the platform answers, and what
// becomes of the document.
func TestVariables(t *testing.T) {
	const (
		document = `{"a":"{{n}}","variables_id":"12","variables_values_id":"7"}`
		missing  = `missing values for variables: n (used in the configuration); no variable values provided for variables configuration "12"`
		noQueue  = `variable values of job "99" cannot be read: GET ` + storage + `/v2/storage: 502 Bad Gateway`
	)
	usual := map[string]response{
		index:              {200, services, ""},
		job:                {200, `{"id":"99","variableValuesId":null,"variableValuesData":[]}`, ""},
		config:             {200, `{"id":"12","configuration":{"variables":[{"name":"n","type":"int"}]}}`, ""},
		row:                {200, `{"id":"7","configuration":{"values":[{"name":"n","value":"7"}]}}`, ""},
		config + "/rows/8": {200, `{"id":"8","configuration":{"values":[{"name":"n","value":8}]}}`, ""},
	}
	for name, tc := range map[string]struct {
		instead      map[string]response
		doc          string // "" is document
		want, source string
		warnings     []string
		err          string
	}{
		"inline values of the job": {
			instead: map[string]response{job: {200, `{"id":99,"variableValuesData":{"values":[{"name":"n","value":1}]}}`, ""}},
			want:    "1", source: `job "99"`,
		},
		"row of the job": {
			instead: map[string]response{job: {200, `{"id":"99","variableValuesId":"8","variableValuesData":[]}`, ""}},
			want:    "8", source: `row "8" of variables configuration "12"`,
		},
		"row of the run in the document": {
			doc:  `{"a":"{{n}}","variables_id":"12","variableValuesId":"8","variables_values_id":"7"}`,
			want: "8", source: `row "8" of variables configuration "12"`,
		},
		"default row": {want: "7", source: `row "7" of variables configuration "12"`},
		"the queue refuses the token": {
			instead: map[string]response{job: {401, `{"error":"Invalid access token ` + token + `","code":401}`, ""}},
			want:    "7", source: `row "7" of variables configuration "12"`,
			warnings: []string{`variable values of job "99" cannot be read: GET ` + queue + `/jobs/99: 401 Unauthorized: Invalid access token [hidden] (code 401)`},
		},
		"the job is unknown": {
			instead: map[string]response{job: {404, `{"error":"Job \"99\" not found","code":404}`, ""}},
			want:    "7", source: `row "7" of variables configuration "12"`,
			warnings: []string{`variable values of job "99" cannot be read: GET ` + queue + `/jobs/99: 404 Not Found: Job "99" not found (code 404)`},
		},
		"a proxy answers for the index": {
			instead: map[string]response{index: {502, `<html>`, "text/html"}},
			want:    "7", source: `row "7" of variables configuration "12"`, warnings: []string{noQueue},
		},
		"declarations refused": {
			instead: map[string]response{config: {403, `{"error":"no","code":"accessDenied"}`, ""}},
			want:    "7", source: `row "7" of variables configuration "12"`,
			warnings: []string{`variables configuration "12" cannot be read: GET ` + configURL + `: 403 Forbidden: no (code accessDenied)`},
		},
		"nothing declared": {
			instead: map[string]response{config: {200, `{"id":"12","configuration":[]}`, ""}},
			want:    "7", source: `row "7" of variables configuration "12"`,
		},
		"no row": {
			instead: map[string]response{index: {502, `<html>`, "text/html"}, row: {404, `{"error":"Row 7 not found","code":"notFound"}`, ""}},
			err: missing + "; " + noQueue + `; cannot read variable values "7" of variables configuration "12": GET ` + configURL +
				`/rows/7: 404 Not Found: Row 7 not found (code notFound)`,
		},
		"empty row": {
			instead: map[string]response{row: {200, `{"id":"7","configuration":[]}`, ""}}, err: missing,
		},
		"no variables configuration": {
			instead: map[string]response{config: {404, `{"error":"Configuration 12 not found"}`, ""}},
			err: `variables configuration "12" cannot be read: GET ` + configURL +
				`: 404 Not Found: Configuration 12 not found (at /variables_id)`,
		},
		"id with a slash": {
			doc: `{"a":"{{n}}","variables_id":"1/2"}`,
			err: `missing values for variables: n (used in the configuration); no variable values provided for variables configuration "1/2"` +
				`; variables configuration "1/2" cannot be read: configuration id "1/2" is not valid: expected letters, digits, '.', '_' and '-'`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			responses := maps.Clone(usual)
			maps.Copy(responses, tc.instead)
			c, _ := mocked(t, responses)
			if tc.doc == "" {
				tc.doc = document
			}
			doc, err := value.Parse([]byte(tc.doc))
			if err != nil {
				t.Fatal(err)
			}
			got, err := variables.Resolve(context.Background(), doc, variables.Inputs{Platform: c, RunID: "42.99"})
			if text(err) != tc.err {
				t.Fatalf("got  %v\nwant %s", err, tc.err)
			}
			if filled := got.Document.Field("a").Raw(); filled != tc.want || got.Source != tc.source || !slices.Equal(got.Warnings, tc.warnings) {
				t.Errorf("got %q from %q with warnings %q", filled, got.Source, got.Warnings)
			}
		})
	}
}
