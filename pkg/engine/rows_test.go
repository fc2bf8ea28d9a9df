package engine

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
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

// TestResponseFiltersOfTheReference: each filter in docs/reference/paths-and-conditions.md
// turns the item into the one in its row.
func TestResponseFiltersOfTheReference(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/paths-and-conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	item := regexp.MustCompile("Results for an item `(.*)`:").FindSubmatch(page)
	rows := regexp.MustCompile("(?m)^\\| `([\"\\[].*?)` \\| `(\\{.*)` \\|$").FindAllSubmatch(page, -1)
	if item == nil || len(rows) != 3 {
		t.Fatalf("item %q, %d filters", item, len(rows))
	}
	for _, row := range rows {
		job := config.Job{ResponseFilterDelimiter: "."}
		filter := testvalue.Parse(t, string(row[1]))
		for _, path := range filter.Items() {
			job.ResponseFilter = append(job.ResponseFilter, path.Raw())
		}
		if filter.IsScalar() {
			job.ResponseFilter = []string{filter.Raw()}
		}
		got, err := applied(t, compileResponseFilter(job, 3), string(item[1]))
		if want := testvalue.Parse(t, string(row[2])).JSON(); err != nil || got != want {
			t.Errorf("%s makes %s, %v, the page says %s", row[1], got, err, want)
		}
	}
}

// children are the endpoints and parent columns of the child runs of one row.
func children(t *testing.T, template, placeholders string, parents ...string) string {
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
	all, err := combinations(nil, own, rows, nil)
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
		{"a path", "c/{a}", `{"a":"user-info.id"}`, []string{`{"user-info":{"id":"x"}}`}, `c/x parent_user-info.id="x"`},
		{"the row itself", "c/{x}", `{"x":"."}`, []string{`5`}, `c/5 parent_.=5`},
		{"an empty list runs nothing", "{p}", `{"p":"p"}`, []string{`{"p":[]}`}, ``},
		{"items may be falsy", "c/{p}", `{"p":"p"}`, []string{`{"p":[0,"",false,null]}`}, `c/0 parent_p=0; c/ parent_p=""; c/ parent_p=false; c/ parent_p=null`},
		{"null, booleans and floats", "{n}-{t}-{f}", `{"n":"n","t":"t","f":"f"}`, []string{`{"n":null,"t":true,"f":1.50}`}, `-1-1.5 parent_n=null parent_t=true parent_f=1.50`},
		{"a path in an object", "c/{x}", `{"x":{"path":"id"}}`, []string{`{"id":1}`}, `c/1 parent_id=1`},
		{"the token keeps its prefix", "c/{id}/{1:id}", `{"1:id":"id"}`, []string{`{"id":1}`}, `c/{id}/1 parent_id=1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := children(t, tt.template, tt.placeholders, tt.parents...); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
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

func TestUserDataProblems(t *testing.T) {
	for text, pointer := range map[string]string{`{"a":[1]}`: "/x/a", `["a"]`: "/x", `{"a":[],"b":{}}`: "", `[]`: ""} {
		s, problems := section(t, text)
		checkUserData(s)
		if len(*problems) > 1 || (len(*problems) == 1) != (pointer != "") || pointer != "" && (*problems)[0].Pointer != pointer {
			t.Errorf("%s: got %v", text, *problems)
		}
	}
}

// section is a section of a document and the list of its problems.
func section(t testing.TB, text string) (config.Section, *failure.Problems) {
	problems := &failure.Problems{}
	return field.NewSection(testvalue.Parse(t, text), "/x", problems), problems
}

func filterOf(t testing.TB, text string) condition.Condition {
	t.Helper()
	s, problems := section(t, string(value.OfString(text).AppendJSON(nil)))
	f := condition.Compile(s)
	if len(*problems) > 0 {
		t.Fatalf("%s: %v", text, *problems)
	}
	return f
}

func TestRecursionFilter(t *testing.T) {
	tests := []struct {
		filter, row string
		want        bool
	}{
		{"id==1", `{"id":1}`, true},
		{"id==1", `{"id":"1"}`, true},
		{"id==1", `{"id":1.0}`, true},
		{"id==1.0", `{"id":1.0}`, true},
		{"id==1.0", `{"id":"1.0"}`, true},
		{"id==1", `{"id":"1.0"}`, false},
		{"id!=1", `{"id":"1.0"}`, true},
		{"id!=1", `{"id":2}`, true},
		{"id!=1", `{"id":1}`, false},
		{"a.b==x", `{"a":{"b":"x"}}`, true},
		{"n==", `{}`, true},
		{"n==", `{"n":null}`, true},
		{"n==", `{"n":false}`, true},
		{"n==1", `{"n":true}`, true},
		{"n!=", `{"n":"x"}`, true},
		{"t==Array", `{"t":[1]}`, true},
		{"name==Jo", `{"name":"jo"}`, false},
		{"name== Jo", `{"name":"Jo"}`, false},

		{"n>9", `{"n":10}`, true},
		{"n>9", `{"n":"10"}`, true},
		{"n>9", `{"n":"9x"}`, true},
		{"n>9", `{"n":"10x"}`, false},
		{"n>=10", `{"n":10.0}`, true},
		{"n<=1e3", `{"n":999.5}`, true},
		{"n<5", `{"n":" 4"}`, true},
		{"n<5", `{"n":5}`, false},
		{"n<5", `{}`, true},
		{"n>5", `{}`, false},

		{"n~~J%", `{"n":"John"}`, true},
		{"n~~J%", `{"n":"AJ"}`, false},
		{"n~~%oh%", `{"n":"John"}`, true},
		{"n~~J", `{"n":"John"}`, false},
		{"n~~a.c", `{"n":"abc"}`, false},
		{"n~~%", `{"n":"a\nb"}`, false},
		{"n!~J%", `{"n":"Ann"}`, true},

		{"a==1&b==2", `{"a":1,"b":2}`, true},
		{"a==1&b==2", `{"a":1,"b":3}`, false},
		{"a==1|b==2", `{"a":0,"b":2}`, true},
		{"n~~J%&id>1|id==3", `{"id":1,"n":"Jo"}`, false},
		{"n~~J%&id>1|id==3", `{"id":2,"n":"Ja"}`, true},
		{"n~~J%&id>1|id==3", `{"id":3,"n":""}`, true},

		{"a==1&o==2", `{"a":0,"o":{"x":1}}`, false},
		{"a==1|o==2", `{"a":1,"o":{"x":1}}`, true},
		{"a==1&o==2|b==3", `{"a":0,"b":3,"o":{"x":1}}`, true},
		{"a==1|b==2&o==3", `{"a":0,"b":0,"o":{"x":1}}`, false},

		{"id==1==2", `{"id":1}`, true},
		{"a<b==c", `{"a<b":"c"}`, true},
		{"scalar==5", `5`, true},
		{"0==a", `["a"]`, true},
		{"links.[rel=next].href==/2", `{"links":[{"rel":"self"},{"rel":"next","href":"/2"}]}`, true},
		{"tags.-1==z", `{"tags":["a","z"]}`, true},
		{"@odata.type==x", `{"@odata.type":"x"}`, true},
		{"n==true", `{"n":true}`, false},
		{"n!=true", `{"n":true}`, true},
	}
	for _, tt := range tests {
		got, err := passes(filterOf(t, tt.filter), packed(t, tt.row))
		if err != nil {
			t.Errorf("%s on %s: %v", tt.filter, tt.row, err)
		}
		if got != tt.want {
			t.Errorf("%s on %s: got %v", tt.filter, tt.row, got)
		}
	}
	if pass, err := passes(condition.Condition{}, packed(t, `{}`)); err != nil || !pass {
		t.Errorf("no filter: got %v, %v", pass, err)
	}
	for _, filter := range []string{"o==1", "a==0&o==1", "a==1|o==1", "o==1&a==1", "o==1|a==0"} {
		if _, err := passes(filterOf(t, filter), packed(t, `{"a":0,"o":{"x":1}}`)); failure.KindOf(err) != failure.User {
			t.Errorf("%s with an object: got %v, want a user error", filter, err)
		}
	}
}

func TestRecursionFilterProblems(t *testing.T) {
	for _, text := range []string{`"id"`, `"id=1"`, `"id==1&"`, `"id==1||b==2"`, `"|"`} {
		s, problems := section(t, text)
		condition.Compile(s)
		if len(*problems) != 1 || (*problems)[0].Pointer != "/x" || !strings.Contains((*problems)[0].Expected.String(), "operators") {
			t.Errorf("%s: got %v", text, *problems)
		}
	}
}

func FuzzRecursionFilter(f *testing.F) {
	for _, seed := range []string{"a==1", "a.b~~%x%&c<2|d!~", "&", "a>=b<=c", "!~%(", "a~~\xff%"} {
		f.Add(seed, `{"a":1}`)
	}
	f.Fuzz(func(t *testing.T, text, row string) {
		v, err := value.Parse([]byte(row))
		if err != nil {
			return
		}
		problems := &failure.Problems{}
		filter := condition.Compile(field.NewSection(value.OfString(text), "/x", problems))
		if filter.Given() == (len(*problems) > 0 || value.OfString(text).Empty()) {
			t.Errorf("%q: filter %v, problems %v", text, filter, *problems)
		}
		if _, err := passes(filter, v.AppendPacked(nil)); err != nil && failure.KindOf(err) != failure.User {
			t.Error(err)
		}
	})
}
