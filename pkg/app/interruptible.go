package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// writeGrace is how long a write may take after the run was asked to end.
const writeGrace = time.Second

// errAbandoned is the error of an abandoned write and of all later ones.
var errAbandoned = errors.New("no one reads what is written there")

// interruptibleWriter is a writer that may block, because no one reads the pipe or
// the terminal was stopped. During a run it blocks. When the run was asked to end,
// a write may take writeGrace; then it is abandoned, and later writes fail at once.
type interruptibleWriter struct {
	to          io.Writer
	interrupted <-chan struct{}
	after       func(time.Duration, func()) (stop func() bool)
	abandoned   atomic.Bool
}

// newInterruptible makes a writer for a run that its context asks to end.
func newInterruptible(ctx context.Context, to io.Writer, after func(time.Duration, func()) func() bool) *interruptibleWriter {
	return &interruptibleWriter{to: to, interrupted: ctx.Done(), after: after}
}

// Write implements io.Writer. The bytes may be used again when it returns.
func (w *interruptibleWriter) Write(text []byte) (int, error) {
	if w.abandoned.Load() {
		return 0, errAbandoned
	}
	var n int
	var err error
	var panicked any
	written := make(chan struct{})
	text = bytes.Clone(text)
	go func() {
		defer close(written)
		defer func() { panicked = recover() }()
		n, err = w.to.Write(text)
	}()
	select {
	case <-written:
	case <-w.interrupted:
		late := make(chan struct{})
		stop := w.after(writeGrace, func() { close(late) })
		select {
		case <-written:
			stop()
		case <-late:
			w.abandoned.Store(true)
			return 0, errAbandoned
		}
	}
	if panicked != nil {
		panic(panicked) // in the caller's goroutine, which turns it into an error
	}
	return n, err
}

type interruptibleConn struct {
	net.Conn
	writer *interruptibleWriter
}

// Write implements net.Conn.
func (c interruptibleConn) Write(text []byte) (int, error) { return c.writer.Write(text) }
