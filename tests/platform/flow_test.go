package platform

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// world is one of the two ways in which variables are replaced and events are
// sent, and one of the two programs that are the component.
type world struct {
	name     string
	flags    []string // besides --extractor
	built    bool     // the component is the extractor, not devstack itself
	resolved bool     // variables are replaced before the component starts
	stdout   bool     // events come as lines of stdout
}

// twoWorlds differ in who resolves the variables only, allWorlds in everything.
func twoWorlds() []world {
	return []world{
		{name: "gelf, own component"},
		{name: "gelf, resolved by the platform", flags: []string{"--resolve-variables"}, resolved: true},
	}
}

func allWorlds() []world {
	return append(twoWorlds(),
		world{name: "gelf, extractor", built: true},
		world{name: "stdout, extractor", flags: []string{"--logging", "stdout"}, built: true, stdout: true},
		world{name: "stdout, resolved by the platform", flags: []string{"--logging", "stdout", "--resolve-variables"}, resolved: true, stdout: true},
	)
}

// in runs a test with a platform for each world.
func in(t *testing.T, worlds []world, test func(t *testing.T, s *stack, w world)) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			flags := slices.Clone(w.flags)
			if w.built {
				flags = append(flags, "--extractor", extractor)
			}
			test(t, serve(t, t.TempDir(), flags...), w)
		})
	}
}

// twoPagings is a configuration with variables that pages by size 1 and by
// cursor, so that both end at an empty page.
const twoPagings = `{
	"variables_id": %q,
	"parameters": {
		"api": {"baseUrl": %q, "pagination": {"method": "multiple", "scrollers": {
			"byOffset": {"method": "offset", "limit": 1},
			"byCursor": {"method": "cursor", "idKey": "id", "param": "since"}
		}}},
		"config": {"debug": true, "outputBucket": "{{outputBucket}}", "jobs": [
			{"endpoint": "{{id}}/users", "dataType": "users", "dataField": "items", "scroller": "byOffset"},
			{"endpoint": "{{id}}/orders", "dataType": "orders", "dataField": "items", "scroller": "byCursor"}
		]}
	}
}`

// pages answers what is there for a path and query, and an empty page otherwise.
func pages(t *testing.T, there map[string]string) *target {
	return newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		items := there[r.URL.String()]
		_, _ = io.WriteString(w, `{"items":[`+items+`]}`)
	})
}

func TestFlow(t *testing.T) {
	in(t, allWorlds(), func(t *testing.T, s *stack, w world) {
		api := pages(t, map[string]string{
			"/1/users?limit=1&offset=0": `{"id":1,"name":"Ada"}`,
			"/1/users?limit=1&offset=1": `{"id":2,"name":"Bob, \"B\""}`,
			"/1/orders":                 `{"id":10},{"id":12}`,
		})
		declared := s.store(t, "keboola.variables", `{"variables":[{"name":"outputBucket","type":"string"},{"name":"id","type":"int"}]}`)
		config := s.store(t, component, fmt.Sprintf(twoPagings, declared, api.url))
		if declared == config {
			t.Errorf("both configurations have the id %s", config)
		}

		created := s.start(t, config, `[{"name":"outputBucket","value":"my-bucket"},{"name":"id","value":1}]`)
		if want := `{"values":[{"name":"outputBucket","value":"my-bucket"},{"name":"id","value":1}]}`; string(created.VariableValuesData) != want {
			t.Errorf("values of the job: %s, want %s", created.VariableValuesData, want)
		}
		if created.URL != s.queue+"/jobs/"+created.ID {
			t.Errorf("url of the job: %s", created.URL)
		}
		ended := s.become(t, created.ID, "success")
		if ended.Result.Message != "Component processing finished." || ended.StartTime == nil || ended.EndTime == nil {
			t.Errorf("ended as %+v", ended)
		}
		if got := fmt.Sprint(ended.Result.Variables); got != "[{outputBucket my-bucket} {id 1}]" {
			t.Errorf("variables of the result: %s", got)
		}
		requests := []string{
			"GET /1/users?limit=1&offset=0", "GET /1/users?limit=1&offset=1", "GET /1/users?limit=1&offset=2",
			"GET /1/orders", "GET /1/orders?since=12",
		}
		if got := api.arrived(); !slices.Equal(got, requests) {
			t.Errorf("requests that arrived:\n%s", strings.Join(got, "\n"))
		}
		compareEvents(t, s.events(t, ended.ID), w)
		for table, want := range map[string]string{
			"in.c-my-bucket.users":  "\"id\",\"name\"\n\"1\",\"Ada\"\n\"2\",\"Bob, \"\"B\"\"\"\n",
			"in.c-my-bucket.orders": "\"id\"\n\"10\"\n\"12\"\n",
		} {
			if got := s.rows(t, table); got != want {
				t.Errorf("%s: got %q, want %q", table, got, want)
			}
		}
	})
}

// compareEvents wants exactly the events of the flow, the newest first.
func compareEvents(t *testing.T, events []event, w world) {
	t.Helper()
	const replaced, running = "info Replaced values for variables: outputBucket, id", "info Running component acme.ex-shop (row 1 of 1)"
	want := []string{running, replaced}
	if w.resolved {
		want = []string{replaced, running}
	}
	want = append(want,
		"info Extraction started: 2 jobs",
		"info GET /1/users?limit=1&offset=0",
		"info GET /1/users?limit=1&offset=1",
		"info GET /1/users?limit=1&offset=2",
		"warn dataField 'items' contains no data! (page 3 of 1/users)",
		"info Job 1/users finished: 3 pages, 2 rows, the page is empty",
		"info GET /1/orders",
		"info GET /1/orders?since=12",
		"warn dataField 'items' contains no data! (page 2 of 1/orders)",
		"info Job 1/orders finished: 2 pages, 2 rows, the page is empty",
		"info Table my-bucket.users: 2 rows, 2 columns",
		"info Table my-bucket.orders: 2 rows, 1 column",
		"info Extraction finished: 4 rows, 2 tables, 5 requests",
		`info Loading table "my-bucket.orders"`,
		`info Loading table "my-bucket.users"`,
		"info Finished component acme.ex-shop (row 1 of 1)",
		"info Output mapping done.",
	)
	slices.Reverse(want)
	var got []string
	for _, e := range events {
		if e.Component != component || e.RunID == "" {
			t.Errorf("an event of %q, run %q", e.Component, e.RunID)
		}
		got = append(got, line(t, e, w.stdout))
	}
	if !slices.Equal(got, want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// line is the level and the message of an event. A line of stdout is always an
// info event for the platform; what the component meant is in it.
func line(t *testing.T, e event, stdout bool) string {
	t.Helper()
	if !strings.HasPrefix(e.Message, "{") {
		return e.Type + " " + e.Message
	}
	var said struct{ Level, Message string }
	if err := json.Unmarshal([]byte(e.Message), &said); err != nil || !stdout || e.Type != "info" {
		t.Errorf("%s event %q: %v", e.Type, e.Message, err)
	}
	return said.Level + " " + said.Message
}
