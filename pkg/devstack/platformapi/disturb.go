package platformapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

func (s *server) applyFault(w http.ResponseWriter, r *http.Request, f fault) {
	if f.DelaySeconds > 0 {
		if err := s.Sleep(r.Context(), time.Duration(f.DelaySeconds*float64(time.Second))); err != nil {
			drop() // the client has disconnected
		}
	}
	switch {
	case f.Cut == cutBefore:
		drop()
	case f.Cut == cutAfter:
		s.route(&discardWriter{header: http.Header{}}, r)
		drop()
	case f.Status != 0:
		s.fail(w, r, f)
	default:
		s.route(w, r)
	}
}

// drop closes the connection without a response: http.Server does that for a panic with
// http.ErrAbortHandler.
func drop() { panic(http.ErrAbortHandler) }

// fail responds with the status of a fault and its body. It writes a text unchanged and any
// other value as JSON. Without a body it writes the error of the API.
func (s *server) fail(w http.ResponseWriter, r *http.Request, f fault) {
	for name, text := range f.Headers {
		w.Header().Set(name, text)
	}
	resp := response{status: f.Status, record: f.Body}
	var text string
	switch {
	case f.Body == nil && f.Status == http.StatusServiceUnavailable && !within(r.URL.Path, queuePath):
		resp.record = s.maintenance()
	case f.Body == nil:
		resp.record = (&refusal{status: f.Status, code: "fault", message: "Fault on demand"}).record(r.URL.Path, exceptionID())
	case json.Unmarshal(f.Body, &text) == nil:
		resp = response{status: f.Status, text: []byte(text), kind: textKind(text)}
	}
	if given := w.Header().Get("Content-Type"); given != "" && resp.record == nil {
		resp.kind = given
	}
	s.send(w, r, resp)
}

// textKind returns the content type of a text: HTML, for example an error page of a proxy,
// or plain text.
func textKind(text string) string {
	if strings.HasPrefix(text, "<") {
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

func (s *server) maintenance() any {
	return struct {
		Status           string `json:"status"`
		EstimatedEndTime string `json:"estimatedEndTime"`
		Reason           string `json:"reason"`
	}{"maintenance", storageTime(s.Now()), "Fault on demand"}
}

type discardWriter struct{ header http.Header }

func (u *discardWriter) Header() http.Header            { return u.header }
func (u *discardWriter) Write(text []byte) (int, error) { return len(text), nil }
func (u *discardWriter) WriteHeader(int)                {}
