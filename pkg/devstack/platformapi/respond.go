package platformapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
)

// response is the result of an endpoint: a record, which becomes JSON; a text with another
// content type; a file; or no content.
type response struct {
	status int
	record any
	text   []byte
	kind   string // content type of the text or the file
	// file is closed after it was sent. name and modified describe it.
	file     *os.File
	name     string
	modified time.Time
}

// ok, created and nothing return responses. A response with an error is not sent.
func ok(record any, err error) (response, error) {
	return response{status: http.StatusOK, record: record}, err
}
func created(record any, err error) (response, error) {
	return response{status: http.StatusCreated, record: record}, err
}
func nothing(err error) (response, error) { return response{status: http.StatusNoContent}, err }

// each converts the items of a list. The result is never nil, so that JSON has an empty
// list instead of null.
func each[T, R any](items []T, record func(T) R) []R {
	records := make([]R, 0, len(items))
	for _, item := range items {
		records = append(records, record(item))
	}
	return records
}

// send writes a response. It ignores errors of writing, because the client has disconnected
// then.
func (s *server) send(w http.ResponseWriter, r *http.Request, resp response) {
	if resp.file != nil {
		sendFile(w, r, resp)
		return
	}
	if resp.record != nil {
		text, err := encode(resp.record)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		resp.text, resp.kind = text, "application/json"
	}
	if resp.kind != "" {
		w.Header().Set("Content-Type", resp.kind)
	}
	w.WriteHeader(resp.status)
	_, _ = w.Write(resp.text)
}

// sendFile sends a file for download. It supports range requests.
func sendFile(w http.ResponseWriter, r *http.Request, resp response) {
	w.Header().Set("Content-Type", resp.kind)
	// The contents may be anything that an API has sent. No browser may run them here.
	w.Header().Set("Content-Disposition", guard.Attachment(resp.name))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", resp.modified, resp.file)
	_ = resp.file.Close() // it was only read
}

// encode returns a record as JSON. Stored documents stay unchanged: HTML characters are not
// escaped.
func encode(record any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(record)
	return text.Bytes(), err
}

func storageTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-0700") }

// queueTime formats a time for the queue API. The zero time is nil, which becomes null.
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
