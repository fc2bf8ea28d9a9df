package webui

import (
	"errors"
	"net/http"
	"time"
)

// patience is how long a browser may accept no data before its connection is
// closed: while rows are sent, the file of the store cannot grow.
const patience = 15 * time.Second

// deadlineWriter is a response whose deadline moves with each write, so that it may last
// as long as the client reads.
type deadlineWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newPatient(w http.ResponseWriter) deadlineWriter {
	return deadlineWriter{w, http.NewResponseController(w)}
}

// Write writes with a new deadline.
func (p deadlineWriter) Write(text []byte) (int, error) {
	if err := p.deadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	return p.w.Write(text)
}

func (p deadlineWriter) Flush() error { return p.control.Flush() }

// release removes the deadline from the connection, which may serve other requests.
func (p deadlineWriter) release() { _ = p.deadline(time.Time{}) }

// deadline sets the deadline. The recorders of tests have none.
func (p deadlineWriter) deadline(at time.Time) error {
	if err := p.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
