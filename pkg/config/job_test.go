package config

import (
	"fmt"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestJob(t *testing.T) {
	it := accepted(t, given{config: `"from":"2024",`, job: `"id":"j","method":"post","dataType":"people","dataField":{"path":"a/b","delimiter":"/"},"scroller":"s",` +
		`"params":{"from":{"attr":"from"},"since":{"time":"previousStart"},"list":[{"attr":"from"}]},"headers":{"A":"1","B":["x",2],"C":{"attr":"k"}},` +
		`"responseFilter":["a",1],"responseFilterDelimiter":"/","recursionFilter":"a==b","userData":{"x":{"attr":"from"}},` +
		`"children":[{"endpoint":"users/{id}","placeholders":{"id":"id","2:x":{"path":"p","function":"urlencode","args":[{"placeholder":"value"}]}}}],`})
	j := it.Jobs[0]
	scope := &expr.Scope{Now: clock, Contexts: map[expr.Context]expr.Members{
		expr.Attr: expr.Flatten(it.Attributes), expr.Time: {"previousStart": value.OfInt(5)}}}
	params, err := j.Params.Eval(scope)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(j.Pointer, " ", j.ID, " ", j.Method, " ", j.DataType, " ", j.DataField, " ", j.Scroller, " ", params.JSON(), " ", j.Headers.JSON(), " ",
		j.ResponseFilter, " ", j.ResponseFilterDelimiter, " ", j.RecursionFilter, " ", j.UserData.Pointer, " ", j.UserData.Value.JSON())
	const want = `/parameters/config/jobs/0 j POST people {a/b /} s {"from":"2024","since":5,"list":[{"attr":"from"}]} {"A":"1","B":["x",2],"C":["k"]} ` +
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
		want DataField
	}{
		{`null`, DataField{}}, {`""`, DataField{}}, {`"0"`, DataField{}}, {`0`, DataField{}}, {`false`, DataField{}}, {`[]`, DataField{}}, {`{}`, DataField{}},
		{`"a.b"`, DataField{"a.b", "."}}, {`5`, DataField{"5", "."}}, {`true`, DataField{"1", "."}}, {`"."`, DataField{".", "."}},
		{`{"path":"a"}`, DataField{"a", "."}}, {`{"path":"a","delimiter":""}`, DataField{"a", "."}}, {`{"path":"/","delimiter":"/"}`, DataField{"/", "/"}},
		{`{"path":5}`, DataField{"5", "."}},
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

// TestEnumerations: every known value is taken.
func TestEnumerations(t *testing.T) {
	schema := loadSchema()
	check := func(pointer, format string) {
		for _, known := range schema.shapes[pointer].enum {
			_, problems, _ := compiled(t, given{raw: fmt.Sprintf(format, known)}.document(), false)
			sameLines(t, known, problems, nil)
		}
	}
	const config = `"config":{"jobs":[{"endpoint":"x"}]}`
	check("/properties/action", `{"action":"%s","api":{"baseUrl":"https://h.test"},`+config+`}`)
	check("/$defs/authentication/properties/type", `{"api":{"baseUrl":"https://h.test","authentication":{"type":"%s"}},`+config+`}`)
	check("/$defs/authentication/properties/format", `{"api":{"baseUrl":"https://h.test","authentication":{"format":"%s"}},`+config+`}`)
	check("/$defs/pagination/properties/method", `{"api":{"baseUrl":"https://h.test","pagination":{"method":"%s"}},`+config+`}`)
	check("/$defs/mappingSetting/properties/type", `{"api":{"baseUrl":"https://h.test"},"config":{"mappings":{"x":{"a":{"type":"%s"}}},"jobs":[{"endpoint":"x"}]}}`)
}

func TestJobIDs(t *testing.T) {
	rows := []struct{ name, in, serialized, want string }{
		{"worked example", `{"endpoint":"t"}`, `a:1:{s:8:"endpoint";s:1:"t";}`, "5860295a27338e898b3cbc02279c2bcf"},
		{"all kinds", `{"a":null,"b":true,"c":false,"d":-5,"e":1.50,"f":"č","g":[1,"x"],"h":{}}`,
			`a:8:{s:1:"a";N;s:1:"b";b:1;s:1:"c";b:0;s:1:"d";i:-5;s:1:"e";d:1.5;s:1:"f";s:2:"č";s:1:"g";a:2:{i:0;i:1;i:1;s:1:"x";}s:1:"h";a:0:{}}`, ""},
		{"integer names", `{"5":1,"-7":1,"05":1,"-0":1,"9223372036854775808":1}`,
			`a:5:{i:5;i:1;i:-7;i:1;s:2:"05";i:1;s:2:"-0";i:1;s:19:"9223372036854775808";i:1;}`, ""},
		{"doubles", `[1.0,10.0,0.1,1e25,9223372036854775808,-0]`,
			`a:6:{i:0;d:1;i:1;d:10;i:2;d:0.10000000000000001;i:3;d:1.0000000000000001E+25;i:4;d:9.2233720368547758E+18;i:5;d:-0;}`, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := mustValue(t, row.in)
			if got := string(appendSerialized(nil, v)); got != row.serialized {
				t.Errorf("got  %s\nwant %s", got, row.serialized)
			}
			if row.want != "" && jobID(v) != row.want {
				t.Errorf("got %s, want %s", jobID(v), row.want)
			}
		})
	}
}

func mustValue(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
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
