// Package event defines the events of a run: their kinds and fields, the log that
// masks them, and the sinks (JSON lines, GELF over TCP, readable lines for a
// terminal).
//
// No form of a known secret reaches a sink, and events that could not be written
// are noticed (Log.Err). Package secret decides what is a secret and how it is
// found; the caller decides which sink a run uses and what happens after an event
// is lost.
//
// Nothing else in the program writes to stdout during a run.
package event

import (
	"errors"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Event is a body with its time, for a sink. All its texts are masked.
type Event struct {
	Time    time.Time
	Kind    string
	Level   Level
	Message string
	// Fields are the body's fields in their order.
	Fields []Field
	// Body is a copy of the body. It is nil if the body is not a struct, and
	// without Log.Trace.
	Body Body
}

type Field struct {
	Name  string
	Value any // string, bool, int, int64, float64 or []string
	// MachineOnly says that the field is not for a terminal.
	MachineOnly bool
	// NotInMessage says that the message never contains the value, although it may contain
	// an equal one.
	NotInMessage bool
}

// Sink writes events. Write is called by one goroutine at a time.
type Sink interface {
	Write(Event) error
	// Close writes what is pending.
	Close() error
}

// Discard is a sink that drops everything.
type Discard struct{}

func (Discard) Write(Event) error { return nil }
func (Discard) Close() error      { return nil }

// ErrClosed is reported by Log.Err for an event after Close.
var ErrClosed = errors.New("event after the log was closed")

// Log masks the events of a run and passes them to one sink. It is safe for
// concurrent use: the sink gets the events one after another, in the order of their
// times.
type Log struct {
	secrets *secret.Registry
	now     func() time.Time
	trace   func(Event) // nil for none
	watched bool

	mu     sync.Mutex
	sink   Sink
	err    error // the first one
	closed bool
	warned map[ConfigWarning]bool // for WarnOnce
}

// NewLog makes a log. Secrets may be added while events are emitted; now is the
// time of events.
func NewLog(sink Sink, secrets *secret.Registry, now func() time.Time) *Log {
	return &Log{sink: sink, secrets: secrets, now: now}
}

// Trace also passes every event to a function, one at a time, including those of
// level Trace, which the sink does not get. It must be called before the first
// event.
func (l *Log) Trace(to func(Event)) { l.trace = to }

// Traced reports whether events of level Trace are used.
func (l *Log) Traced() bool { return l.trace != nil }

// EnableRequestEvents also passes what a platform needs to show a run while it runs: every request.
// It must be called before the first event.
func (l *Log) EnableRequestEvents() { l.watched = true }

// RequestEventsEnabled reports whether Watch was called.
func (l *Log) RequestEventsEnabled() bool { return l.watched }

// Secrets are the secrets that the log masks.
func (l *Log) Secrets() *secret.Registry { return l.secrets }

// Emit sends one event. It returns no error, because a run does not end when no one
// listens. See Err.
func (l *Log) Emit(body Body) {
	level := body.Level()
	if level == Trace && l.trace == nil {
		return
	}
	e := Event{
		Kind:    body.Kind(),
		Level:   level,
		Message: l.secrets.Mask(body.Message()),
		Fields:  fieldsOf(body, l.secrets.Mask),
	}
	if l.trace != nil {
		e.Body = masked(body, l.secrets.Mask)
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

// WarnOnce emits a warning unless it was emitted before: what is computed for each
// request or row would repeat it.
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

// Close closes the sink and returns the first error of the log. It may be called
// again.
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
