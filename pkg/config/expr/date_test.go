package expr

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestTimeFunctions(t *testing.T) {
	checkCalls(t, []callCase{
		{"time", `[]`, `1508620560`},
		{"time", `null`, `1508620560`},
		{"date", `["Y-m-d H:i:s"]`, `"2017-10-21 21:16:00"`},
		{"date", `["Y-m-d H:i:s", null]`, `"2017-10-21 21:16:00"`},
		{"date", `["Y-m-d H:i:s", 1490000000]`, `"2017-03-20 08:53:20"`},
		{"date", `["Y-m-d H:i:s", "1490000000"]`, `"2017-03-20 08:53:20"`},
		{"date", `["Y-m-d H:i:s", 1490000000.7]`, `"2017-03-20 08:53:20"`},
		{"date", `["Y-m-d H:i:s", false]`, `"1970-01-01 00:00:00"`},
		{"date", `["s", true]`, `"01"`},
		{"date", `["Y-m-d H:i:s", -5]`, `"1969-12-31 23:59:55"`},
		{"date", `["Y", 1490000000000]`, `"49186"`},
		{"date", `["Y-m-d", {"function":"strtotime","args":["foo"]}]`, `"1970-01-01"`},
		{"strtotime", `["now"]`, `1508620560`},
		{"strtotime", `["-1 day"]`, `1508534160`},
		{"strtotime", `["2017-03-20 08:53:20"]`, `1490000000`},
		{"strtotime", `["+1 day", 1490000000]`, `1490086400`},
		{"strtotime", `["+1 day", "1490000000"]`, `1490086400`},
		{"strtotime", `["+1 day", false]`, `86400`},
		{"strtotime", `["foo"]`, `false`},
		{"strtotime", `[1490000000]`, `false`},
		{"strtotime", `[""]`, `false`},
		{"strtotime", `[null]`, `false`},
	})
	checkFaults(t, []faultCase{
		{"time", `[1]`, "expected no arguments for time, found 1 argument; write it as time()"},
		{"date", `[]`, "expected 1 to 3 arguments for date, found no arguments"},
		{"date", `["Y",[1]]`, "date: argument 2 is an array, expected a number of seconds"},
		{"date", `["Y",99999999999999999]`, "date: argument 2: the time is out of range"},
		{"date", `[["Y"]]`, "date: argument 1 is an array, expected a text"},
		{"strtotime", `[]`, "expected 1 to 2 arguments for strtotime, found no arguments"},
		{"strtotime", `[[]]`, "strtotime: argument 1 is an array"},
	})
}

// A text that is not a time results in an empty value and a warning that does not show it:
// one row with an empty text must not end a run.
func TestTimesThatAreNone(t *testing.T) {
	for _, c := range []struct{ call, want, warning string }{
		{`{"function":"date","args":["Y",""]}`, `false`, "/x date: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"date","args":["Y","tomorrow"]}`, `false`, "/x date: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"date","args":["Y",{"attr":"s"}]}`, `false`, "/x date: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"date","args":["Y",{"attr":"empty"}]}`, `false`, "/x date: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"date","args":["Y",1e30]}`, `false`, "/x date: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"strtotime","args":["now",{"attr":"s"}]}`, `false`, "/x strtotime: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"concat","args":["<",{"function":"date","args":["Y",{"attr":"empty"}]},">"]}`, `"<>"`, "/x/args/1 date: argument 2 is not a number of seconds, the result is empty"},
		{`{"function":"date","args":["Y-m-d",{"attr":"one"}]}`, `"1970-01-01"`, ""},
	} {
		var problems failure.Problems
		e := Compiler{Place: InJobs, Problems: &problems}.Compile(testvalue.Parse(t, c.call), "/x")
		if err := problems.Err(); err != nil {
			t.Fatalf("%s: %v", c.call, err)
		}
		var warnings []string
		got, err := e.Eval(scope().Warning(func(pointer, text string) { warnings = append(warnings, pointer+" "+text) }))
		if err != nil || got.JSON() != c.want || strings.Join(warnings, "\n") != c.warning {
			t.Errorf("%s = %s, %v with the warnings %q, want %s with %q", c.call, got.JSON(), err, warnings, c.want, c.warning)
		}
		if silent, err := e.Eval(scope()); err != nil || !silent.Equal(got) {
			t.Errorf("%s without anybody to warn = %s, %v", c.call, silent.JSON(), err)
		}
	}
}
