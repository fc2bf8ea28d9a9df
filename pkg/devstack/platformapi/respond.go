package platformapi

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"os"
	"time"
)

// response is what an endpoint returns: a record, which becomes JSON, or a text of
// another type, or a file, or nothing.
type response struct {
	status int
	record any
	text   []byte
	kind   string // content type of the text or the file
	// file is closed when it is sent; name and modified belong to it.
	file     *os.File
	name     string
	modified time.Time
}

// ok, created and nothing make answers. With an error the response is not sent.
func ok(record any, err error) (response, error) {
	return response{status: http.StatusOK, record: record}, err
}
func created(record any, err error) (response, error) {
	return response{status: http.StatusCreated, record: record}, err
}
func nothing(err error) (response, error) { return response{status: http.StatusNoContent}, err }

// each converts the items of a list. The result is never null.
func each[T, R any](items []T, record func(T) R) []R {
	records := make([]R, 0, len(items))
	for _, item := range items {
		records = append(records, record(item))
	}
	return records
}

// send writes a response. Errors of writing are ignored: the client has gone.
func (s *server) send(w http.ResponseWriter, r *http.Request, a response) {
	if a.file != nil {
		sendFile(w, r, a)
		return
	}
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

// sendFile sends a file for download; a client may read a part of it.
func sendFile(w http.ResponseWriter, r *http.Request, a response) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.name}))
	http.ServeContent(w, r, "", a.modified, a.file)
	_ = a.file.Close() // it was only read
}

// encode is a record as JSON, with stored documents unchanged.
func encode(record any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(record)
	return text.Bytes(), err
}

func storageTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-0700") }

// queueTime is a time in the format of the queue API; nil, for the zero time, is
// null.
func queueTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format("2006-01-02T15:04:05-07:00")
	return &text
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
