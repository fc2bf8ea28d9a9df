package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	token     = "local"
	component = "acme.ex-shop"
	form      = "application/x-www-form-urlencoded"
	jsonBody  = "application/json"
)

// reply is a response of an API.
type reply struct {
	status int
	body   []byte
}

// send sends a request; no error of the transport is a failure of the test, for
// some tests end the platform meanwhile.
func (s *stack) send(ctx context.Context, method, address, kind, body string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("X-StorageApi-Token", token)
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, text}, err
}

// call sends a request that must be answered with a status, and reads the response
// into result unless that is nil.
func (s *stack) call(t *testing.T, status int, method, address, kind, body string, result any) {
	t.Helper()
	got, err := s.send(t.Context(), method, address, kind, body)
	if err != nil {
		t.Fatal(err)
	}
	if got.status != status {
		t.Fatalf("%s %s: status %d, want %d: %s", method, address, got.status, status, got.body)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(got.body, result); err != nil {
		t.Fatalf("%s %s: %v in %s", method, address, err, got.body)
	}
}

func (s *stack) get(t *testing.T, address string, result any) {
	t.Helper()
	s.call(t, http.StatusOK, http.MethodGet, address, "", "", result)
}

func (s *stack) configs(component string) string {
	return s.storage + "/components/" + component + "/configs"
}

// store stores a configuration as a form and returns its id.
func (s *stack) store(t *testing.T, component, configuration string, more ...string) string {
	t.Helper()
	values := url.Values{"name": {"Shop"}, "configuration": {configuration}}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	var stored struct{ ID string }
	s.call(t, http.StatusCreated, http.MethodPost, s.configs(component), form, values.Encode(), &stored)
	return stored.ID
}

// declare stores a configuration of variables.
func (s *stack) declare(t *testing.T, names ...string) string {
	t.Helper()
	var items []string
	for _, name := range names {
		items = append(items, fmt.Sprintf(`{"name":%q,"type":"string"}`, name))
	}
	return s.store(t, "keboola.variables", `{"variables":[`+strings.Join(items, ",")+`]}`)
}

// job is the record of a job, as far as it matters here.
type job struct {
	ID, Status, DesiredStatus, URL string
	IsFinished                     bool
	StartTime, EndTime             *string
	VariableValuesData             json.RawMessage
	Result                         result
}

type result struct {
	Message   string
	Variables []struct{ Name, Value string }
	Error     struct{ Type, ExceptionID string }
	Output    struct {
		Tables []struct{ ID, Name, DisplayName string }
	}
}

// UnmarshalJSON also reads [], which stands for an object without members.
func (r *result) UnmarshalJSON(text []byte) error {
	if string(text) == "[]" {
		return nil
	}
	type plain result
	return json.Unmarshal(text, (*plain)(r))
}

// start creates a job; values is the JSON of its variableValuesData.values.
func (s *stack) start(t *testing.T, config, values string) job {
	t.Helper()
	body := fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run"}`, component, config)
	if values != "" {
		body = strings.TrimSuffix(body, "}") + `,"variableValuesData":{"values":` + values + `}}`
	}
	return s.startWith(t, body)
}

func (s *stack) startWith(t *testing.T, body string) job {
	t.Helper()
	var j job
	s.call(t, http.StatusCreated, http.MethodPost, s.queue+"/jobs", jsonBody, body, &j)
	if j.Status != "created" || j.IsFinished || j.ID == "" {
		t.Fatalf("created %+v", j)
	}
	return j
}

func (s *stack) job(t *testing.T, id string) job {
	t.Helper()
	var j job
	s.get(t, s.queue+"/jobs/"+id, &j)
	return j
}

// become polls a job until it has a status.
func (s *stack) become(t *testing.T, id, status string) (j job) {
	t.Helper()
	eventually(t, "job "+id+" is "+status, func() bool {
		j = s.job(t, id)
		if j.IsFinished && j.Status != status {
			t.Fatalf("job %s is %s, want %s: %+v\n%+v", id, j.Status, status, j.Result, s.events(t, id))
		}
		return j.Status == status
	})
	return j
}

// event is one of a job; fields are those of the component.
type event struct {
	ID, Type, Message, RunID, Component string
	Results                             fields
}

type fields map[string]any

// UnmarshalJSON also reads [], which stands for an object without members.
func (f *fields) UnmarshalJSON(text []byte) error {
	if string(text) == "[]" {
		return nil
	}
	return json.Unmarshal(text, (*map[string]any)(f))
}

// events are those of a job, the newest first.
func (s *stack) events(t *testing.T, job string) []event {
	t.Helper()
	var list []event
	s.get(t, s.storage+"/events?limit=10000&runId="+job, &list)
	return list
}

// rows are the records of a table's preview, in the order of its keys, without
// the header.
func (s *stack) rows(t *testing.T, table string) string {
	t.Helper()
	got, err := s.send(t.Context(), http.MethodGet, s.storage+"/tables/"+table+"/data-preview?limit=1000", "", "")
	if err != nil || got.status != http.StatusOK {
		t.Fatalf("preview of %s: %d %s, %v", table, got.status, got.body, err)
	}
	return string(got.body)
}
