package platform

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// row stores a row of a configuration and returns its id.
func (s *stack) row(t *testing.T, component, config, configuration string) string {
	t.Helper()
	var stored struct{ ID string }
	values := url.Values{"name": {"row"}, "configuration": {configuration}}
	s.call(t, http.StatusCreated, http.MethodPost, s.configs(component)+"/"+config+"/rows", form, values.Encode(), &stored)
	return stored.ID
}

// TestStoredValues: values of the job come before the row that the job names,
// that before the row that the configuration names; sets never mix.
func TestStoredValues(t *testing.T) {
	in(t, twoWorlds(), func(t *testing.T, s *stack, _ world) {
		api := pages(t, nil)
		declared := s.declare(t, "a", "b")
		values := func(a, b string) string {
			return s.row(t, "keboola.variables", declared, fmt.Sprintf(`{"values":[{"name":"a","value":%q},{"name":"b","value":%q}]}`, a, b))
		}
		standard, named := values("standard", "1"), values("named", "2")
		config := s.store(t, component, with(with(oneJob(api.url, "{{a}}/{{ b }}"), "variables_id", declared), "variables_values_id", standard))
		rows := []struct{ name, body, request string }{
			{"row of the configuration", "", "GET /standard/1"},
			{"row of the job", fmt.Sprintf(`,"variableValuesId":%q`, named), "GET /named/2"},
			{"values of the job", `,"variableValuesData":{"values":[{"name":"a","value":"given"},{"name":"b","value":7}]}`, "GET /given/7"},
			{"no values are as good as none", `,"variableValuesData":{"values":[]}`, "GET /standard/1"},
		}
		var want []string
		for _, row := range rows {
			t.Run(row.name, func(t *testing.T) {
				j := s.startWith(t, fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run"%s}`, component, config, row.body))
				s.become(t, j.ID, "success")
				want = append(want, row.request)
				if got := api.arrived(); !slices.Equal(got, want) {
					t.Errorf("requests:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
		t.Run("sets do not mix", func(t *testing.T) {
			j := s.start(t, config, `[{"name":"a","value":"given"}]`)
			s.become(t, j.ID, "error")
			if got := api.arrived(); !slices.Equal(got, want) {
				t.Errorf("a request was sent without a value: %v", got)
			}
		})
	})
}

// TestRows: each row runs with what it says laid over the configuration, and
// keeps a state of its own.
func TestRows(t *testing.T) {
	t.Parallel()
	api := pages(t, nil)
	s := serve(t, t.TempDir())
	config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","incrementalOutput":true}}}`, api.url))
	var ids []string
	for _, endpoint := range []string{"one", "two"} {
		ids = append(ids, s.row(t, component, config, fmt.Sprintf(
			`{"parameters":{"config":{"jobs":[{"endpoint":%q,"params":{"since":{"time":"previousStart"}}}]}}}`, endpoint)))
	}
	only := s.startWith(t, fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run","configRowIds":[%q]}`, component, config, ids[1]))
	s.become(t, only.ID, "success")
	s.become(t, s.start(t, config, "").ID, "success")
	start := make([]int64, len(ids))
	for i, id := range ids {
		var row struct {
			State struct {
				Component struct{ Time struct{ PreviousStart int64 } }
			}
		}
		s.get(t, s.configs(component)+"/"+config+"/rows/"+id, &row)
		start[i] = row.State.Component.Time.PreviousStart
	}
	got := api.arrived()
	if len(got) != 3 || got[0] != "GET /two?since=0" || got[1] != "GET /one?since=0" || !strings.HasPrefix(got[2], "GET /two?since=1") {
		t.Errorf("requests %v", got)
	}
	if start[0] == 0 || start[1] < start[0] {
		t.Errorf("states of the rows: %v", start)
	}
}
