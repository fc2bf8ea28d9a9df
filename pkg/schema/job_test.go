package schema_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestJob(t *testing.T) {
	it := accepted(t, given{config: `"from":"2024",`, job: `"id":"j","method":"post","dataType":"people","dataField":{"path":"a/b","delimiter":"/"},"scroller":"s",` +
		`"params":{"from":{"attr":"from"},"since":{"time":"previousStart"},"list":[{"attr":"from"}]},"headers":{"A":"1","B":["x",2],"C":{"attr":"from"}},` +
		`"responseFilter":["a",1],"responseFilterDelimiter":"/","recursionFilter":"a==b","userData":{"x":{"attr":"from"}},` +
		`"children":[{"endpoint":"users/{id}","placeholders":{"id":"id","2:x":{"path":"p","function":"urlencode","args":[{"placeholder":"value"}]}}}],`})
	j := it.Jobs[0]
	scope := &expr.Scope{Now: clock, Contexts: map[expr.Context]expr.Members{
		expr.Attr: expr.Flatten(it.Attributes), expr.Time: {"previousStart": value.OfInt(5)}}}
	params, err := j.Params.Eval(scope)
	if err != nil {
		t.Fatal(err)
	}
	headers, err := j.Headers.Eval(scope)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(j.Pointer, " ", j.ID, " ", j.Method, " ", j.DataType, " ", j.DataField, " ", j.Scroller, " ", params.JSON(), " ", headers.JSON(), " ",
		j.ResponseFilter, " ", j.ResponseFilterDelimiter, " ", j.RecursionFilter, " ", j.UserData.Pointer, " ", j.UserData.Value.JSON())
	const want = `/parameters/config/jobs/0 j POST people {a/b /  false} s {"from":"2024","since":5,"list":["2024"]} {"A":"1","B":["x",2],"C":"2024"} ` +
		`[a 1] / a==b /parameters/config/jobs/0/userData {"x":{"attr":"from"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	child := j.Children[0]
	if child.Pointer != "/parameters/config/jobs/0/children/0" || child.DataType != "users/{id}" || child.Placeholders.Value.Len() != 2 ||
		child.Placeholders.Pointer != child.Pointer+"/placeholders" {
		t.Errorf("child: %+v", child)
	}
}

func TestDataField(t *testing.T) {
	rows := []struct {
		in   string
		want config.DataField
	}{
		{`null`, config.DataField{}}, {`""`, config.DataField{}}, {`"0"`, config.DataField{}}, {`0`, config.DataField{}}, {`false`, config.DataField{}}, {`[]`, config.DataField{}}, {`{}`, config.DataField{}},
		{`"a.b"`, config.DataField{Path: "a.b", Delimiter: "."}}, {`5`, config.DataField{Path: "5", Delimiter: "."}}, {`true`, config.DataField{Path: "1", Delimiter: "."}}, {`"."`, config.DataField{Path: ".", Delimiter: "."}},
		{`{"path":"a"}`, config.DataField{Path: "a", Delimiter: "."}}, {`{"path":"a","delimiter":""}`, config.DataField{Path: "a", Delimiter: "."}}, {`{"path":"/","delimiter":"/"}`, config.DataField{Path: "/", Delimiter: "/"}},
		{`{"path":5}`, config.DataField{Path: "5", Delimiter: "."}},
	}
	for _, row := range rows {
		if got := accepted(t, given{job: `"dataField":` + row.in + `,`}).Jobs[0].DataField; got != row.want {
			t.Errorf("%s: got %+v, want %+v", row.in, got, row.want)
		}
	}
}

func TestResponseFilter(t *testing.T) {
	rows := map[string][]string{`"a"`: {"a"}, `["a","b[]"]`: {"a", "b[]"}, `""`: nil, `[]`: nil, `[""]`: nil, `5`: {"5"}, `null`: nil}
	for in, want := range rows {
		if got := accepted(t, given{job: `"responseFilter":` + in + `,`}).Jobs[0].ResponseFilter; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestMethods(t *testing.T) {
	for _, method := range []string{"GET", "POST", "FORM", "PUT", "PATCH", "DELETE"} {
		for _, text := range []string{method, method[:1] + string(method[1]|0x20) + method[2:]} {
			if got := accepted(t, given{job: `"method":"` + text + `",`}).Jobs[0].Method; got != method {
				t.Errorf("%s: got %s, want %s", text, got, method)
			}
		}
	}
}

// TestEnumerations: every known value is accepted.
func TestEnumerations(t *testing.T) {
	check := func(pointer, format string) {
		for _, choice := range typeAt(pointer).Choices {
			if choice.Hint != "" {
				continue
			}
			known := choice.Name
			_, problems, _ := compiled(t, given{raw: fmt.Sprintf(format, known)}.document(), false)
			sameLines(t, known, problems, nil)
		}
	}
	const config = `"config":{"jobs":[{"endpoint":"x"}]}`
	check("/action", `{"action":"%s","api":{"baseUrl":"https://h.test"},`+config+`}`)
	check("/api/authentication/type", `{"api":{"baseUrl":"https://h.test","authentication":{"type":"%s"}},`+config+`}`)
	check("/api/authentication/format", `{"api":{"baseUrl":"https://h.test","authentication":{"format":"%s"}},`+config+`}`)
	check("/api/pagination/method", `{"api":{"baseUrl":"https://h.test","pagination":{"method":"%s"}},`+config+`}`)
	check("/config/mappings/x/a/type", `{"api":{"baseUrl":"https://h.test"},"config":{"mappings":{"x":{"a":{"type":"%s"}}},"jobs":[{"endpoint":"x"}]}}`)
}

// typeAt is the type of the values at a JSON pointer.
func typeAt(pointer string) *field.Type {
	at := schema.Default().Tree.Root()
	for _, name := range failure.PointerSplit(pointer) {
		if f := at.Field(name); f != nil {
			at = f.Type
		} else {
			at = at.Others
		}
	}
	return at
}

func TestJobOrder(t *testing.T) {
	rows := []struct{ name, jobs, want string }{
		{"order of the list", `[{"endpoint":"a"},{"endpoint":"b"}]`, "0:a 1:b"},
		{"names of an object do not count", `{"x":{"endpoint":"a"},"y":{"endpoint":"b"}}`, "x:a y:b"},
		{"last definition at the first place", `[{"id":"1","endpoint":"a"},{"endpoint":"b"},{"id":1,"endpoint":"c"}]`, "2:c 1:b"},
		{"identical jobs run once", `[{"endpoint":"a"},{"endpoint":"b"},{"endpoint":"a"}]`, "2:a 1:b"},
		{"another order of keys is another job", `[{"endpoint":"a","method":"GET"},{"method":"GET","endpoint":"a"}]`, "0:a 1:a"},
		{"written defaults are another job", `[{"endpoint":"a"},{"endpoint":"a","params":{}}]`, "0:a 1:a"},
		{"id 0 is no id", `[{"id":"0","endpoint":"a"},{"id":"0","endpoint":"b"}]`, "0:a 1:b"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			for _, j := range accepted(t, given{jobs: row.jobs}).Jobs {
				got += " " + j.Pointer[len("/parameters/config/jobs/"):] + ":" + j.Endpoint
			}
			if got != " "+row.want {
				t.Errorf("got%s, want %s", got, row.want)
			}
		})
	}
}
