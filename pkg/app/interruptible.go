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

// writeGrace is the time that a write may take after the run was interrupted.
const writeGrace = time.Second

// errAbandoned is the error of an abandoned write and of all later writes.
var errAbandoned = errors.New("no one reads what is written there")

// interruptibleWriter wraps a writer that may block, because the reader of a pipe has
// stopped or the terminal is suspended. A write may block as long as the run is not
// interrupted. After an interruption it may take writeGrace. Then it is abandoned, and all
// later writes fail immediately.
type interruptibleWriter struct {
	to          io.Writer
	interrupted <-chan struct{}
	after       func(time.Duration, func()) (stop func() bool)
	abandoned   atomic.Bool
}

// newInterruptible returns a writer for a run that ends when ctx ends.
func newInterruptible(ctx context.Context, to io.Writer, after func(time.Duration, func()) func() bool) *interruptibleWriter {
	return &interruptibleWriter{to: to, interrupted: ctx.Done(), after: after}
}

// Write implements io.Writer. It copies the bytes, because an abandoned write may continue
// after Write returns.
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
		panic(panicked) // in the goroutine of the caller, which converts it to an error
	}
	return n, err
}

type interruptibleConn struct {
	net.Conn
	writer *interruptibleWriter
}

func (c interruptibleConn) Write(text []byte) (int, error) { return c.writer.Write(text) }
