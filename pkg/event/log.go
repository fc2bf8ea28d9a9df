// Package event holds the events of a run: their kinds and fields, the log that
// masks them, and the sinks (JSON lines, GELF over TCP, readable lines for a
// terminal).
//
// It promises that no form of a known secret reaches a sink and that an event
// that could not be written is noticed (Log.Err). It does not decide what is a
// secret or how it is found (see pkg/secret), which sink serves a run, or what
// happens after a lost event.
//
// Nothing else in the program writes to stdout during a run.
package event

import (
	"errors"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Event is a body with its time, on the way to a sink. All its texts are
// masked already.
type Event struct {
	Time    time.Time
	Kind    string
	Level   Level
	Message string
	// Fields are the body's fields in their order; every string inside is
	// masked.
	Fields []Field
	// Body is a copy of the body with every string inside masked. It is nil for a
	// body that is no struct, and when no one asked for it by Log.Trace.
	Body Body
}

// Field is one named value of an event.
type Field struct {
	Name  string
	Value any // string, bool, int, int64, float64 or []string
	// Programs says that a terminal need not show it.
	Programs bool
}

// Sink is where events end up. Write is called by one goroutine at a time.
type Sink interface {
	Write(Event) error
	// Close flushes what is pending.
	Close() error
}

// Discard is a Sink that drops everything.
type Discard struct{}

func (Discard) Write(Event) error { return nil }
func (Discard) Close() error      { return nil }

// ErrClosed is what Log.Err reports when an event came after Close.
var ErrClosed = errors.New("event after the log was closed")

// Log takes the events of a run, masks them and hands them to one sink. It is
// safe for concurrent use: events reach the sink one after another, in the
// order of their times.
type Log struct {
	secrets *secret.Registry
	now     func() time.Time
	trace   func(Event) // nil for none

	mu     sync.Mutex
	sink   Sink
	err    error // the first one
	closed bool
	warned map[ConfigWarning]bool // by WarnOnce
}

// NewLog makes a log. Secrets may still grow while events are emitted; now
// gives the time of an event.
func NewLog(sink Sink, secrets *secret.Registry, now func() time.Time) *Log {
	return &Log{sink: sink, secrets: secrets, now: now}
}

// Trace hands every event to a function too, those of level Trace included,
// which the sink never gets. The function is called like a sink. Trace must be
// called before the first event.
func (l *Log) Trace(to func(Event)) { l.trace = to }

// Traced reports whether anything gets the events of level Trace.
func (l *Log) Traced() bool { return l.trace != nil }

// Secrets are those that the log masks.
func (l *Log) Secrets() *secret.Registry { return l.secrets }

// Emit sends one event. It cannot fail for the caller: a run does not end
// because no one listens. What went wrong is in Err.
func (l *Log) Emit(body Body) {
	level := body.Level()
	if level == Trace && l.trace == nil {
		return
	}
	e := Event{
		Kind:    body.Kind(),
		Level:   level,
		Message: l.secrets.Redact(body.Message()),
		Fields:  fieldsOf(body, l.secrets.Redact),
	}
	if l.trace != nil {
		e.Body = masked(body, l.secrets.Redact)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.keep(ErrClosed)
		return
	}
	e.Time = l.now()
	if l.trace != nil {
		l.trace(e)
	}
	if level != Trace {
		l.keep(l.sink.Write(e))
	}
}

// WarnOnce sends a warning about the configuration unless the log has had the
// same one: what is computed for each request or row would repeat it.
func (l *Log) WarnOnce(w ConfigWarning) {
	l.mu.Lock()
	had := l.warned[w]
	if l.warned == nil {
		l.warned = map[ConfigWarning]bool{}
	}
	l.warned[w] = true
	l.mu.Unlock()
	if !had {
		l.Emit(w)
	}
}

// Err is the first error of the sink, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close closes the sink and returns the first error in the life of the log. A
// second call does nothing but return it again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.keep(l.sink.Close())
	}
	return l.err
}

func (l *Log) keep(err error) {
	if l.err == nil {
		l.err = err
	}
}
