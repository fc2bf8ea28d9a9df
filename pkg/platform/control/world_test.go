package control

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/keboola/go-client/pkg/client"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

const (
	canary      = "123-4567-tOkEnThatMustNotBeSeen"
	storage     = "https://connection.example.com/v2/storage"
	queue       = "https://queue.example.com"
	ours        = "/components/acme.ex/configs"
	createOurs  = "POST " + storage + ours
	createVars  = "POST " + storage + "/components/keboola.variables/configs"
	createJob   = "POST " + queue + "/jobs"
	job         = "GET " + queue + "/jobs/99"
	events      = "GET " + storage + "/events"
	jobJSONHead = `{"id":"99","component":"acme.ex","config":"12","status":`
)

// world is a session with a platform that knows scripted answers.
type world struct {
	*Session
	clock         *clock.Clock
	t             *testing.T
	out, progress bytes.Buffer
	transport     *httpmock.MockTransport
	sent          []string // "METHOD URL" and, for forms and JSON, the body
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, transport: httpmock.NewMockTransport(), clock: clock.At(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))}
	retry := client.TestingRetry()
	p, err := platform.New(platform.Options{
		URL: "https://connection.example.com", QueueURL: queue, Token: canary, Transport: w.transport, Retry: &retry,
	})
	if err != nil {
		t.Fatal(err)
	}
	secrets := &secret.Registry{}
	secrets.Add(canary)
	w.Session = &Session{
		Platform: p, Component: "acme.ex", Out: &w.out, Progress: &w.progress, Secrets: secrets,
		Now: w.clock.Now, Sleep: w.clock.Sleep,
	}
	return w
}

// responses scripts what one request is answered in turn; the last is repeated.
// "404 {…}" sets a status; without one it is 200.
func (w *world) responses(request string, bodies ...string) {
	method, address, _ := strings.Cut(request, " ")
	n := 0
	w.transport.RegisterResponder(method, address, func(r *http.Request) (*http.Response, error) {
		line := method + " " + r.URL.Path
		if r.URL.RawQuery != "" {
			line += "?" + r.URL.RawQuery
		}
		if r.Body != nil {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			text, err := url.QueryUnescape(strings.TrimSpace(string(b)))
			if err != nil {
				return nil, err
			}
			line += " " + text
		}
		w.sent = append(w.sent, line)
		body := bodies[min(n, len(bodies)-1)]
		n++
		status := 200
		if rest, is := strings.CutPrefix(body, "500 "); is {
			status, body = 500, rest
		} else if rest, is := strings.CutPrefix(body, "404 "); is {
			status, body = 404, rest
		}
		response := httpmock.NewStringResponse(status, body)
		response.Header.Set("Content-Type", "application/json")
		return response, nil
	})
}

// wrote checks everything that was written and sent.
func (w *world) wrote(out, progress string) {
	w.t.Helper()
	if w.out.String() != out {
		w.t.Errorf("out:\n%s\nwant:\n%s", w.out.String(), out)
	}
	if w.progress.String() != progress {
		w.t.Errorf("progress:\n%s\nwant:\n%s", w.progress.String(), progress)
	}
	if strings.Contains(w.out.String()+w.progress.String(), canary) {
		w.t.Error("the token is seen")
	}
}

func (w *world) requests(want ...string) {
	w.t.Helper()
	if got := strings.Join(w.sent, "\n"); got != strings.Join(want, "\n") {
		w.t.Errorf("sent:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
