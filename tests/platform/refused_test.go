package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// oneJob is a configuration with one endpoint.
func oneJob(baseURL, endpoint string) string {
	return fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","jobs":[{"endpoint":%q,"dataType":"t"}]}}}`, baseURL, endpoint)
}

// with adds a member to a JSON object.
func with(object, name, text string) string {
	return fmt.Sprintf(`{%q:%q,%s`, name, text, strings.TrimPrefix(object, "{"))
}

// internal is all that a user sees of an application error.
const internal = "Internal Server Error occurred."

// failed checks the record of a job that failed: the kind of its error, the
// message, and an event with it.
func failed(t *testing.T, s *stack, id, kind, message string) {
	t.Helper()
	j := s.become(t, id, "error")
	if j.Result.Error.Type != kind || !strings.Contains(j.Result.Message, message) {
		t.Errorf("%s error %q, want %s error with %q", j.Result.Error.Type, j.Result.Message, kind, message)
	}
	if !strings.HasPrefix(j.Result.Error.ExceptionID, "exception-") {
		t.Errorf("id of the exception: %q", j.Result.Error.ExceptionID)
	}
	text := message
	if message == internal {
		text = "Application error"
	}
	refused := func(e event) bool { return e.Type == "error" && strings.Contains(e.Message, text) }
	if events := s.events(t, id); !slices.ContainsFunc(events, refused) {
		t.Errorf("no event says %q: %+v", message, events)
	}
}

func TestMissingValues(t *testing.T) {
	in(t, allWorlds(), func(t *testing.T, s *stack, w world) {
		api := pages(t, nil)
		declared := s.declare(t, "endpoint", "unused")
		linked := s.store(t, component, with(oneJob(api.url, "{{endpoint}}"), "variables_id", declared))
		unlinked := s.store(t, component, oneJob(api.url, "{{endpoint}}/{{part}}"))
		rows := []struct {
			name, config, values string
			own, platform        string // the message of the component, and of the platform
		}{
			{"declared, not used, no value", linked, `[{"name":"endpoint","value":"x"}]`,
				"missing values for variables: unused", `No value provided for variable "unused".`},
			{"no values at all", linked, "",
				"missing values for variables: endpoint (used in the configuration), unused", fmt.Sprintf("No variable values provided for variables configuration %q.", declared)},
			{"placeholder without a value", unlinked, `[{"name":"endpoint","value":"x"}]`,
				"missing values for variables: part (used in the configuration)", "Missing values for placeholders: part"},
		}
		for _, row := range rows {
			t.Run(row.name, func(t *testing.T) {
				want := row.own
				if w.resolved {
					want = row.platform
				}
				failed(t, s, s.start(t, row.config, row.values).ID, "user", want)
			})
		}
		if got := api.arrived(); len(got) > 0 {
			t.Errorf("requests were sent with missing values: %v", got)
		}
	})
}

// refusal is the body of an error of both APIs.
type refusal struct {
	Error, Status, ExceptionID string
	Code                       any
}

func TestRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	api := pages(t, nil)
	config := s.store(t, component, oneJob(api.url, "x"))
	disabled := s.store(t, component, oneJob(api.url, "disabled"), "isDisabled", "1")
	jobs := s.queue + "/jobs"
	rows := []struct {
		name, method, address, kind, body string
		status                            int
		text                              string
	}{
		{"both sources of values", "POST", jobs, jsonBody,
			fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run","variableValuesId":"7","variableValuesData":{"values":[{"name":"a","value":"b"}]}}`, component, config),
			400, `Provide either "variableValuesId" or "variableValuesData", but not both.`},
		{"unknown configuration", "POST", jobs, jsonBody, fmt.Sprintf(`{"component":%q,"config":"999","mode":"run"}`, component),
			400, "Cannot resolve job parameters: Configuration \"999\""},
		{"configuration of another component", "POST", jobs, jsonBody, fmt.Sprintf(`{"component":"other","config":%q,"mode":"run"}`, config),
			400, "Cannot resolve job parameters: "},
		{"disabled configuration", "POST", jobs, jsonBody, fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run"}`, component, disabled),
			400, fmt.Sprintf("Configuration %q of component %q is disabled.", disabled, component)},
		{"unknown mode", "POST", jobs, jsonBody, fmt.Sprintf(`{"component":%q,"config":%q,"mode":"fast"}`, component, config),
			400, `Mode must be one of "run", "forceRun" or "debug".`},
		{"unknown job", "GET", jobs + "/999", "", "", 404, `Job "999" not found`},
		{"killing an unknown job", "POST", jobs + "/999/kill", "", "", 404, `Job "999" not found`},
		{"unknown configuration, read", "GET", s.configs(component) + "/999", "", "", 404, `Configuration "999" not found`},
		{"configuration that is not JSON", "POST", s.configs(component), form, url.Values{"name": {"x"}, "configuration": {"{"}}.Encode(), 400, "JSON"},
		{"id that is taken", "POST", s.configs(component), form, url.Values{"name": {"x"}, "configurationId": {config}}.Encode(), 400, "already exists"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got refusal
			s.call(t, row.status, row.method, row.address, row.kind, row.body, &got)
			if !strings.Contains(got.Error, row.text) || got.Status != "error" || got.ExceptionID == "" {
				t.Errorf("refused with %+v, want %q", got, row.text)
			}
			checkCode(t, strings.HasPrefix(row.address, s.queue), row.status, got.Code)
		})
	}
	var all []job
	s.get(t, s.queue+"/search/jobs", &all)
	if len(all) > 0 {
		t.Errorf("refused jobs exist: %+v", all)
	}

	t.Run("disabled configuration, forced", func(t *testing.T) {
		j := s.startWith(t, fmt.Sprintf(`{"component":%q,"config":%q,"mode":"forceRun"}`, component, disabled))
		s.become(t, j.ID, "success")
		if got := api.arrived(); !slices.Equal(got, []string{"GET /disabled"}) {
			t.Errorf("requests %v", got)
		}
	})
}

// checkCode wants a number from the queue, a text from the storage.
func checkCode(t *testing.T, queue bool, status int, code any) {
	t.Helper()
	number, isNumber := code.(float64)
	text, isText := code.(string)
	if queue && (!isNumber || int(number) != status) || !queue && (!isText || text == "") {
		t.Errorf("code %v (%T)", code, code)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "--token", "1234-secret")
	for _, address := range []string{s.storage + "/tokens/verify", s.configs(component), s.storage + "/events?runId=1", s.queue + "/jobs/1", s.queue + "/search/jobs"} {
		for _, given := range []string{"", "local", "1234-secre", "1234-secret"} {
			t.Run(strings.TrimPrefix(address, s.storage)+" "+given, func(t *testing.T) {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
				if err != nil {
					t.Fatal(err)
				}
				if given != "" {
					request.Header.Set("X-StorageApi-Token", given)
				}
				response, err := s.client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				if given == "1234-secret" {
					if response.StatusCode == http.StatusUnauthorized {
						t.Error("the token is refused")
					}
					return
				}
				var got refusal
				if err := json.NewDecoder(response.Body).Decode(&got); err != nil || response.StatusCode != http.StatusUnauthorized || got.Error != "Invalid access token" {
					t.Errorf("status %d, %+v, %v", response.StatusCode, got, err)
				}
				checkCode(t, strings.HasPrefix(address, s.queue), http.StatusUnauthorized, got.Code)
			})
		}
	}
}
