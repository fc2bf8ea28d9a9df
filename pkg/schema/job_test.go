package schema_test

import (
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
)

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
