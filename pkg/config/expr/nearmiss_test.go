package expr

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestNearMiss(t *testing.T) {
	for _, tt := range []struct{ given, want string }{
		{`{"attribute":"token"}`, `write {"attr": "token"}`},
		{`{"Attr":"token","default":1}`, `write {"attr": "token"}`},
		{`{"atr":"token"}`, `write {"attr": "token"}`},
		{`{"literals":["a"]}`, `write {"literal": …} for what is not evaluated`},
		{`{"placeholders":"id"}`, `write {"placeholder": "id"}`},
		{`{"parent_item":"id"}`, `write {"parentItem": "id"}`},
		{`{"remember":"since"}`, `write {"remembered": "since"}`},
		{`{"fn":"concat","args":["a"]}`, `write {"function": "concat", "args": […]}`},
		{`{"function":"concat","arguments":["a"]}`, `write {"function": "concat", "args": […]}`},
		{`{"function":"shuffle","arguments":["a"]}`, ``},
		{`{"attr":"token"}`, ``},
		{`{"attr":"token","defualt":1}`, `write {"attr": "token"}`},
		{`{"attribute":{"a":1}}`, ``},
		{`{"state":"open"}`, ``},
		{`{"type":"a","date":"b"}`, ``},
		{`{"attribute":"a","placeholder":"b"}`, ``},
		{`{}`, ``},
		{`["attribute"]`, ``},
	} {
		if _, got := (Vocabulary{}).NearMiss(InJobs, testvalue.Parse(t, tt.given)); got.String() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.given, got, tt.want)
		}
	}
}

// The hints are those of calls that cannot work: before the run if all arguments are
// known, else when they are evaluated.
func TestNearMissInCalls(t *testing.T) {
	for text, want := range map[string]string{
		`{"function":"concat","args":["a",{"attribute":"x"}]}`:            `/x/args/1: concat: argument 2 is an object, expected a text; write {"attr": "x"}`,
		`{"function":"concat","args":["a",{"literals":"x"}]}`:             `write {"literal": …} for what is not evaluated`,
		`{"function":"md5","arguments":["a"]}`:                            `/x/args: expected 1 to 2 arguments for md5, found no arguments; write {"function": "md5", "args": […]}`,
		`{"function":"concat","args":[{"attr":"one"},{"attribute":"x"}]}`: `concat: argument 2 is an object, expected a text; write {"attr": "x"} (at /x)`,
		`{"function":"concat","args":["a",{"odd":"x"}]}`:                  `write it as concat(text…)`,
	} {
		var problems failure.Problems
		e := Compiler{Place: InJobs, Problems: &problems}.Compile(testvalue.Parse(t, text), "/x")
		err := problems.Err()
		if err == nil {
			_, err = e.Eval(scope())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
