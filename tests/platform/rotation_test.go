package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// rotation is an API that accepts each refresh token once.
type rotation struct {
	mu      sync.Mutex
	serial  int
	good    string
	refused []string
	broken  bool // everything but a login fails
}

func (a *rotation) response(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case r.URL.Path != "/token" && a.broken:
		w.WriteHeader(http.StatusForbidden)
	case r.URL.Path != "/token":
		_, _ = io.WriteString(w, `[{"id":1}]`)
	case r.FormValue("refresh_token") != a.good:
		a.refused = append(a.refused, r.FormValue("refresh_token"))
		w.WriteHeader(http.StatusBadRequest)
	default:
		a.serial++
		a.good = fmt.Sprintf("r0tated-secret-%d", a.serial)
		_, _ = fmt.Fprintf(w, `{"access_token":"access of %s","refresh_token":%q}`, a.good, a.good)
	}
}

// end is what happened so far, and the only token that is good.
func (a *rotation) end() (refused []string, good string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused, a.good
}

func (a *rotation) set(broken bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.broken = broken
}

// TestRotatedToken: an API accepts each refresh token once, and a failed job stores no
// state. So the component stores the token itself, at once and encrypted, and the next
// job finds it. The rest of the state stays.
func TestRotatedToken(t *testing.T) {
	in(t, []world{{name: "configuration"}, {name: "row", built: true}}, func(t *testing.T, s *stack, w world) {
		api := &rotation{good: "r0tated-secret-0"}
		target := newTarget(t, api.response)
		config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"retryConfig":{"maxRetries":0},"authentication":{"type":"login",
			"loginRequest":{"endpoint":"token","method":"FORM","params":{"refresh_token":{"remembered":"#refresh_token","default":{"attr":"#refresh_token"}}},
				"remember":{"#refresh_token":{"response":"refresh_token"}}},
			"apiRequest":{"headers":{"Authorization":{"response":"access_token"}}}}},
			"config":{"#refresh_token":%q,"outputBucket":"b","jobs":[{"endpoint":"users"}]}}}`, target.url, s.encrypted(t, "r0tated-secret-0")))
		place := s.configs(component) + "/" + config
		if w.name == "row" {
			s.call(t, http.StatusCreated, http.MethodPost, place+"/rows", form, "rowId=only", nil)
			place += "/rows/only"
		}
		last := ""
		for i, broken := range []bool{true, false, true, true, false} {
			api.set(broken)
			status := map[bool]string{false: "success", true: "error"}[broken]
			ended := s.become(t, s.start(t, config, "").ID, status)
			if refused, good := api.end(); len(refused) > 0 {
				t.Fatalf("job %d: the API refused %q, it wants %s: %s", i+1, refused, good, ended.Result.Message)
			}
			var stored struct{ State json.RawMessage }
			s.get(t, place, &stored)
			state := string(stored.State)
			if !strings.Contains(state, `"#refresh_token":"KBC::`) || strings.Contains(state, "r0tated") || state == last {
				t.Fatalf("job %d: the stored state is %s", i+1, state)
			}
			if had := strings.Contains(last, "previousStart"); had && !strings.Contains(state, "previousStart") {
				t.Errorf("job %d: the rest of the state is gone: %s", i+1, state)
			}
			last = state
			for _, e := range s.events(t, ended.ID) {
				if strings.Contains(e.Message, "r0tated") || strings.Contains(e.Message, "lost") {
					t.Errorf("job %d: %s", i+1, e.Message)
				}
			}
		}
		s.signal(os.Interrupt)
		stored, err := os.ReadFile(filepath.Join(s.dir, "platform.db"))
		if err != nil || bytes.Contains(stored, []byte("r0tated")) {
			t.Errorf("the file of the platform has a token in it, %v", err)
		}
	})
}

// encrypted is the cipher of a text for the component.
func (s *stack) encrypted(t *testing.T, text string) string {
	t.Helper()
	var index struct{ Services []struct{ ID, URL string } }
	s.get(t, s.storage, &index)
	for _, service := range index.Services {
		if service.ID == "encryption" {
			var sealed map[string]string
			s.call(t, http.StatusOK, http.MethodPost, service.URL+"/encrypt?projectId=1&componentId="+component, jsonBody, fmt.Sprintf(`{"#a":%q}`, text), &sealed)
			return sealed["#a"]
		}
	}
	t.Fatal("the index names no encryption service")
	return ""
}

// TestUnsavedToken: when the platform does not let the component store the token, an
// event says so.
func TestUnsavedToken(t *testing.T) {
	s := serve(t, t.TempDir())
	api := &rotation{good: "r0tated-secret-0"}
	target := newTarget(t, api.response)
	config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"authentication":{"type":"login",
		"loginRequest":{"endpoint":"token","method":"FORM","params":{"refresh_token":{"attr":"#refresh_token"}},"remember":{"#refresh_token":{"response":"refresh_token"}}},
		"apiRequest":{"headers":{"Authorization":{"response":"access_token"}}}}},
		"config":{"#refresh_token":"r0tated-secret-0","outputBucket":"b","jobs":[{"endpoint":"users"}]}}}`, target.url))
	s.disturb(t, `[{"method":"PUT","path":"/v2/storage","status":403}]`)
	ended := s.become(t, s.start(t, config, "").ID, "success")
	warned := false
	for _, e := range s.events(t, ended.ID) {
		warned = warned || e.Type == "warn" && strings.HasPrefix(e.Message, "The values that the login remembered are lost if this run fails: they could not be stored on the platform: PUT ")
	}
	if !warned {
		t.Error("no event says that the token is not stored")
	}
}
