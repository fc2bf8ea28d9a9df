package diagnostic_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// TestOfFailure: the error of a run with its place in the text, and without its secrets.
func TestOfFailure(t *testing.T) {
	const text = "{\"parameters\": {\"config\": {\"#key\": \"s3cret-key\",\n  \"jobs\": [\n    {\n      \"endpoint\": \"orders\"\n    }\n  ]}}}\n"
	const job = "/parameters/config/jobs/0"
	_, syntax := config.Parse([]byte("{\n  'a': 1}"))
	problems := failure.Problems{
		{Code: failure.WrongValue, Pointer: job + "/endpoint", Expected: "expected a path", Found: failure.Part("s3cret-key")},
		{Code: failure.UnknownKey, Pointer: "/parameters/config/jobs", Expected: "unknown key"},
	}
	for name, tc := range map[string]struct {
		text string
		err  error
		want string
	}{
		"a job": {text, failure.Userf("status 401").At(job), `c.json:4:19: error: the message
4 | "endpoint": "orders"
  |             ^^^^^^^^
  = at /parameters/config/jobs/0
`},
		"a setting": {text, fmt.Errorf("x: %w", failure.Userf("y").At("/parameters/config/jobs")), `c.json:2:3: error: the message
2 | "jobs": [
  | ^^^^^^
  = at /parameters/config/jobs
`},
		"problems": {text, problems, `c.json:2:3: error: unknown key [unknown-key]
2 | "jobs": [
  | ^^^^^^
  = at /parameters/config/jobs

c.json:4:19: error: expected a path, found [hidden] [wrong-value]
4 | "endpoint": "orders"
  |             ^^^^^^^^
  = at /parameters/config/jobs/0/endpoint

2 errors, 0 warnings; 'extractor explain CODE' `},
		"a secret again": {"{\"parameters\":\n{\"config\": {\"jobs\": [\n{\"endpoint\": \"x/s3cret-\\u006bey\"}]}}}", failure.Userf("x").At(job), `c.json:3:14: error: the message
3 | {"endpoint": [hidden]}]}}}
  |              ^^^^^^^^
  = at /parameters/config/jobs/0
`},
		"what would control the terminal": {"{\"parameters\": {\"a\u009b\\u001b\": \"\u202e\"}}", failure.Userf("x").At("/parameters/a\u009b\x1b"), `c.json:1:29: error: the message
1 | {"parameters": {"a \u001b": " "}}
  |                             ^^^
  = at /parameters/a\u009b\x1b
`},
		"problems and more":   {text, errors.Join(problems, errors.New("the disk is full")), "c.json:4:19: error: the message\n"},
		"not JSON":            {"{\n  'a': 1}", syntax, "c.json:2:3: error: not valid JSON: "},
		"without a place":     {text, errors.New("the disk is full"), "c.json: no problems\n"},
		"a place that is not": {text, failure.Userf("x").At("/parameters/api"), "c.json:1:2: error: the message\n"},
	} {
		t.Run(name, func(t *testing.T) {
			secrets := &secret.Registry{}
			secrets.Add("s3cret-key")
			r := diagnostic.OfFailure("c.json", []byte(tc.text), secrets, tc.err, "the message")
			var b strings.Builder
			if err := diagnostic.WriteText(&b, []*diagnostic.Report{r}, false); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(b.String(), tc.want) || strings.Contains(b.String(), "s3cret") || strings.HasSuffix(b.String(), "\n\n") {
				t.Errorf("got\n%s\nwant\n%s", &b, tc.want)
			}
		})
	}
}
