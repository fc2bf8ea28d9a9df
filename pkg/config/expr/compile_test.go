package expr

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const attributes = `{"#t":"S","acct":{"id":7,"tags":["a",{"k":"b"}]},"f":false,"z":0,"n":null,"o":{},"0":"zero","a.b":1,"a":{"b":2},
	"x":{"function":"time","args":["y"]}}`

// compiler has the attributes above and the times; attributes are final.
func compiler(t testing.TB, problems *failure.Problems) (Compiler, *Scope) {
	t.Helper()
	attr := Flatten(testvalue.Parse(t, attributes))
	c := Compiler{Place: InJobs, Known: map[Context]Members{Attr: attr}, Problems: problems}
	s := scope()
	s.Contexts = map[Context]Members{Attr: attr, Time: {"currentStart": value.OfInt(5)}}
	return c, s
}

func TestReferences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"attr":"#t"}`, `"S"`},
		{`{"attr":"acct.id"}`, `7`},
		{`{"attr":"acct.tags.0"}`, `"a"`},
		{`{"attr":"acct.tags.1.k"}`, `"b"`},
		{`{"attr":"f"}`, `false`},
		{`{"attr":"z"}`, `0`},
		{`{"attr":0}`, `"zero"`},
		{`{"attr":"a.b"}`, `2`},
		{`{"attr":"x.function"}`, `"time"`},
		{`{"attr":"x.args.0"}`, `"y"`},
		{`{"time":"currentStart"}`, `5`},
		{`{"query":"x"}`, `{"query":"x"}`},
		{`{"attr":"nope","other":1}`, `{"attr":"nope","other":1}`},
		{`{}`, `{}`},
		{`[]`, `[]`},
		{`"attr"`, `"attr"`},
		{`null`, `null`},
		{`1.50`, `1.50`},
	} {
		t.Run(c.text, func(t *testing.T) {
			var problems failure.Problems
			compiler, s := compiler(t, &problems)
			got, err := compiler.Compile(testvalue.Parse(t, c.text), "/x").Eval(s)
			if err != nil || len(problems) > 0 || got.JSON() != c.want {
				t.Errorf("%s = %s, %v, %v, want %s", c.text, got.JSON(), err, problems, c.want)
			}
		})
	}
}

func TestCompileProblems(t *testing.T) {
	const allNames = "concat, implode, sprintf, lower, upper, trim, replace, substr, number, ifempty, if, base64_encode, base64url_encode, base64_decode, urlencode, rawurlencode, " +
		"json_encode, json_decode, md5, sha1, hash, hash_hmac, uuid, jwt, time, date, strtotime"
	const missing = `expected the path of a string, number or boolean that exists in "attr"`
	for _, c := range []struct{ name, text, want string }{
		{"unknown attribute", `{"attr":"nope"}`, `/x/attr: ` + missing + `, found "nope"`},
		{"misspelt attribute", `{"attr":"acct.idd"}`, `/x/attr: ` + missing + `, found "acct.idd"; did you mean "acct.id"?`},
		{"hash sign forgotten", `{"attr":"t"}`, `/x/attr: ` + missing + `, found "t"; did you mean "#t"?`},
		{"object attribute", `{"attr":"acct"}`, `/x/attr: ` + missing + `, found "acct"; it is an object or a list, refer to a value in it, such as "acct.id"`},
		{"list attribute", `{"attr":"acct.tags"}`, `/x/attr: ` + missing + `, found "acct.tags"; it is an object or a list, refer to a value in it, such as "acct.tags.0"`},
		{"null attribute", `{"attr":"n"}`, `/x/attr: ` + missing + `, found "n"`},
		{"attribute without members", `{"attr":"o"}`, `/x/attr: ` + missing + `, found "o"`},
		{"null as a name", `{"attr":null}`, `/x/attr: expected the name of a value as a string; names cannot be computed, found null`},
		{"list as a name", `{"attr":["x"]}`, `/x/attr: expected the name of a value as a string; names cannot be computed, found an array`},
		{"computed name", `{"attr":{"function":"time"}}`, `/x/attr: expected the name of a value as a string; names cannot be computed, found an object`},
		{"computed name in another context", `{"time":true}`, `/x/time: expected the name of a value as a string; names cannot be computed, found a boolean`},
		{"unknown function", `{"function":"shuffle"}`,
			`/x/function: expected the name of a function, found "shuffle"; known are ` + allNames},
		{"misspelt function", `{"function":"base64encode","args":["a"]}`, `/x/function: expected the name of a function, found "base64encode"; did you mean "base64_encode"?`},
		{"case counts", `{"function":"MD5","args":["a"]}`, `/x/function: expected the name of a function, found "MD5"; did you mean "md5"?`},
		{"function that is a number", `{"function":5}`, `/x/function: expected the name of a function as a string, found a number`},
		{"function that is null", `{"function":null}`, `/x/function: expected the name of a function as a string, found null`},
		{"arguments that are no list", `{"function":"md5","args":"a"}`, `/x/args: expected a list of arguments, found a string; write one argument as a list too: [ … ]`},
		{"too few arguments", `{"function":"md5"}`, `/x/args: expected 1 to 2 arguments for md5, found no arguments; write it as md5(text, raw?)`},
		{"nested, with its place", `{"a/b":[{"function":"md5","args":{"x~":{"function":"md6","args":[]}}}]}`,
			`/x/a~1b/0/args/x~0/function: expected the name of a function, found "md6"; did you mean "md5"?`},
		{"algorithm in an object of arguments", `{"function":"hash","args":{"alg":"sha257","text":{"attr":"#t"}}}`,
			`/x/args/alg: expected the name of a hash algorithm, found "sha257"; did you mean "sha256"?`},
		{"call of literals that must fail", `{"function":"date","args":["Y",[1]]}`,
			`/x: date: argument 2 is an array, expected a number of seconds; write it as date(format, timestamp?, zone?)`},
		{"long names are cut", `{"function":"` + strings.Repeat("f", 99) + `","args":["a"]}`,
			`/x/function: expected the name of a function, found "` + strings.Repeat("f", 60) + `…"; known are ` + allNames},
	} {
		t.Run(c.name, func(t *testing.T) {
			var problems failure.Problems
			compiler, s := compiler(t, &problems)
			e := compiler.Compile(testvalue.Parse(t, c.text), "/x")
			if len(problems) != 1 || problems[0].String() != c.want {
				t.Errorf("problems of %s:\n got %v\nwant %s", c.text, problems, c.want)
			}
			if _, err := e.Eval(s); err != nil {
				t.Errorf("what is a problem already fails again: %v", err)
			}
		})
	}
}

func TestEveryProblemIsFound(t *testing.T) {
	var problems failure.Problems
	c, _ := compiler(t, &problems)
	c.Entries(testvalue.Parse(t, `{"a":{"attr":"q"},"b":{"function":"concat","args":[{"attr":"r"},{"function":"md5","args":[]}]},"c":{"function":"none","args":[{"attr":"u"}]}}`), "/p")
	var got []string
	for _, p := range problems {
		got = append(got, p.Pointer)
	}
	want := []string{"/p/a/attr", "/p/b/args/0/attr", "/p/b/args/1/args", "/p/c/args/0/attr", "/p/c/function"}
	if !slices.Equal(got, want) {
		t.Errorf("problems at %v, want %v", got, want)
	}
}

func TestEvalErrors(t *testing.T) {
	for _, c := range []struct{ name, text, message, pointer string }{
		{"unknown member", `{"time":"startNow"}`, `time "startNow" not found`, "/x"},
		{"unknown member in arguments", `{"function":"ifempty","args":["a",{"f":[{"time":"b"}]}]}`, `time "b" not found`, "/x/args/1/f/0"},
		{"failing call", `[{"function":"implode","args":[",",{"time":"currentStart"}]}]`, `implode: no argument is a list`, "/x/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var problems failure.Problems
			compiler, s := compiler(t, &problems)
			_, err := compiler.Compile(testvalue.Parse(t, c.text), "/x").Eval(s)
			e, ok := err.(*failure.Error)
			if !ok || e.Kind != failure.User || e.Message != c.message || e.Pointer != c.pointer {
				t.Errorf("got %#v, want %q at %s", err, c.message, c.pointer)
			}
		})
	}
}

func TestZeroes(t *testing.T) {
	v, err := Expr{}.Eval(nil)
	if err != nil || !v.IsNull() {
		t.Errorf("the zero Expr is %s, %v, want null", v.JSON(), err)
	}
	if v, ok := (Expr{}).Constant(); !ok || !v.IsNull() {
		t.Errorf("the zero Expr is not the constant null")
	}
	if names := (Expr{}).References(Attr); names != nil {
		t.Errorf("the zero Expr refers to %v", names)
	}
	v, err = Entries{}.Eval(nil)
	if err != nil || v.JSON() != "{}" || (Entries{}).Len() != 0 {
		t.Errorf("the zero Entries are %s, %v, want an empty object", v.JSON(), err)
	}
	var problems failure.Problems
	e := Compiler{Place: InJobs, Problems: &problems}.Compile(testvalue.Parse(t, `{"function":"concat","args":[{"function":"time"},{"attr":"x"}]}`), "")
	if _, err := e.Eval(nil); err == nil || failure.KindOf(err) != failure.User {
		t.Errorf("an attribute without a scope gives %v, want a user error", err)
	}
}

func TestConstant(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{`"a"`, true}, {`null`, true}, {`{"query":"x"}`, true}, {`{"a":[1,{"b":null}]}`, true},
		{`{"attr":"z"}`, false}, {`{"function":"concat","args":["a"]}`, false}, {`{"a":[{"attr":"z"}]}`, false},
	} {
		var problems failure.Problems
		compiler, _ := compiler(t, &problems)
		got, ok := compiler.Compile(testvalue.Parse(t, c.text), "").Constant()
		if ok != c.want || ok && got.JSON() != c.text {
			t.Errorf("Constant of %s = %s, %v, want %v", c.text, got.JSON(), ok, c.want)
		}
	}
}

func TestReferencedNames(t *testing.T) {
	var problems failure.Problems
	c := Compiler{Place: InJobs, Problems: &problems}
	e := c.Entries(testvalue.Parse(t, `{"b":{"attr":"one"},"a":{"function":"concat","args":[{"attr":"two"},{"x":[{"attr":"one"},{"time":"now"}]}]},"c":[{"attr":"no"}],"d":"attr"}`), "")
	if got := e.References(Attr); !slices.Equal(got, []string{"one", "two", "no"}) {
		t.Errorf("attributes %v, want one, two and no", got)
	}
	if got := e.References(Time); !slices.Equal(got, []string{"now"}) {
		t.Errorf("times %v, want now", got)
	}
	if got := e.References(User); got != nil {
		t.Errorf("user %v, want none", got)
	}
	if got := c.Compile(testvalue.Parse(t, `{"z":{"attr":"one"}}`), "").References(Attr); !slices.Equal(got, []string{"one"}) {
		t.Errorf("attributes %v, want one", got)
	}
}

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		length           int
	}{
		{"object", `{"q":{"attr":"z"},"n":null,"t":true,"s":"x"}`, `{"q":0,"n":null,"t":true,"s":"x"}`, 4},
		{"a list in it", `{"ids":[{"attr":"z"}]}`, `{"ids":[0]}`, 1},
		{"a call with other keys in a list is data", `{"ids":[{"function":"md5","field":"a"}]}`, `{"ids":[{"function":"md5","field":"a"}]}`, 1},
		{"a list deeper is not", `{"f":{"ids":[{"attr":"z"}]}}`, `{"f":{"ids":[0]}}`, 1},
		{"unknown context", `{"name":{"query":"x"}}`, `{"name":{"query":"x"}}`, 1},
		{"the object itself is no expression", `{"attr":"z"}`, `{"attr":"z"}`, 1},
		{"nor a call", `{"function":"md5","args":[{"attr":"z"}]}`, `{"function":"md5","args":[0]}`, 2},
		{"list", `["p",{"attr":"#t"},["q"]]`, `["p","S",["q"]]`, 3},
		{"null", `null`, `{}`, 0}, {"empty object", `{}`, `{}`, 0}, {"empty list", `[]`, `{}`, 0},
		{"empty text", `""`, `{}`, 0}, {"false", `false`, `{}`, 0}, {"zero", `0`, `{}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var problems failure.Problems
			compiler, s := compiler(t, &problems)
			e := compiler.Entries(testvalue.Parse(t, c.text), "/p")
			got, err := e.Eval(s)
			if err != nil || len(problems) > 0 || got.JSON() != c.want || e.Len() != c.length {
				t.Errorf("%s = %s (%d), %v, %v, want %s (%d)", c.text, got.JSON(), e.Len(), err, problems, c.want, c.length)
			}
		})
	}
}

func TestEntriesFaults(t *testing.T) {
	var problems failure.Problems
	c, s := compiler(t, &problems)
	if e := c.Entries(testvalue.Parse(t, `"`+theSecret+`"`), "/p"); e.Len() != 0 {
		t.Errorf("a text has %d entries", e.Len())
	}
	if got := problems.Error(); got != "configuration: /p: expected an object, found a string" {
		t.Errorf("problem %q", got)
	}
	_, err := c.Entries(testvalue.Parse(t, `[1,{"time":"x"}]`), "/p").Eval(s)
	if failure.PointerOf(err) != "/p/1" {
		t.Errorf("error %v, want it at /p/1", err)
	}
}

// Everything in a configuration is either a problem or can be evaluated,
// and neither crashes nor shows the secret.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		`{"function":"concat","args":["a",1,{"attr":"s"}]}`, `{"function":"sprintf","args":["%05d",{"attr":"one"}]}`,
		`{"function":"implode","args":[",",["a",{"time":"x"}]]}`, `{"function":"date","args":["c",{"function":"strtotime","args":[{"attr":"from"}]}]}`,
		`{"function":"hash_hmac","args":["sha256",{"attr":"s"},{"attr":"s"},true]}`, `{"function":"ifempty","args":{"a":{},"b":[]}}`,
		`{"a":[{"function":"urlencode","args":[{"placeholder":"value"}]}]}`, `{"attr":["x"]}`, `{"function":"md5","args":5}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse([]byte(text))
		if err != nil || strings.Contains(text, theSecret) {
			return
		}
		var problems failure.Problems
		c := Compiler{Place: InJobs, Known: map[Context]Members{Attr: scope().Contexts[Attr]}, Problems: &problems}
		e := c.Compile(v, "")
		entries := c.Entries(v, "")
		_, err = e.Eval(scope())
		_, err2 := entries.Eval(scope())
		for _, err := range []error{problems.Err(), err, err2} {
			if err != nil && (failure.KindOf(err) != failure.User || strings.Contains(err.Error(), theSecret)) {
				t.Errorf("%s: %v", text, err)
			}
		}
		if constant, ok := e.Constant(); ok && !constant.Equal(v) {
			t.Errorf("%s: the constant is %s", text, constant.JSON())
		}
	})
}
