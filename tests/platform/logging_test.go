package platform

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestLogging: how the component logs decides what the storage API shows of its events, as on
// the real platform. GELF has levels, and fields only with the verbosity verbose. Without GELF
// every line is raw text of level info, errors too.
func TestLogging(t *testing.T) {
	for logging, want := range map[string]struct{ failed, results string }{
		"gelf":    {"error", `{}`},
		"verbose": {"error", `{"_event":"run.failed",`},
		"stdout":  {"info", `{}`},
	} {
		t.Run(logging, func(t *testing.T) {
			t.Parallel()
			api := newTarget(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such thing", http.StatusNotFound) })
			s := serve(t, t.TempDir(), "--logging", logging)
			job := s.start(t, s.store(t, component, oneJob(api.url, "x")), "").ID
			s.become(t, job, "error")
			var list []struct {
				Type, Message string
				Results       json.RawMessage
			}
			s.get(t, s.storage+"/events?limit=100&runId="+job, &list)
			var failed []string
			for _, e := range list {
				if strings.HasPrefix(e.Message, `{"time"`) != (logging == "stdout") && e.Type == "info" && !strings.Contains(e.Message, component) {
					t.Errorf("message %s", e.Message)
				}
				if strings.HasPrefix(e.Message, "job x, page 1: [404]") || strings.Contains(e.Message, `"event":"run.failed"`) {
					failed = append(failed, e.Type+" "+string(e.Results))
				}
			}
			// With a log server stderr is an event of its own, without fields.
			if n := len(failed); n < 1 || !strings.HasPrefix(failed[n-1], want.failed+" "+want.results) {
				t.Errorf("the failure is shown as %q", failed)
			}
		})
	}
}
