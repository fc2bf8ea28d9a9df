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

// An answer that comes with an error is not sent.
func ok(record any, err error) (answer, error) {
	return answer{status: http.StatusOK, record: record}, err
}
func created(record any, err error) (answer, error) {
	return answer{status: http.StatusCreated, record: record}, err
}
func nothing(err error) (answer, error) { return answer{status: http.StatusNoContent}, err }

// each converts the items of a list, which is never null.
func each[T, R any](items []T, record func(T) R) []R {
	records := make([]R, 0, len(items))
	for _, item := range items {
		records = append(records, record(item))
	}
	return records
}

// send writes an answer. A client that has gone does not get it.
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
