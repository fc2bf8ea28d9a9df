package infer

import (
	"strings"
	"testing"
)

// TestTables: what is a table in JSON becomes rows with names, and what only looks like
// one does not.
func TestTables(t *testing.T) {
	tests := []struct{ name, response, field, evidence string }{
		{"names in a list", `{"meta":{"columns":["day","clicks"]},"rows":[["a",1],["b",2]]}`, `{"path":"rows","columns":"meta.columns"}`, "a list of 2 lists"},
		{"names in objects", `{"schema":{"fields":[{"name":"day","type":"DATE"},{"name":"clicks"}]},"data":{"rows":[["a",1]]}}`, `{"path":"data.rows","columns":"schema.fields.[].name"}`, "names at 'schema.fields.[].name'"},
		{"names in objects by another key", `{"columnHeaders":[{"fieldName":"day"},{"fieldName":"clicks"}],"rows":[["a",1],["b",2],["c",3]]}`, `{"path":"rows","columns":"columnHeaders.[].fieldName"}`, ""},
		{"parallel lists", `{"latitude":50.1,"hourly_units":{"time":"iso8601"},"hourly":{"time":["00:00","01:00"],"temperature":[1.5,null]}}`, `{"path":"hourly","parallel":true}`, "an object of lists that all have 2 values"},
		{"names of other things", `{"users":[{"name":"a"},{"name":"b"}],"matrix":[[1,2],[3,4]]}`, `"users"`, ""},
		{"another number of names", `{"columns":["day"],"rows":[["a",1],["b",2]]}`, `"rows"`, ""},
		{"equal names", `{"columns":["a","a"],"rows":[["a",1],["b",2]]}`, `"rows"`, ""},
		{"lists of different length", `{"hourly":{"time":["00:00","01:00"],"temperature":[1.5]}}`, `"hourly.time"`, ""},
		{"lists beside objects", `{"items":[{"id":1}],"meta":{"a":[1,2],"b":[3,4]}}`, `"items"`, ""},
		{"lists of lists", `{"d":{"a":[[1],[2]],"b":[3,4]}}`, `"d.a"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, v := proposed(t, of(t, "https://api.example.com/v1/report", tt.response), Choice{})
			if got := v.Field("config").Field("jobs").Items()[0].Field("dataField").JSON(); got != tt.field {
				t.Errorf("got %s, want %s", got, tt.field)
			}
			if tt.evidence != "" && !strings.Contains(p.Guesses[0].Evidence, tt.evidence) {
				t.Errorf("evidence %q", p.Guesses[0].Evidence)
			}
		})
	}
}
