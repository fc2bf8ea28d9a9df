package sandbox

import (
	"io"
	"sync/atomic"
	"time"
)

const (
	// idleWait is how long a stream of a component that has ended may be silent
	// until it is taken for finished. Only a process that got away keeps one open.
	idleWait = time.Second
	// drainWait is how long the rest of a stream may take altogether. It is long
	// because whoever takes the records may be slow, and some megabytes of them
	// may be on the way.
	drainWait = 2 * time.Minute
)

// source is what a component writes to: a pipe or a connection.
type source interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
}

// pump reads a stream to its end and gives it on, piece by piece.
type pump struct {
	from source
	to   func([]byte)
	// until is set when the component has ended: the time at which its stream
	// ends too, whatever is still in it.
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
	// Nothing was written to it, so closing has nothing to lose.
	defer p.from.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := p.from.Read(piece)
		if n > 0 {
			p.to(piece[:n])
		}
		// An error is the end as well: a component that is killed resets its
		// connections.
		if err != nil || p.limit() != nil {
			return
		}
	}
}

// limit sets how long the next piece may take, once the component has ended.
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

// finish says that the component has ended: what it has written is still given
// on, then the pump stops. It does not wait for that.
func (p *pump) finish(until time.Time) {
	p.until.Store(&until)
	if p.limit() == nil {
		return
	}
	// Where pipes know no deadlines, closing them ends the reading.
	timer := time.AfterFunc(time.Until(until), func() { p.from.Close() })
	go func() {
		<-p.done
		timer.Stop()
	}()
}
