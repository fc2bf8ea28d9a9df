package expr

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestNewTextFunctions(t *testing.T) {
	checkCalls(t, []callCase{
		{"lower", `["ÄŽ B"]`, `"äž b"`}, {"lower", `[null]`, `""`}, {"lower", `[5]`, `"5"`},
		{"upper", `["äž b"]`, `"ÄŽ B"`}, {"upper", `[true]`, `"1"`},
		{"trim", `[" \t\r\na b\u00a0 "]`, `"a b"`}, {"trim", `[""]`, `""`},
		{"replace", `["a.b.c",".","-"]`, `"a-b-c"`}, {"replace", `["abc","","-"]`, `"abc"`}, {"replace", `["abc","b",null]`, `"ac"`}, {"replace", `["aaa","aa","b"]`, `"ba"`},
		{"substr", `["abcdef",2]`, `"cdef"`}, {"substr", `["abcdef",2,3]`, `"cde"`}, {"substr", `["abcdef",-2]`, `"ef"`}, {"substr", `["abcdef",-2,1]`, `"e"`},
		{"substr", `["abc",-9]`, `"abc"`}, {"substr", `["abc",9]`, `""`}, {"substr", `["abc",1,0]`, `""`}, {"substr", `["abc",1,99]`, `"bc"`}, {"substr", `["abc",3]`, `""`},
		{"substr", `["žluťoučký",4,2]`, `"ou"`}, {"substr", `[null,0]`, `""`}, {"substr", `["",0,1]`, `""`}, {"substr", `["abc","1","1"]`, `"b"`}, {"substr", `["abc",0,null]`, `"abc"`},
		{"substr", `["abc",-99999999999999999999999,99999999999999999999999]`, `"abc"`},
		{"number", `["12"]`, `12`}, {"number", `[" -007.50 "]`, `-7.50`}, {"number", `["+5"]`, `5`}, {"number", `[".5"]`, `0.5`}, {"number", `["5."]`, `5`}, {"number", `["1E3"]`, `1E3`}, {"number", `["000"]`, `0`},
		{"number", `["12345678901234567890123"]`, `12345678901234567890123`}, {"number", `[1.50]`, `1.50`}, {"number", `[null]`, `null`}, {"number", `[""]`, `null`}, {"number", `["0.10e-2"]`, `0.10e-2`},
		{"if", `["a",1,2]`, `1`}, {"if", `[null,1,2]`, `2`}, {"if", `[false,1,2]`, `2`}, {"if", `[0,1,2]`, `2`}, {"if", `["0",1,2]`, `2`}, {"if", `["",1,2]`, `2`}, {"if", `[[],1,2]`, `2`}, {"if", `[{},1,2]`, `2`},
		{"if", `["false",1,2]`, `1`}, {"if", `[[0],1,2]`, `1`}, {"if", `[-1,1,2]`, `1`}, {"if", `[true,null,2]`, `null`},
		{"if", `[1,"then",{"function":"number","args":[{"attr":"s"}]}]`, `"then"`}, {"if", `[0,{"attr":"nope"},"else"]`, `"else"`},
		{"base64url_encode", `["a>b?"]`, `"YT5iPw"`}, {"base64url_encode", `[""]`, `""`},
		{"base64_decode", `["YT5iPw=="]`, `"a>b?"`}, {"base64_decode", `["YT5iPw"]`, `"a>b?"`}, {"base64_decode", `["xI0-Pw"]`, `"č>?"`}, {"base64_decode", `["xI0+\nPw=="]`, `"č>?"`}, {"base64_decode", `[null]`, `""`},
		{"json_encode", `[{"a":"/č","b":[1.50,null,{"attr":"one"}]}]`, `"{\"a\":\"/č\",\"b\":[1.50,null,1]}"`}, {"json_encode", `["x"]`, `"\"x\""`}, {"json_encode", `[null]`, `"null"`},
		{"json_decode", `["{\"a\":[1.50,\"č\"]}"]`, `{"a":[1.50,"č"]}`}, {"json_decode", `["5"]`, `5`}, {"json_decode", `[" null "]`, `null`},
		{"urlencode", `["a b"]`, `"a+b"`},
		{"date", `["Y-m-d H:i:s T P O Z I e p",1490000000,"Europe/Prague"]`, `"2017-03-20 09:53:20 CET +01:00 +0100 3600 0 Europe/Prague +01:00"`},
		{"date", `["c I",1500000000,"america/new_york"]`, `"2017-07-13T22:40:00-04:00 1"`}, {"date", `["r",1490000000,null]`, `"Mon, 20 Mar 2017 08:53:20 +0000"`},
		{"date", `["H:i T",1490000000,"UTC"]`, `"08:53 UTC"`}, {"date", `["B",1490000000,"Asia/Tokyo"]`, `"412"`}, {"date", `["d t L",1490000000,"Pacific/Auckland"]`, `"20 31 0"`},
	})
	checkFaults(t, []faultCase{
		{"lower", `[[]]`, "lower: argument 1 is an array, expected a text"},
		{"replace", `["a",{},"b"]`, "replace: argument 2 is an object"},
		{"substr", `["abc",{"attr":"s"}]`, "substr: argument 2 is not an integer"}, {"substr", `["abc",null]`, "argument 2 is not an integer"}, {"substr", `["abc",0,-1]`, "argument 3 is below 0"}, {"substr", `["abc",[]]`, "argument 2 is an array, expected an integer"},
		{"number", `[{"attr":"s"}]`, "number: argument 1 is not a number"}, {"number", `["0x1f"]`, "is not a number"}, {"number", `["1,5"]`, "is not a number"}, {"number", `["NaN"]`, "is not a number"}, {"number", `["-"]`, "is not a number"}, {"number", `[true]`, "is not a number"}, {"number", `[[]]`, "argument 1 is an array"},
		{"if", `[{"attr":"nope"},1,2]`, `attr "nope" not found (at /x/args/0)`}, {"if", `[1,{"function":"number","args":[{"attr":"s"}]},2]`, "number: argument 1 is not a number (at /x/args/1)"}, {"if", `[1,2]`, "expected 3 arguments for if"},
		{"base64_decode", `[{"attr":"format"}]`, "base64_decode: argument 1 is not base64"}, {"json_decode", `[{"attr":"s"}]`, "json_decode: argument 1 is not JSON"},
		{"date", `["c",0,"Local"]`, "/x/args/2: expected the name of a time zone such as Europe/Prague, found another text"}, {"date", `["c",0,{"attr":"s"}]`, "date: argument 3 is not the name of a time zone"}, {"date", `["c",0,[]]`, "argument 3 is an array"},
	})
}

// family is a compiler for a child job with the placeholders id and 2:who, two jobs
// above it, and what its scope sees.
func family(t testing.TB, problems *failure.Problems) (Compiler, *Scope) {
	t.Helper()
	known := Members{"id": {}, "2:who": {}, "list": {}}
	c := Compiler{Place: InJobs, Exact: true, Above: 2, Known: map[Context]Members{Window: WindowNames(), Attr: {"a": value.OfString("A"), "e": value.OfString(""), "#s": value.OfString("").AsSecret()}, Placeholder: known}, Problems: problems}
	return c, &Scope{Contexts: map[Context]Members{
		Attr:        c.Known[Attr],
		Placeholder: {"id": value.OfInt(7), "2:who": value.OfString("ann"), "list": testvalue.Parse(t, `[1,2]`)},
		Window:      WindowMembers(value.OfString("2024-01-01"), value.OfInt(1704153600)),
		ParentItem:  {"o.c": value.OfString("x"), "2:n": value.OfNumber("1.50"), "null": value.Value{}},
	}}
}

func TestForms(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"placeholder":"id"}`, `7`}, {`{"placeholder":"2:who"}`, `"ann"`}, {`{"placeholder":"list"}`, `[1,2]`},
		{`{"parentItem":"o.c"}`, `"x"`}, {`{"parentItem":"2:n"}`, `1.50`}, {`{"parentItem":"null"}`, `null`}, {`{"parentItem":"nothing"}`, `null`}, {`{"parentItem":"x:y"}`, `null`},
		{`{"attr":"e","default":"d"}`, `"d"`}, {`{"default":"d","attr":"e"}`, `"d"`}, {`{"attr":"a","default":"d"}`, `"A"`}, {`{"attr":"nope","default":"d"}`, `"d"`}, {`{"attr":"nope","default":null}`, `null`},
		{`{"window":"start"}`, `"2024-01-01"`}, {`{"window":"end"}`, `1704153600`}, {`{"window":"end","more":1}`, `{"window":"end","more":1}`},
		{`{"parentItem":"gone","default":{"attr":"e","default":{"placeholder":"id"}}}`, `7`},
		{`{"function":"concat","args":[],"default":5}`, `5`}, {`{"function":"concat","default":{"attr":"a"}}`, `"A"`}, {`{"function":"time","args":[],"default":5,"x":1}`, `{"function":"time","args":[],"default":5,"x":1}`},
		{`{"literal":{"attr":"a"}}`, `{"attr":"a"}`}, {`{"literal":null}`, `null`}, {`{"literal":1,"default":2}`, `{"literal":1,"default":2}`}, {`[{"literal":[{"function":"x"}]}]`, `[[{"function":"x"}]]`}, {`{"x":{"literal":{"attr":"a"}}}`, `{"x":{"attr":"a"}}`},
		{`{"default":1}`, `{"default":1}`}, {`{"default":1,"state":"open"}`, `{"default":1,"state":"open"}`}, {`{"state":"open"}`, `{"state":"open"}`}, {`{"env":"X"}`, `{"env":"X"}`}, {`{"response":"x"}`, `{"response":"x"}`},
		{`{"a":{"parentItem":"gone"},"b":1}`, `{"b":1}`}, {`[{"parentItem":"gone"},1]`, `[null,1]`}, {`{"a":{"function":"ifempty","args":["",null]}}`, `{"a":null}`}, {`{"a":{"function":"if","args":[0,1,null]},"b":{"c":{"parentItem":"gone"}}}`, `{"b":{}}`},
		{`{"a":{"function":"ifempty","args":[{"parentItem":"gone"},null]}}`, `{}`}, {`{"a":{"function":"number","args":[{"attr":"e"}]}}`, `{}`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			var problems failure.Problems
			c, s := family(t, &problems)
			got, err := c.Compile(testvalue.Parse(t, tt.text), "/x").Eval(s)
			if err != nil || len(problems) > 0 || got.JSON() != tt.want {
				t.Errorf("got %s, %v, %v, want %s", got.JSON(), err, problems, tt.want)
			}
		})
	}
}

func TestFormProblems(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"placeholder":"di"}`, `/x/placeholder: expected the name of a placeholder of this job or of a job above it, found "di"; did you mean "id"?`},
		{`[{"placeholder":"customer"}]`, `/x/0/placeholder: expected the name of a placeholder of this job or of a job above it, found "customer"; there are "2:who", "id", "list"`},
		{`{"placeholder":["id"]}`, `/x/placeholder: expected the name of a value as a string; names cannot be computed, found an array`},
		{`{"parentItem":"3:x"}`, `/x/parentItem: expected a level between 1 (the parent) and 2 in front of the path, found "3:x"; there are 2 jobs above this one`},
		{`{"parentItem":"0:x"}`, `/x/parentItem: expected a level between 1 (the parent) and 2 in front of the path, found "0:x"; there are 2 jobs above this one`},
		{`{"parentItem":"2:"}`, `/x/parentItem: expected a path in the item of a job above this one, found "2:"; write {"parentItem": "PATH"}`},
		{`{"window":"Start"}`, `/x/window: expected "start" or "end", found "Start"`},
		{`{"window":["start"]}`, `/x/window: expected the name of a value as a string; names cannot be computed, found an array`},
		{`{"attr":"aa"}`, `/x/attr: expected the path of a string, number or boolean that exists in "attr", found "aa"; did you mean "a"?`},
		{`{"attr":"a","default":{"parentItem":"9:x"}}`, `/x/default/parentItem: expected a level between 1 (the parent) and 2 in front of the path, found "9:x"; there are 2 jobs above this one`},
	} {
		var problems failure.Problems
		c, _ := family(t, &problems)
		c.Compile(testvalue.Parse(t, tt.text), "/x")
		if len(problems) != 1 || problems[0].String() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.text, problems, tt.want)
		}
	}
}

// TestWindowWithoutWindows: a reference to a window needs one, and a job without windows
// among others has none.
func TestWindowWithoutWindows(t *testing.T) {
	for _, tt := range []struct {
		place      Site
		text, want string
	}{
		{InJobs, `{"window":"end"}`, `/x/window: expected "windows" in this job or in one above it, found "end"; add "windows" to the job; if the object is data, write {"literal": {…}}`},
		{InJobs, `{"window":"new"}`, `/x/window: expected "start" or "end", found "new"; if the object is data, write {"literal": {…}}`},
		{InWindows, `{"window":"start"}`, `/x/window: expected "windows" in this job or in one above it, found "start"; what decides about the windows of a job cannot refer to them`},
	} {
		var problems failure.Problems
		c, _ := family(t, &problems)
		c.Place, c.Known[Window] = tt.place, nil
		c.Compile(testvalue.Parse(t, tt.text), "/x")
		if len(problems) != 1 || problems[0].String() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.text, problems, tt.want)
		}
	}
	var problems failure.Problems
	c, s := family(t, &problems)
	delete(s.Contexts, Window)
	if v, err := c.Compile(testvalue.Parse(t, `{"a":{"window":"start"}}`), "/x").Eval(s); err != nil || v.JSON() != "{}" {
		t.Errorf("got %s, %v", v.JSON(), err)
	}
}

// TestSecretsGoThroughForms: what is made with a secret is one, also by a choice, and
// also where its default replaces it.
func TestSecretsGoThroughForms(t *testing.T) {
	for text, want := range map[string]bool{
		`{"attr":"#s","default":"plain"}`:                                                true,
		`{"attr":"e","default":"plain"}`:                                                 false,
		`{"function":"if","args":[{"attr":"#s"},1,2]}`:                                   true,
		`{"function":"if","args":[1,{"attr":"#s"},2]}`:                                   true,
		`{"function":"if","args":[0,{"attr":"#s"},2]}`:                                   false,
		`{"function":"concat","args":["a",{"attr":"#s","default":"b"}]}`:                 true,
		`{"function":"json_encode","args":[{"a":[{"attr":"#s"}]}]}`:                      true,
		`{"function":"jwt","args":["HS256",{},{"attr":"#s","default":"k"}]}`:             true,
		`{"function":"if","args":[{"function":"upper","args":[{"attr":"#s"}]},"a","b"]}`: true,
	} {
		var problems failure.Problems
		c, s := family(t, &problems)
		got, err := c.Compile(testvalue.Parse(t, text), "/x").Eval(s)
		if err != nil || len(problems) > 0 || got.Secret() != want {
			t.Errorf("%s: %s is a secret: %v, want %v; %v, %v", text, got.JSON(), got.Secret(), want, err, problems)
		}
	}
}

// TestEntriesWithoutValue: entries that are null because of what they refer to are left
// out, unless they are columns.
func TestEntriesWithoutValue(t *testing.T) {
	for keep, want := range map[bool]string{false: `{"b":null,"c":{}}`, true: `{"a":null,"b":null,"c":{}}`} {
		var problems failure.Problems
		c, s := family(t, &problems)
		c.KeepNull = keep
		got, err := c.Entries(testvalue.Parse(t, `{"a":{"parentItem":"gone"},"b":null,"c":{"d":{"parentItem":"gone"}}}`), "/p").Eval(s)
		if err != nil || got.JSON() != want {
			t.Errorf("got %s, %v, want %s", got.JSON(), err, want)
		}
	}
}

func TestWalk(t *testing.T) {
	v := testvalue.Parse(t, `{"a":[{"attr":"x","default":{"parentItem":"2:y"}}],"b":{"function":"concat","args":[{"attr":"z"},{"literal":{"attr":"no"}}]},"c":{"state":"open"}}`)
	var got []string
	references := AllReferences().At(InJobs)
	references.Walk(v, "/p", true, func(f Form, pointer string) {
		got = append(got, fmt.Sprintf("%s call=%v literal=%v %s %s", pointer, f.Call, f.Literal, f.Reference.Key, f.Name.JSON()))
	})
	want := []string{`/p/a/0 call=false literal=false attr "x"`, `/p/a/0/default call=false literal=false parentItem "2:y"`, `/p/b call=true literal=false  "concat"`,
		`/p/b/args/0 call=false literal=false attr "z"`, `/p/b/args/1 call=false literal=true  {"attr":"no"}`}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if names := references.Names(v, true, Attr); !slices.Equal(names, []string{"x", "z"}) {
		t.Errorf("attributes %v", names)
	}
}

// TestReferencesAreDocumented: each has a meaning, a place and an example of its own.
func TestReferencesAreDocumented(t *testing.T) {
	for _, r := range AllReferences() {
		form, ok := References{r}.Parse(testvalue.Parse(t, r.Examples[0].Expression), true)
		if !ok || !form.Is(r.Key) || r.Doc == "" || !strings.HasSuffix(r.Doc, ".") || len(r.Where) == 0 || r.Argument == "" {
			t.Errorf("%s: %+v", r.Key, r)
		}
	}
}

// FuzzForms: any value at a place is a problem or can be evaluated, at each place,
// exactly or as the original reads it; what has no expression comes out as it went in.
func FuzzForms(f *testing.F) {
	for _, text := range []string{
		`{"attr":"e","default":{"placeholder":"id"}}`, `[{"parentItem":"2:n"},{"literal":{"attr":"a"}}]`, `{"function":"if","args":[0,{"attr":"nope"},{"function":"uuid"}]}`,
		`{"a":{"function":"number","args":["1"],"default":5}}`, `{"env":"X","default":{"env":"Y"}}`, `{"default":1,"function":"time"}`, `{"function":"substr","args":["č",-1,{"attr":"e"}]}`,
		`{"response":"a","default":{"responseHeader":"b"}}`, `{"window":"start","default":{"window":"x"}}`, `{"function":"jwt","args":["ES256",{"a":{"parentItem":"null"}},{"attr":"#s"}]}`,
	} {
		f.Add(text)
	}
	places := []Site{InAttributes, InBaseURL, InHeaders, InJobs, InShared, InUserData, InFile, InWindows, InDataType, InPlaceholders, InLogin, InOAuthLogin, InAfterLogin, InQueryAuth, InOAuthRequest}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse([]byte(text))
		if err != nil {
			return
		}
		for i, place := range places {
			var problems failure.Problems
			c, s := family(t, &problems)
			c.Place, c.Exact = place, i%2 == 0
			compiled, entries := c.Compile(v, ""), c.Entries(v, "")
			got, err := compiled.Eval(s)
			_, err2 := entries.Eval(s)
			for _, err := range []error{problems.Err(), err, err2} {
				if err != nil && failure.KindOf(err) != failure.User {
					t.Errorf("%s: %s: %v", place, text, err)
				}
			}
			if err == nil && !AllReferences().At(place).Any(v, c.Exact) && !got.Equal(v) {
				t.Errorf("%s: %s became %s", place, text, got.JSON())
			}
		}
	})
}
