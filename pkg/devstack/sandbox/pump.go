package sandbox

import (
	"io"
	"sync/atomic"
	"time"
)

const (
	// idleWait is how long a stream may be silent after the component has ended.
	// Only a process that left the group keeps one open.
	idleWait = time.Second
	// drainWait is how long the rest of a stream may take. It is long because there
	// may be megabytes left, and the receiver may be slow.
	drainWait = 2 * time.Minute
)

// source is what a component writes to: a pipe or a connection.
type source interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
}

// pump reads a stream to its end and passes it on in pieces.
type pump struct {
	from source
	to   func([]byte)
	// until is set when the component has ended: then the stream ends too, complete
	// or not.
	until atomic.Pointer[time.Time]
	done  chan struct{}
}

func startPump(from source, to func([]byte)) *pump {
	p := &pump{from: from, to: to, done: make(chan struct{})}
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	// It is only read, so an error of closing loses nothing.
	defer p.from.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := p.from.Read(piece)
		if n > 0 {
			p.to(piece[:n])
		}
		// An error is the end too: a killed component resets its connections.
		if err != nil || p.limit() != nil {
			return
		}
	}
}

// limit sets the deadline of the next read, once the component has ended.
func (p *pump) limit() error {
	until := p.until.Load()
	if until == nil {
		return nil
	}
	deadline := time.Now().Add(idleWait)
	if deadline.After(*until) {
		deadline = *until
	}
	return p.from.SetReadDeadline(deadline)
}

// finish says that the component has ended: the pump passes on what was written and
// stops. finish does not wait for that.
func (p *pump) finish(until time.Time) {
	p.until.Store(&until)
	if p.limit() == nil {
		return
	}
	// On systems where pipes have no deadlines, closing them ends the read.
	timer := time.AfterFunc(time.Until(until), func() { p.from.Close() })
	go func() {
		<-p.done
		timer.Stop()
	}()
}
