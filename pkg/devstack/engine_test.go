package devstack

import (
	"context"
	"net"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// inProcess runs the component in this process, by a clock of the test: no test
// waits for a retry. tests/platform runs real ones.
type inProcess struct {
	clock *clock.Clock
	dial  func(ctx context.Context, network, address string) (net.Conn, error) // nil: anywhere
}

func (inProcess) LogServer() (listen, host string) { return "127.0.0.1:0", "127.0.0.1" }

func (e inProcess) Start(l sandbox.Launch) (sandbox.Component, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, ended: make(chan int, 1)}
	go func() {
		r.ended <- app.Run(ctx, app.Options{
			DataDir: l.Data,
			Stdout:  pieces(l.Stdout),
			Stderr:  pieces(l.Stderr),
			Run: env.Run{
				Getenv: func(name string) string { return l.Env[name] },
				Now:    e.clock.Now,
				Sleep:  e.clock.Sleep,
				Dial:   e.dial,
			},
			Version: "dev",
		})
	}()
	return r, nil
}

type running struct {
	cancel context.CancelFunc
	ended  chan int
}

func (r *running) Wait() (code int, outOfMemory bool, err error) { return <-r.ended, false, nil }

func (r *running) Stop(time.Duration) error { return r.Kill() }

func (r *running) Kill() error {
	r.cancel()
	return nil
}

// pieces hands what is written to a function.
type pieces func([]byte)

func (p pieces) Write(text []byte) (int, error) {
	p(text)
	return len(text), nil
}
