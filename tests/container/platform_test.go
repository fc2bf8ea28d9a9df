package container

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// component is the component id of the configurations.
const component = "keboola.configurable-extractor"

// platform is the base address of a local platform.
type platform struct{ url, token string }

type job struct {
	ID, Status string
	IsFinished bool
	Result     json.RawMessage // an empty list before the end
}

type platformEvent struct{ Type, Message string }

// call sends a request with the token and reads the response.
func (p platform) call(t *testing.T, method, path, kind string, body []byte) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.url+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-StorageApi-Token", p.token)
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s, %v", method, path, response.Status, text, err)
	}
	return string(text)
}

func (p platform) read(t *testing.T, path string, into any) {
	t.Helper()
	if text := p.call(t, http.MethodGet, path, "", nil); json.Unmarshal([]byte(text), into) != nil {
		t.Fatalf("%s: %s", path, text)
	}
}

// untilUp waits until the platform answers.
func (p platform) untilUp(t *testing.T) {
	t.Helper()
	eventually(t, "the platform answers", 20*time.Second, func() bool {
		response, err := http.Get(p.url + "/v2/storage")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// configure stores a configuration and returns its id.
func (p platform) configure(t *testing.T, text []byte) string {
	t.Helper()
	form := url.Values{"name": {"shop"}, "configuration": {string(text)}}.Encode()
	var stored struct{ ID string }
	response := p.call(t, http.MethodPost, "/v2/storage/components/"+component+"/configs", "application/x-www-form-urlencoded", []byte(form))
	if err := json.Unmarshal([]byte(response), &stored); err != nil || stored.ID == "" {
		t.Fatalf("%s, %v", response, err)
	}
	return stored.ID
}

// start creates a job and returns its id.
func (p platform) start(t *testing.T, body map[string]any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var created job
	if err := json.Unmarshal([]byte(p.call(t, http.MethodPost, "/queue/jobs", "application/json", text)), &created); err != nil {
		t.Fatal(err)
	}
	return created.ID
}

// inline starts a job with a configuration of its own.
func (p platform) inline(t *testing.T, config string) string {
	t.Helper()
	return p.start(t, map[string]any{"component": component, "mode": "run", "configData": json.RawMessage(config)})
}

// finished waits for the end of a job.
func (p platform) finished(t *testing.T, id string) (j job) {
	t.Helper()
	eventually(t, "the job ends", 30*time.Second, func() bool {
		p.read(t, "/queue/jobs/"+id, &j)
		return j.IsFinished
	})
	return j
}

// events are the events of a job as lines, oldest first.
func (p platform) events(t *testing.T, id string) string {
	t.Helper()
	var list []platformEvent
	p.read(t, "/v2/storage/events?limit=100&runId="+id, &list)
	var lines strings.Builder
	for i := len(list) - 1; i >= 0; i-- {
		fmt.Fprintf(&lines, "%s: %s\n", list[i].Type, list[i].Message)
	}
	return lines.String()
}

func (p platform) table(t *testing.T, id string) string {
	t.Helper()
	return p.call(t, http.MethodGet, "/v2/storage/tables/"+id+"/data-preview", "", nil)
}

// eventually polls: what happens in a container calls no one back.
func eventually(t *testing.T, what string, within time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", within, what)
		}
	}
}
