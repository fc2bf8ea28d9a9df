package sandbox

import (
	"io"
	"sync/atomic"
	"time"
)

const (
	// idleWait is the maximum silence of a stream after the component has ended. Only a
	// process that left the process group keeps a stream open.
	idleWait = time.Second
	// drainWait is the time limit for the rest of a stream. It is long because megabytes
	// may remain and the receiver may be slow.
	drainWait = 2 * time.Minute
)

// source is a stream that a component writes to: a pipe or a connection.
type source interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
}

// pump reads a stream to its end and passes it on in pieces.
type pump struct {
	from source
	to   func([]byte)
	// until is set when the component has ended. The pump then stops at this time, even if
	// the stream is incomplete.
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
	// It is only read, so an error of Close loses no data.
	defer p.from.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := p.from.Read(piece)
		if n > 0 {
			p.to(piece[:n])
		}
		// Any error ends the stream: a killed component resets its connections.
		if err != nil || p.limit() != nil {
			return
		}
	}
}

// limit sets the deadline of the next read if the component has ended.
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

// finish stops the pump after the component has ended. The pump passes on the remaining
// data first. finish does not wait for that.
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
