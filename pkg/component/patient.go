package component

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// patience is how long a run that was told to end waits for somebody to read what
// it writes.
const patience = time.Second

// errNobodyReads is the error of a writer that was given up.
var errNobodyReads = errors.New("nobody reads what is written there")

// patient is a writer that may block for as long as the run goes on: to a pipe
// that nobody reads, or a terminal that was stopped. When the run has been told to
// end, a write may take only so long; then it is left to its fate, and so is
// everything that would come after it.
type patient struct {
	w     io.Writer
	told  <-chan struct{}
	after func(time.Duration, func()) (stop func() bool)
	lost  atomic.Bool
}

// newPatient makes such a writer for a run that ends when the context does.
func newPatient(ctx context.Context, w io.Writer, after func(time.Duration, func()) func() bool) *patient {
	return &patient{w: w, told: ctx.Done(), after: after}
}

// Write implements io.Writer. The bytes may be used again when it returns.
func (p *patient) Write(text []byte) (int, error) {
	if p.lost.Load() {
		return 0, errNobodyReads
	}
	written := make(chan result, 1)
	text = bytes.Clone(text)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			written <- r
		}()
		r.n, r.err = p.w.Write(text)
	}()
	select {
	case r := <-written:
		return r.given()
	case <-p.told:
	}
	late := make(chan struct{})
	stop := p.after(patience, func() { close(late) })
	select {
	case r := <-written:
		stop()
		return r.given()
	case <-late:
		p.lost.Store(true)
		return 0, errNobodyReads
	}
}

// result is how a write has ended.
type result struct {
	n        int
	err      error
	panicked any // nil for no panic
}

// given is the result for the caller, who gets a panic too: only there somebody
// turns it into an error.
func (r result) given() (int, error) {
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.n, r.err
}

// patientConn is a connection with a patient writer.
type patientConn struct {
	net.Conn
	writer *patient
}

// Write implements net.Conn.
func (c patientConn) Write(text []byte) (int, error) { return c.writer.Write(text) }
