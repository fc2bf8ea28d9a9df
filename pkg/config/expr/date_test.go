package expr

import (
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestDateLetters(t *testing.T) {
	monday := time.Unix(1490000000, 0)
	for _, c := range []struct{ format, want string }{
		{"d", "20"}, {"j", "20"}, {"D", "Mon"}, {"l", "Monday"}, {"N", "1"}, {"w", "1"}, {"z", "78"}, {"S", "th"},
		{"W", "12"}, {"o", "2017"},
		{"F", "March"}, {"M", "Mar"}, {"m", "03"}, {"n", "3"}, {"t", "31"}, {"L", "0"},
		{"Y", "2017"}, {"y", "17"},
		{"a", "am"}, {"A", "AM"}, {"g", "8"}, {"G", "8"}, {"h", "08"}, {"H", "08"}, {"i", "53"}, {"s", "20"},
		{"B", "412"}, {"u", "000000"}, {"v", "000"},
		{"e", "UTC"}, {"T", "UTC"}, {"P", "+00:00"}, {"O", "+0000"}, {"p", "Z"}, {"Z", "0"}, {"I", "0"},
		{"c", "2017-03-20T08:53:20+00:00"},
		{"r", "Mon, 20 Mar 2017 08:53:20 +0000"},
		{"U", "1490000000"},
		{`Y-m-d\TH:i:s\Z`, "2017-03-20T08:53:20Z"},
		{"Y-m-d H:i:s:u", "2017-03-20 08:53:20:000000"},
		{"Y-m-d", "2017-03-20"}, {"Y-m-d H:i:s", "2017-03-20 08:53:20"}, {`Y-m-d\TH:i:s`, "2017-03-20T08:53:20"},
		{`Y-m-d\TH:i:sP`, "2017-03-20T08:53:20+00:00"}, {"Ymd", "20170320"}, {"d.m.Y", "20.03.2017"},
		{"m/d/Y", "03/20/2017"}, {"Y-m", "2017-03"}, {"H:i", "08:53"}, {"Y-m-d+H:i", "2017-03-20+08:53"},
		{"D, d M Y H:i:s T", "Mon, 20 Mar 2017 08:53:20 UTC"},
		{"b C x é 5", "b C x é 5"}, {`\\`, `\`}, {`\`, `\`}, {"", ""},
	} {
		if got := formatDate(c.format, monday); got != c.want {
			t.Errorf("date(%q) = %q, want %q", c.format, got, c.want)
		}
	}
}

func TestDateOfOtherDays(t *testing.T) {
	for _, c := range []struct{ day, format, want string }{
		{"2024-02-29 00:05:09", "W z L t y", "09 59 1 29 24"},
		{"2017-01-01 12:00:00", "W o N w", "52 2016 7 0"},
		{"2018-12-31 23:30:00", "W o B", "01 2019 020"},
		{"2017-01-01 00:00:00", "g h G H a A", "12 12 0 00 am AM"},
		{"2017-01-01 12:00:00", "g h G H a A", "12 12 12 12 pm PM"},
		{"2017-01-01 13:00:00", "g h G H a A", "1 01 13 13 pm PM"},
		{"1900-02-01 00:00:00", "L t", "0 28"},
		{"2000-02-01 00:00:00", "L t", "1 29"},
		{"0033-02-01 00:00:00", "Y y", "0033 33"},
	} {
		day, err := time.Parse(layout, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := formatDate(c.format, day); got != c.want {
			t.Errorf("date(%q) of %s = %q, want %q", c.format, c.day, got, c.want)
		}
	}
	if got := formatDate("Y y", time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)); got != "-0005 05" {
		t.Errorf("a year before the first one is %q", got)
	}
	suffixes := map[int]string{1: "st", 2: "nd", 3: "rd", 4: "th", 11: "th", 12: "th", 13: "th", 21: "st", 22: "nd", 23: "rd", 24: "th", 30: "th", 31: "st"}
	for day, want := range suffixes {
		if got := formatDate("S", time.Date(2017, 1, day, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("suffix of %d is %q, want %q", day, got, want)
		}
	}
}

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
		{"date", `[]`, "expected 1 to 2 arguments for date, found no arguments"},
		{"date", `["Y",[1]]`, "date: argument 2 is an array, expected a number of seconds"},
		{"date", `["Y",99999999999999999]`, "date: argument 2: the time is beyond what can be reckoned with"},
		{"date", `[["Y"]]`, "date: argument 1 is an array, expected a text"},
		{"strtotime", `[]`, "expected 1 to 2 arguments for strtotime, found no arguments"},
		{"strtotime", `[[]]`, "strtotime: argument 1 is an array"},
	})
}

// A time that is none gives an empty value and a warning that does not show it:
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
		e := Compiler{Contexts: []Context{Attr}, Problems: &problems}.Compile(parse(t, c.call), "/x")
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

func FuzzDate(f *testing.F) {
	f.Add("dDjlNSwzWoFmMntLYyaABgGhHisuveIOPpTZcrU\\x", int64(1490000000))
	f.Add("\\", int64(-1e16))
	f.Fuzz(func(t *testing.T, format string, seconds int64) {
		formatDate(format, time.Unix(seconds%farthest, 0))
	})
}
