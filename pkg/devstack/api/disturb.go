package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// disturb lets a fault happen to a request.
func (s *server) disturb(w http.ResponseWriter, r *http.Request, f fault) {
	if f.DelaySeconds > 0 {
		if err := s.sleep(r.Context(), time.Duration(f.DelaySeconds*float64(time.Second))); err != nil {
			drop() // the client has gone
		}
	}
	switch {
	case f.Cut == cutBefore:
		drop()
	case f.Cut == cutAfter:
		s.route(&unsent{header: http.Header{}}, r)
		drop()
	case f.Status != 0:
		s.fail(w, r, f)
	default:
		s.route(w, r)
	}
}

// drop ends the connection without an answer, as the server understands it.
func drop() { panic(http.ErrAbortHandler) }

// fail answers the status of a fault: with its body, a text as it is and
// anything else as JSON, or in the words of the API.
func (s *server) fail(w http.ResponseWriter, r *http.Request, f fault) {
	for name, text := range f.Headers {
		w.Header().Set(name, text)
	}
	a := answer{status: f.Status, record: f.Body}
	var text string
	switch {
	case f.Body == nil && f.Status == http.StatusServiceUnavailable && !within(r.URL.Path, queuePath):
		a.record = s.maintenance()
	case f.Body == nil:
		a.record = (&refusal{status: f.Status, code: "fault", message: "Fault on demand"}).record(r.URL.Path, exceptionID())
	case json.Unmarshal(f.Body, &text) == nil:
		a = answer{status: f.Status, text: []byte(text), kind: textKind(text)}
	}
	if given := w.Header().Get("Content-Type"); given != "" && a.record == nil {
		a.kind = given
	}
	s.send(w, r, a)
}

// textKind is that of the page that a proxy puts in the place of an answer, or
// of a plain text.
func textKind(text string) string {
	if strings.HasPrefix(text, "<") {
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// maintenance is what the storage API answers when it is not there.
func (s *server) maintenance() any {
	return struct {
		Status           string `json:"status"`
		EstimatedEndTime string `json:"estimatedEndTime"`
		Reason           string `json:"reason"`
	}{"maintenance", storageTime(s.now()), "Fault on demand"}
}

// unsent takes an answer that is not to arrive.
type unsent struct{ header http.Header }

func (u *unsent) Header() http.Header            { return u.header }
func (u *unsent) Write(text []byte) (int, error) { return len(text), nil }
func (u *unsent) WriteHeader(int)                {}
