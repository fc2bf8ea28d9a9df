package webui

import (
	"errors"
	"net/http"
	"time"
)

// writeTimeout is the maximum time for a write to a browser. A browser that accepts no
// data for longer loses its connection: while rows are sent, a read transaction keeps the
// file of the store from growing.
const writeTimeout = 15 * time.Second

// deadlineWriter moves the deadline of a response with each write, so that the response
// may last as long as the client reads.
type deadlineWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newDeadlineWriter(w http.ResponseWriter) deadlineWriter {
	return deadlineWriter{w, http.NewResponseController(w)}
}

// Write sets a new deadline and writes.
func (p deadlineWriter) Write(text []byte) (int, error) {
	if err := p.deadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return p.w.Write(text)
}

func (p deadlineWriter) Flush() error { return p.control.Flush() }

// release removes the deadline from the connection, which may serve other requests.
func (p deadlineWriter) release() { _ = p.deadline(time.Time{}) }

// deadline sets the deadline. The response recorders of tests do not support deadlines.
func (p deadlineWriter) deadline(at time.Time) error {
	if err := p.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
