package engine

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

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
