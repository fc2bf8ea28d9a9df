package app

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// blocked is a writer that takes nothing until it is released. begun gets a value
// for every write that has begun.
type blocked struct {
	begun    chan string
	released chan struct{}
}

func newBlocked(t *testing.T) blocked {
	b := blocked{make(chan string, 16), make(chan struct{})}
	t.Cleanup(func() { close(b.released) })
	return b
}

func (b blocked) Write(text []byte) (int, error) {
	b.begun <- string(text)
	<-b.released
	return len(text), nil
}

// atOnce is a clock on which the time has passed already.
func atOnce(_ time.Duration, call func()) (stop func() bool) {
	call()
	return func() bool { return false }
}

// never is one on which it does not pass.
func never(time.Duration, func()) (stop func() bool) { return func() bool { return true } }

func TestInterruptibleWriter(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	w := newBlocked(t)
	p := newInterruptible(ctx, w, atOnce)
	result := make(chan error, 1)
	buffer := []byte("one")
	go func() {
		_, err := p.Write(buffer)
		result <- err
	}()
	<-w.begun
	select {
	case err := <-result:
		t.Fatalf("the write was given up before the run was asked to end: %v", err)
	default:
	}
	interrupt()
	if err := <-result; !errors.Is(err, errAbandoned) {
		t.Errorf("got %v", err)
	}
	copy(buffer, "two") // the race detector looks
	if n, err := p.Write(buffer); n != 0 || !errors.Is(err, errAbandoned) {
		t.Errorf("a later write: %d, %v", n, err)
	}
	if len(w.begun) > 0 {
		t.Error("a later write has begun")
	}
}

// TestInterruptibleWriterThatGoesOn: a reader gets everything, also after the run was
// asked to end.
func TestInterruptibleWriterThatGoesOn(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	r, w := io.Pipe()
	p := newInterruptible(ctx, w, never)
	read := make(chan string)
	go func() {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	for _, text := range []string{"one ", "two ", "three"} {
		if n, err := p.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	must(t, w.Close())
	if got := <-read; got != "one two three" {
		t.Errorf("read %q", got)
	}
	if _, err := p.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("an error of the writer became %v", err)
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("broken") }

func TestInterruptibleWriterThatPanics(t *testing.T) {
	err := failure.Recover(func() error {
		_, err := newInterruptible(t.Context(), panics{}, never).Write([]byte("x"))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "internal error: broken") {
		t.Errorf("got %v", err)
	}
}

// TestInterruptibleConnection: a log server that does not read is no reason to stay.
func TestInterruptibleConnection(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	here, there := net.Pipe()
	defer there.Close() // no one reads from it
	conn := interruptibleConn{here, newInterruptible(ctx, here, atOnce)}
	if _, err := conn.Write([]byte("x")); !errors.Is(err, errAbandoned) {
		t.Errorf("got %v", err)
	}
	must(t, conn.Close()) // which ends the write
}

// TestRunWithoutReader: it ends when it is asked to, and cleans up.
func TestRunWithoutReader(t *testing.T) {
	ctx, interrupt := context.WithCancelCause(t.Context())
	w := newBlocked(t)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(oneJob), 0o644))
	result := make(chan int)
	go func() {
		result <- Run(ctx, Options{DataDir: dir, Stdout: w, Stderr: w, Run: env.Run{After: atOnce, Getenv: func(string) string { return "" }}})
	}()
	<-w.begun
	interrupt(errors.New("asked to end"))
	if exit := <-result; exit != failure.ExitUser {
		t.Errorf("exit code %d", exit)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "out", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
