// Package event defines the events of a run: their kinds and fields, the log that masks
// them, and the sinks (JSON lines, GELF over TCP, readable lines for a terminal).
//
// No form of a known secret reaches a sink. Log.Err reports events that could not be
// written. Package secret decides which texts are secrets and finds them. The caller
// decides which sink a run uses and how it reacts to a lost event.
//
// During a run only this package writes to stdout.
package event

import (
	"errors"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Event is an event with its time, as a sink receives it. All its texts are masked.
type Event struct {
	Time    time.Time
	Kind    string
	Level   Level
	Message string
	Fields  []Field // fields of the body, in order
	Body    Body
}

// Field is a field of a body with its JSON name.
type Field struct {
	Name  string
	Value any // string, bool, int, int64, float64 or []string
}

// Sink writes events. Write is called from one goroutine at a time.
type Sink interface {
	Write(Event) error
	// Close writes pending events.
	Close() error
}

// Discard is a sink that drops all events.
type Discard struct{}

func (Discard) Write(Event) error { return nil }
func (Discard) Close() error      { return nil }

// errClosed is the error of Log.Err after an event was emitted after Close.
var errClosed = errors.New("event after the log was closed")

// Log masks the events of a run and passes them to one sink. It is safe for concurrent use.
// The sink receives one event at a time, in the order of their times.
type Log struct {
	secrets *secret.Registry
	now     func() time.Time
	trace   func(Event) // may be nil
	watched bool

	mu     sync.Mutex
	sink   Sink
	err    error // first error
	closed bool
	warned map[ConfigWarning]bool // warnings that WarnOnce has emitted
}

// NewLog returns a log. Secrets may be added while events are emitted. now returns the time
// of events.
func NewLog(sink Sink, secrets *secret.Registry, now func() time.Time) *Log {
	return &Log{sink: sink, secrets: secrets, now: now}
}

// Trace also passes every event to a function, one at a time. The function also receives
// events of level Trace, which the sink does not. Trace must be called before the first
// event.
func (l *Log) Trace(to func(Event)) { l.trace = to }

// Traced reports whether events of level Trace are used.
func (l *Log) Traced() bool { return l.trace != nil }

// EnableRequestEvents enables events about every request, which a platform needs to show
// live progress. It must be called before the first event.
func (l *Log) EnableRequestEvents() { l.watched = true }

// RequestEventsEnabled reports whether EnableRequestEvents was called.
func (l *Log) RequestEventsEnabled() bool { return l.watched }

// Emit sends an event. It returns no error, because a run continues if its events cannot be
// written. See Err.
func (l *Log) Emit(body Body) {
	level := body.Level()
	if level == Trace && l.trace == nil {
		return
	}
	safe := masked(body, l.secrets.Mask)
	e := Event{Kind: KindOf(body), Level: level, Message: l.secrets.Mask(body.message()), Fields: fieldsOf(safe), Body: safe}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.keep(errClosed)
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

// WarnOnce emits a warning unless it was emitted before. It is used for warnings that each
// request or row could repeat.
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

// Err returns the first error of the sink, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close closes the sink and returns the first error of the log. It may be called again.
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
