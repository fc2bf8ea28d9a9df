package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

// answer is what an endpoint has to say: a record, which becomes JSON, or a text
// of another kind, or nothing.
type answer struct {
	status int
	record any
	text   []byte
	kind   string // content type of the text
}

func ok(record any) (answer, error) { return answer{status: http.StatusOK, record: record}, nil }
func created(record any) (answer, error) {
	return answer{status: http.StatusCreated, record: record}, nil
}
func nothing() (answer, error) { return answer{status: http.StatusNoContent}, nil }

// send writes an answer. That a client does not take it is not our fault, and
// nobody is left to be told.
func (s *server) send(w http.ResponseWriter, r *http.Request, a answer) {
	if a.record != nil {
		text, err := encode(a.record)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		a.text, a.kind = text, "application/json"
	}
	if a.kind != "" {
		w.Header().Set("Content-Type", a.kind)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.text)
}

// encode is the JSON of a record, with documents as they are stored.
func encode(record any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(record)
	return text.Bytes(), err
}

// storageTime is how the storage API writes a time.
func storageTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-0700") }

// queueTime is how the queue API writes a time; nil is null.
func queueTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format("2006-01-02T15:04:05-07:00")
	return &text
}

// orNull is the text, or nil for "".
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
