package page

import (
	"errors"
	"net/http"
	"time"
)

// patience is how long a browser may take nothing before it is left: while rows
// are sent the store cannot grow.
const patience = 15 * time.Second

// patient is a response whose deadline moves on with each write, so that it may
// last as long as somebody reads.
type patient struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newPatient(w http.ResponseWriter) patient { return patient{w, http.NewResponseController(w)} }

// Write writes with a new deadline.
func (p patient) Write(text []byte) (int, error) {
	if err := p.deadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	return p.w.Write(text)
}

// Flush sends what was written.
func (p patient) Flush() error { return p.control.Flush() }

// release takes the deadline off the connection, which may serve other requests.
func (p patient) release() { _ = p.deadline(time.Time{}) }

// deadline sets it; a recorder of a test, which has none, can do without.
func (p patient) deadline(at time.Time) error {
	if err := p.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
