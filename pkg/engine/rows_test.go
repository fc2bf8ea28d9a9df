package engine

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// packed is a JSON text as rows are.
func packed(t testing.TB, text string) value.Packed {
	return testvalue.Parse(t, text).AppendPacked(nil)
}

// applied is a filtered row as JSON.
func applied(t *testing.T, f responseFilter, row string) (text string, err error) {
	t.Helper()
	one := func(yield func(value.Packed, error) bool) { yield(packed(t, row), nil) }
	for row, failed := range f.apply(one) {
		text, err = row.Value().JSON(), failed
	}
	return text, err
}

func TestResponseFilter(t *testing.T) {
	tests := []struct {
		name, paths, row, want string
		level                  int
	}{
		{"an object", "d", `{"id":1,"d":{"a":"b"}}`, `{"id":1,"d":"{\"a\":\"b\"}"}`, 3},
		{"a text keeps its quotes", "d", `{"d":"c"}`, `{"d":"\"c\""}`, 3},
		{"scalars", "a,b,c", `{"a":true,"b":1.50,"c":null}`, `{"a":"true","b":"1.50","c":"null"}`, 3},
		{"empty list and object", "a,b", `{"a":[],"b":{}}`, `{"a":"[]","b":"{}"}`, 3},
		{"spelling of the text", "d", `{"d":{"u":"č/"}}`, `{"d":"{\"u\":\"\\u010d\\/\"}"}`, 3},
		{"a nested property", "a.b", `{"a":{"b":[1],"c":[2]}}`, `{"a":{"b":"[1]","c":[2]}}`, 3},
		{"every item", "m[]", `{"m":[{"a":1},2,[3]]}`, `{"m":["{\"a\":1}","2","[3]"]}`, 3},
		{"below every item", "m[].x", `{"m":[{"x":[1]},{"y":2},3]}`, `{"m":[{"x":"[1]"},{"y":2},3]}`, 3},
		{"through a list without brackets", "m.x", `{"m":[{"x":[1]}]}`, `{"m":[{"x":[1]}]}`, 3},
		{"absent", "z.y", `{"a":1}`, `{"a":1}`, 3},
		{"a row that is not an object", "a", `[1]`, `[1]`, 3},
		{"several in order", "a.b,a", `{"a":{"b":[1]}}`, `{"a":"{\"b\":\"[1]\"}"}`, 3},

		{"lenient: a text stays", "d", `{"d":"c"}`, `{"d":"c"}`, 2},
		{"lenient: a number becomes text", "d", `{"d":5}`, `{"d":"5"}`, 2},
		{"lenient: empty values stay", "a,b,c,d", `{"a":null,"b":[],"c":"","d":0}`, `{"a":null,"b":[],"c":"","d":0}`, 2},
		{"lenient: an object", "d", `{"d":{"a":1}}`, `{"d":"{\"a\":1}"}`, 2},
		{"lenient: null instead of a list", "m[]", `{"m":null}`, `{"m":null}`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := config.Job{ResponseFilter: strings.Split(tt.paths, ","), ResponseFilterDelimiter: "."}
			got, err := applied(t, compileResponseFilter(job, tt.level), tt.row)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	for _, row := range []string{`{"m":null}`, `{"m":5}`, `{"m":{"a":1}}`} {
		job := config.Job{Pointer: "/jobs/0", ResponseFilter: []string{"m[]"}, ResponseFilterDelimiter: "."}
		_, err := applied(t, compileResponseFilter(job, 3), row)
		if failure.KindOf(err) != failure.User || failure.PointerOf(err) != "/jobs/0/responseFilter" {
			t.Errorf("%s: got %v", row, err)
		}
	}
	job := config.Job{ResponseFilter: []string{"a.b/c"}, ResponseFilterDelimiter: "/"}
	if got, _ := applied(t, compileResponseFilter(job, 3), `{"a.b":{"c":[1]}}`); got != `{"a.b":{"c":"[1]"}}` {
		t.Errorf("another delimiter: got %s", got)
	}
}

// children are the endpoints and parent columns of the child runs of one row.
func children(t *testing.T, template, placeholders string, inherited []placeholderValue, parents ...string) string {
	t.Helper()
	s, problems := section(t, placeholders)
	own := compilePlaceholders(s, len(parents), expr.Vocabulary{})
	if len(*problems) > 0 {
		t.Fatal(*problems)
	}
	var rows []value.Packed
	for _, p := range parents {
		rows = append(rows, packed(t, p))
	}
	all, err := combinations(inherited, own, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for values := range all {
		text, err := endpoint(template, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range parentColumns(values) {
			text += " " + c.Name + "=" + c.Value.JSON()
		}
		runs = append(runs, text)
	}
	return strings.Join(runs, "; ")
}

func TestPlaceholders(t *testing.T) {
	tests := []struct {
		name, template, placeholders string
		parents                      []string
		want                         string
	}{
		{"a value", "c/{id}/{id}", `{"id":"id"}`, []string{`{"id":7}`}, `c/7/7 parent_id=7`},
		{"a path", "c/{a}", `{"a":"user-info.id"}`, []string{`{"user-info":{"id":"x"}}`}, `c/x parent_user-info.id="x"`},
		{"a level", "c/{1:v}/{2:w}", `{"1:v":"id","2:w":"id"}`, []string{`{"id":1}`, `{"id":11}`}, `c/1/11 parent_id=1 parent_id=11`},
		{"a column that is a parent column already", "c/{x}", `{"x":"parent_x"}`, []string{`{"parent_x":7}`}, `c/7 parent_x=7`},
		{"the row itself", "c/{x}", `{"x":"."}`, []string{`5`}, `c/5 parent_.=5`},
		{"lists expand, the last one fastest", "{p}/{q}", `{"p":"p","q":"q"}`, []string{`{"p":[1,2],"q":["x","y"]}`},
			`1/x parent_p=1 parent_q="x"; 1/y parent_p=1 parent_q="y"; 2/x parent_p=2 parent_q="x"; 2/y parent_p=2 parent_q="y"`},
		{"an empty list runs nothing", "{p}", `{"p":"p"}`, []string{`{"p":[]}`}, ``},
		{"items may be falsy", "c/{p}", `{"p":"p"}`, []string{`{"p":[0,"",false,null]}`}, `c/0 parent_p=0; c/ parent_p=""; c/ parent_p=false; c/ parent_p=null`},
		{"null, booleans and floats", "{n}-{t}-{f}", `{"n":"n","t":"t","f":"f"}`, []string{`{"n":null,"t":true,"f":1.50}`}, `-1-1.5 parent_n=null parent_t=true parent_f=1.50`},
		{"a function", "c/{x}", `{"x":{"path":"name","function":"urlencode","args":[{"placeholder":"value"}]}}`, []string{`{"name":"a b/c"}`}, `c/a+b%2Fc parent_name="a b/c"`},
		{"a path in an object", "c/{x}", `{"x":{"path":"id"}}`, []string{`{"id":1}`}, `c/1 parent_id=1`},
		{"values are never searched", "x/{a}/{b}", `{"a":"a","b":"b"}`, []string{`{"a":"{b}","b":"Z"}`}, `x/{b}/Z parent_a="{b}" parent_b="Z"`},
		{"the token keeps its prefix", "c/{id}/{1:id}", `{"1:id":"id"}`, []string{`{"id":1}`}, `c/{id}/1 parent_id=1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := children(t, tt.template, tt.placeholders, nil, tt.parents...); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	inherited := []placeholderValue{{token: "a", path: "a", column: value.OfInt(1), value: value.OfInt(1)}, {token: "b", path: "b", column: value.OfInt(2), value: value.OfInt(2)}}
	if got, want := children(t, "{a}/{b}/{c}", `{"a":"x","c":"y"}`, inherited, `{"x":8,"y":9}`), `8/2/9 parent_x=8 parent_b=2 parent_y=9`; got != want {
		t.Errorf("inherited: got %s, want %s", got, want)
	}
}

// Three lists of 150 items have 3.4 million combinations: each of them is made when
// it is wanted.
func TestCombinationsAreMadeOneByOne(t *testing.T) {
	s, _ := section(t, `{"a":"v","b":"v","c":"v"}`)
	own := compilePlaceholders(s, 1, expr.Vocabulary{})
	items := make([]value.Value, 150)
	for i := range items {
		items[i] = value.OfInt(int64(i))
	}
	rows := []value.Packed{value.OfMembers(value.Member{Name: "v", Value: value.OfItems(items...)}).AppendPacked(nil)}
	n, last := 0, ""
	allocations := testing.AllocsPerRun(1, func() {
		all, err := combinations(nil, own, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		n = 0
		for values := range all {
			last, _ = endpoint("{a}/{b}/{c}", values)
			if n++; n == 151 {
				break
			}
		}
	})
	if last != "0/1/0" {
		t.Errorf("the 151st combination is %s", last)
	}
	if allocations > 100*151 {
		t.Errorf("%.0f allocations for 151 combinations", allocations)
	}
}

func TestPlaceholderErrors(t *testing.T) {
	for name, row := range map[string]string{
		"missing": `{}`, "object": `{"id":{"a":1}}`, "object in a list": `{"id":[{"a":1}]}`, "list in a list": `{"id":[[1]]}`, "null item": `[null]`,
	} {
		s, _ := section(t, `{"id":"id"}`)
		if name == "null item" {
			s, _ = section(t, `{"id":"0"}`)
		}
		_, err := combinations(nil, compilePlaceholders(s, 1, expr.Vocabulary{}), []value.Packed{packed(t, row)}, nil)
		if failure.KindOf(err) != failure.User || failure.PointerOf(err) != "/x/id" {
			t.Errorf("%s: got %v, want a user error at the placeholder", name, err)
		}
	}
	s, _ := section(t, `{"id":{"path":"id","function":"md5","args":[{"placeholder":"value"}]}}`)
	if _, err := combinations(nil, compilePlaceholders(s, 1, expr.Vocabulary{}), []value.Packed{packed(t, `{"id":null}`)}, nil); failure.KindOf(err) != failure.User {
		t.Errorf("a function of null: got %v, want a user error", err)
	}
	for _, text := range []string{`{"2:id":"id"}`, `{"0:id":"id"}`, `{"x:id":"id"}`, `{"id":{"function":"md5","args":["a"]}}`, `{"id":""}`, `{"id":{"path":"a","function":"nope"}}`} {
		s, problems := section(t, text)
		compilePlaceholders(s, 1, expr.Vocabulary{})
		if len(*problems) != 1 {
			t.Errorf("%s: got %v, want one problem", text, *problems)
		}
	}
}

func TestUserData(t *testing.T) {
	scope := &expr.Scope{Contexts: map[expr.Context]expr.Members{
		expr.Attr: {"k": value.OfString("v")}, expr.Time: {"currentStart": value.OfInt(9)},
	}}
	tests := []struct{ name, config, job, want string }{
		{"none", `null`, `null`, ``},
		{"scalars", `"a"`, `5`, `userData="a" job_parent_id=5`},
		{"empty ones are not a column", `""`, `0`, ``},
		{"objects", `{"a":1,"b":null}`, `{"b":2,"c":{"attr":"k"}}`, `a=1 b=null b=2 c="v"`},
		{"lists", `["a",["b"],{}]`, `null`, `0="a" 1=["b"] 2=[]`},
		{"a list of the job alone", `null`, `{"5":"a","x":{"y":{}}}`, `5="a" x={"y":[]}`},
		{"lists of both", `{"5":"x","n":"N","-3":"y","07":"z"}`, `["a",[]]`, `0="x" n="N" 1="y" 07="z" 2="a" 3=[]`},
		{"time", `{"t":{"time":"currentStart"}}`, `null`, `t=9`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := userData{renumbered: tt.config != "null"}
			for name, text := range map[string]string{"userData": tt.config} {
				s, _ := section(t, text)
				u.entries = append(u.entries, compileUserData(s, name, expr.Compiler{Place: expr.InUserData, Known: map[expr.Context]expr.Members{expr.Attr: scope.Contexts[expr.Attr]}, Problems: s.Problems()}))
			}
			s, _ := section(t, tt.job)
			u.entries = append(u.entries, compileUserData(s, "job_parent_id", expr.Compiler{Place: expr.InUserData, Known: map[expr.Context]expr.Members{expr.Attr: scope.Contexts[expr.Attr]}, Problems: s.Problems()}))
			columns, err := u.columns(scope)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range columns {
				got = append(got, c.Name+"="+c.Value.JSON())
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
	for text, pointer := range map[string]string{`{"a":[1]}`: "/x/a", `["a"]`: "/x", `{"a":[],"b":{}}`: "", `[]`: ""} {
		s, problems := section(t, text)
		checkUserData(s)
		if len(*problems) > 1 || (len(*problems) == 1) != (pointer != "") || pointer != "" && (*problems)[0].Pointer != pointer {
			t.Errorf("%s: got %v", text, *problems)
		}
	}
}
