package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		rules, want string
		place       Scope
		only        bool // no other problem is found
	}{
		{rules: `[{"status":600,"do":"fail"}]`},
		{rules: `[{"status":100,"do":"fail"}]`, want: `/r/0/status: ` + expectedStatus},
		{rules: `[{"status":"1xx","do":"fail"}]`, want: `/r/0/status: ` + expectedStatus},
		{rules: `[{"status":[404,"xx"],"do":"fail"}]`, want: `/r/0/status/1: ` + expectedStatus},
		{rules: `[{"status":[404,4.5],"do":"fail"}]`, want: `/r/0/status/1: ` + expectedStatus},
		{rules: `[{"when":"done","do":"fail"}]`, want: `/r/0/when: every condition needs one of the operators`},
		{rules: `[{"when":"done","do":"fail"},{"status":404,"do":"skip"}]`, want: `/r/0/when: every condition needs one of the operators`, only: true},
		{rules: `[{"status":"x","do":"fail"},{"status":404,"do":"skip"}]`, want: `/r/0/status: expected a status`, only: true},
		{rules: `[{"header":{"X":"0"},"do":"fail"}]`, want: `/r/0/header/X: expected a condition on the value of the header`},
		{rules: `[{"header":{"X":0},"do":"fail"}]`, want: `/r/0/header/X: expected a condition on the value of the header`},
		{rules: `[{"header":{"X":""},"do":"fail"}]`, want: `/r/0/header/X: expected a condition on the value of the header`},
		{rules: `[{"header":{"X":"X==0"},"do":"fail"}]`, want: `/r/0/header/X: expected a condition on the value of the header`},
		{rules: `[{"header":{"X":"==0&Y==1"},"do":"fail"}]`, want: `/r/0/header/X: expected a condition on the value of the header`},
		{rules: `[{"status":404,"do":"skip","wait":5}]`, want: `/r/0/wait: expected no such key with the action "skip": it is for "retry", "poll"`},
		{rules: `[{"status":404,"do":"retry","timeout":5}]`, want: `/r/0/timeout: expected no such key with the action "retry": it is for "poll"`},
		{rules: `[{"status":404,"do":"fail","wait":5,"timeout":5}]`, want: `/r/0/wait: expected no such key with the action "fail": it is for "retry", "poll"`},
		{rules: `[{"status":404,"do":"retry","wait":-1}]`, want: `/r/0/wait: expected a number of seconds, at least 0`},
		{rules: `[{"status":404,"do":"retry","wait":0}]`},
		{rules: `[{"status":404,"do":"poll","wait":0}]`, want: `/r/0/wait: expected a number of seconds above 0`},
		{rules: `[{"status":404,"do":"retry","wait":3600}]`},
		{rules: `[{"status":404,"do":"retry","wait":3600.1}]`, want: `/r/0/wait: expected at most 3600 seconds, which is 'api.retryConfig.maxWait'`},
		{rules: `[{"status":404,"do":"retry","wait":1e400}]`, want: `/r/0/wait: expected at most 3600 seconds`},
		{rules: `[{"status":404,"do":"poll","wait":4000,"timeout":8000}]`, want: `/r/0/wait: expected at most 3600 seconds`},
		{rules: `[{"status":404,"do":"poll","wait":30,"timeout":20}]`, want: `/r/0/timeout: expected at least the seconds of one wait, which are 30`},
		{rules: `[{"status":404,"do":"poll","timeout":9}]`, want: `/r/0/timeout: expected at least the seconds of one wait, which are 10`},
		{rules: `[{"status":404,"do":"poll","wait":{"response":"in"},"timeout":9}]`},
		{rules: `[{"status":404,"do":"poll","timeout":0}]`, want: `/r/0/timeout: expected a number of seconds above 0`},
		{rules: `[{"status":404,"do":"poll","timeout":-5}]`, want: `/r/0/timeout: expected a number of seconds above 0`},
		{rules: `[{"status":404,"do":"poll","timeout":1e400}]`},
		{rules: `[{"status":404,"do":"retry","wait":{}}]`, want: `/r/0/wait: expected one of the keys "header", "response" and "match"`},
		{rules: `[{"status":404,"do":"retry","wait":{"unit":"minutes"}}]`, want: `/r/0/wait: expected one of the keys "header", "response" and "match"`},
		{rules: `[{"status":404,"do":"retry","wait":{"header":"A","response":"b"}}]`, want: `/r/0/wait: expected one of the keys "header" and "response"`},
		{rules: `[{"status":404,"do":"retry","wait":{"header":"A","match":"a"}}]`, want: `/r/0/wait/match: expected a regular expression with a group`},
		{rules: `[{"status":404,"do":"retry","wait":{"header":"A","match":"(a)","unit":"minutes"}}]`},
		{rules: `[{"status":404,"do":"retry","wait":{"match":"in \\d+"}}]`, want: `/r/0/wait/match: expected a regular expression with a group`},
		{rules: `[{"status":404,"do":"retry","wait":{"match":"in (\\d+"}}]`, want: `/r/0/wait/match: expected a regular expression (RE2): missing closing ): `},
		{rules: `[{"status":404,"do":"retry","wait":{"match":"(?=x)(y)"}}]`, want: `/r/0/wait/match: expected a regular expression (RE2): invalid or unsupported Perl syntax`},
		{rules: `[{"status":404,"do":"skip"}]`, place: LoginScope, want: `/r/0/do: expected an action that a login can have`},
		{rules: `[{"status":410,"do":"restart"}]`, place: LoginScope, want: `/r/0/do: expected an action that a login can have`},
		{rules: `[{"status":410,"do":"restart","wait":5}]`, want: `/r/0/wait: expected no such key with the action "restart": it is for "retry", "poll"`},
		{rules: `[{"status":410,"do":"restart"}]`},
		{rules: `[{"status":302,"do":"accept"}]`, place: LoginScope},
		{rules: `[{"match":"(","do":"fail"}]`, want: `/r/0/match: expected a regular expression (RE2): missing closing ): `, only: true},
		{rules: `[{"match":"(?!x)","do":"fail"},{"status":404,"do":"skip"}]`, want: `/r/0/match: expected a regular expression (RE2): invalid or unsupported Perl syntax`, only: true},
		{rules: `[{"match":"x","do":"fail"}]`},
		{rules: `[{"match":"x","do":"poll"},{"match":"x","status":404,"do":"fail"}]`, want: `/r/1: never matches`},
		{rules: `[{"match":"x","do":"poll"},{"match":"y","do":"fail"},{"when":"a==1","do":"fail"}]`},
		{rules: `[{"do":"poll"}]`, want: `/r/0: takes every response, so none is ever taken as data`},
		{rules: `[{"do":"poll"}]`, place: LoginScope, want: `/r/0: takes every response, so none is ever taken as data`},
		{rules: `[{"do":"fail"}]`, place: APIScope},
		{rules: `[{"status":404,"do":"skip"},{"do":"fail"}]`, want: `/r/1: takes every response, so none is ever taken as data`},
		{rules: `[{"status":200,"do":"accept"},{"do":"fail"}]`},
		{rules: `[{"do":"accept"}]`},
		{rules: `[{"status":"4xx","do":"fail"},{"status":404,"do":"skip"}]`, want: `/r/1: never matches: the rule /r/0 before it takes every response that this one could`},
		{rules: `[{"status":404,"do":"skip"},{"status":"4xx","do":"fail"}]`},
		{rules: `[{"status":["4xx",500],"do":"fail"},{"status":[404,500],"do":"skip"}]`, want: `/r/1: never matches`},
		{rules: `[{"status":["4xx",500],"do":"fail"},{"status":[404,501],"do":"skip"}]`},
		{rules: `[{"status":404,"do":"fail"},{"when":"a==1","do":"skip"}]`},
		{rules: `[{"when":"a==1","do":"fail"},{"status":404,"when":"a==1","do":"skip"}]`, want: `/r/1: never matches`},
		{rules: `[{"when":"a==1","do":"fail"},{"status":404,"when":"a==2","do":"skip"}]`},
		{rules: `[{"when":"a!=x","do":"poll"},{"when":"a==y&b==1|a==z","do":"fail"}]`, want: `/r/1: never matches`},
		{rules: `[{"when":"a==y","do":"fail"},{"when":"a!=x","do":"poll"}]`},
		{rules: `[{"when":"a!=x","do":"poll"},{"when":"a==x","do":"fail"}]`},
		{rules: `[{"when":"a!=x","do":"poll"},{"when":"a==y|b==1","do":"fail"}]`},
		{rules: `[{"when":"a!=true","do":"poll"},{"when":"a==1","do":"fail"}]`},
		{rules: `[{"when":"a!=x&b==1","do":"poll"},{"when":"a==y","do":"fail"}]`},
		{rules: `{"do":"fail"}`},
		{rules: `[{"when":"a==1&&b==2","do":"fail"}]`, want: `/r/0/when: every condition needs one of the operators ==, !=, >=, <=, >, <, ~~, !~; there is none in '', found "a==1&&b==2"; join comparisons by a single & or |, as in a==1&b==2`},
		{rules: `[{"header":{"A":"==1"},"do":"fail"},{"header":{"a":"==1","B":"==2"},"do":"skip"}]`, want: `/r/1: never matches`},
		{rules: `[{"header":{"A":"==1","B":"==2"},"do":"fail"},{"header":{"A":"==1"},"do":"skip"}]`},
		{rules: `[{"do":"accept"},{"status":404,"do":"skip"}]`, want: `/r/1: never matches`},
	} {
		var problems failure.Problems
		Compile(field.NewSection(testvalue.Parse(t, tt.rules), "/r", &problems), tt.place, time.Hour)
		switch {
		case tt.want == "" && len(problems) > 0:
			t.Errorf("%s: %v", tt.rules, problems)
		case tt.want != "" && (len(problems) == 0 || !strings.HasPrefix(problems[0].String(), tt.want)):
			t.Errorf("%s: got %v, want %s", tt.rules, problems, tt.want)
		case tt.only && len(problems) > 1:
			t.Errorf("%s: got %v", tt.rules, problems)
		}
	}
}

func TestDescribe(t *testing.T) {
	list := compiled(t, `[
		{"status":[403,"5xx"],"header":{"x-left":"==0"},"do":"retry","wait":{"header":"X-Reset"}},
		{"when":"status!=DONE","do":"poll","wait":15,"timeout":60},
		{"status":202,"do":"poll"},
		{"status":409,"do":"retry"},
		{"status":410,"do":"retry","wait":{"response":"a.b"}},
		{"status":411,"do":"retry","wait":{"match":"(\\d+)"}},
		{"status":404,"do":"skip"},
		{"status":200,"do":"accept"},
		{"status":412,"do":"restart"},
		{"status":400,"match":"(?i)<html","do":"fail"},
		{"status":413,"do":"retry","wait":{"header":"X-In","match":"(\\d+)","unit":"minutes"}},
		{"status":414,"do":"poll","wait":{"response":"a.b","match":"(\\d+)"}},
		{"do":"fail"}]`)
	want := []string{
		`A response with the status 403 or 5xx and a header x-left that satisfies "==0" is tried again when its header X-Reset says so. (/r/0)`,
		`A response with a body that satisfies "status!=DONE" is requested again every 15 seconds, for 60 seconds at most. (/r/1)`,
		`A response with the status 202 is requested again every 10 seconds, for 3600 seconds at most. (/r/2)`,
		`A response with the status 409 is tried again as 'api.retryConfig' says. (/r/3)`,
		`A response with the status 410 is tried again when "a.b" of its body says so. (/r/4)`,
		`A response with the status 411 is tried again when "(\\d+)" in its body says so. (/r/5)`,
		`A response with the status 404 ends the job without data. (/r/6)`,
		`A response with the status 200 is taken as data. (/r/7)`,
		`A response with the status 412 starts the job again, once, without what was remembered. (/r/8)`,
		`A response with the status 400 and "(?i)<html" in its body ends the run with an error. (/r/9)`,
		`A response with the status 413 is tried again when "(\\d+)" in its header X-In says so. (/r/10)`,
		`A response with the status 414 is requested again when "(\\d+)" in "a.b" of its body says so, for 3600 seconds at most. (/r/11)`,
		`Every other response ends the run with an error. (/r/12)`,
	}
	if got := list.Describe(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{0: 0, 1.5: 1500 * time.Millisecond, 1e300: 1<<63 - 1, 9.3e9: 1<<63 - 1} {
		if got := field.Duration(seconds); got != want {
			t.Error(fmt.Sprint(seconds), got)
		}
	}
}
