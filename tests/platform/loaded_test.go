package platform

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTypes: what the component finds out about columns arrives at the table,
// and nothing where types are off.
func TestTypes(t *testing.T) {
	rows := []struct {
		support string
		types   map[string]string // of a column: base type and nullable
	}{
		{"none", map[string]string{"id": " ", "price": " ", "active": " ", "note": " "}},
		{"hints", map[string]string{"id": "INTEGER false", "price": "NUMERIC false", "active": "BOOLEAN true", "note": "STRING true"}},
		{"authoritative", map[string]string{"id": "INTEGER false", "price": "NUMERIC false", "active": "BOOLEAN true", "note": "STRING true"}},
	}
	for _, row := range rows {
		t.Run(row.support, func(t *testing.T) {
			t.Parallel()
			api := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, `[{"id":1,"price":9.50,"active":true,"note":null},{"id":2,"price":3,"active":false,"note":"x"}]`)
			})
			s := serve(t, t.TempDir(), "--data-types", row.support)
			config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}],
				"mappings":{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"price":"price","active":"active","note":"note"}}}}}`, api.url))
			s.become(t, s.start(t, config, "").ID, "success")
			var table struct {
				Columns, PrimaryKey []string
				RowsCount           int
				ColumnMetadata      map[string][]struct{ Key, Value string }
			}
			s.get(t, s.storage+"/tables/in.c-b.t", &table)
			if fmt.Sprint(table.Columns, table.PrimaryKey, table.RowsCount) != "[id price active note] [id] 2" {
				t.Errorf("table %+v", table)
			}
			for column, want := range row.types {
				metadata := map[string]string{}
				for _, m := range table.ColumnMetadata[column] {
					metadata[m.Key] = m.Value
				}
				if got := metadata["KBC.datatype.basetype"] + " " + metadata["KBC.datatype.nullable"]; got != want {
					t.Errorf("%s: %q, want %q", column, got, want)
				}
			}
			if got := s.rows(t, "in.c-b.t"); !strings.HasPrefix(got, "\"id\",") || strings.Count(got, "\n") != 3 {
				t.Errorf("rows: %s", got)
			}
		})
	}
}

// TestState: the second run of an incremental configuration requests what is new
// since the start of the first, and its rows replace those of the same key.
func TestState(t *testing.T) {
	t.Parallel()
	api := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("since") == "0" {
			fmt.Fprint(w, `[{"id":1,"name":"old"},{"id":2,"name":"kept"}]`)
			return
		}
		fmt.Fprint(w, `[{"id":1,"name":"new"},{"id":3,"name":"added"}]`)
	})
	s := serve(t, t.TempDir())
	config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","incrementalOutput":true,
		"jobs":[{"endpoint":"t","params":{"since":{"time":"previousStart"}}}],
		"mappings":{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"name":"name"}}}}}`, api.url))
	before := time.Now().Unix()
	s.become(t, s.start(t, config, "").ID, "success")
	after := time.Now().Unix()

	var stored struct {
		State struct {
			Component struct {
				Time struct{ PreviousStart int64 }
			}
		}
	}
	s.get(t, s.configs(component)+"/"+config, &stored)
	start := stored.State.Component.Time.PreviousStart
	if start < before || start > after {
		t.Errorf("the stored start is %d, the job ran from %d to %d", start, before, after)
	}
	s.become(t, s.start(t, config, "").ID, "success")
	if got, want := fmt.Sprint(api.arrived()), fmt.Sprintf("[GET /t?since=0 GET /t?since=%d]", start); got != want {
		t.Errorf("requests %s, want %s", got, want)
	}
	if got, want := s.rows(t, "in.c-b.t"), "\"id\",\"name\"\n\"1\",\"new\"\n\"2\",\"kept\"\n\"3\",\"added\"\n"; got != want {
		t.Errorf("rows %q, want %q", got, want)
	}
}
