package sandbox

import (
	"context"
	"errors"
	"maps"
	"time"
)

type run struct {
	sandbox *Sandbox
	spec    Spec
	journal *journal

	stdout, stderr head
	lines          lines // lines of stdout, if they are events
}

type ending struct {
	code        int
	outOfMemory bool
	err         error
}

func (r *run) run(ctx context.Context, data Data) (Exit, error) {
	env := make(map[string]string, len(r.spec.Env)+2)
	maps.Copy(env, r.spec.Env)
	r.lines.give = func(h head) { r.journal.text(Info, h) }
	launch := Launch{Name: data.name(), Data: data.Dir, Temp: data.temp(), Args: r.spec.Args, Env: env, Stdout: r.takeStdout, Stderr: r.stderr.write}
	var server *logServer
	if r.sandbox.gelf {
		address, host := r.sandbox.engine.LogServer()
		var err error
		if server, err = listen(address, r.journal.message); err != nil {
			return Exit{}, err
		}
		env["KBC_LOGGER_ADDR"], env["KBC_LOGGER_PORT"] = host, server.port()
	}
	exit, err := r.execute(ctx, launch)
	if server != nil {
		err = errors.Join(err, server.close(time.Now().Add(drainWait)))
	}
	if err != nil {
		return Exit{}, err
	}
	r.conclude(exit.Code)
	if exit.Code != 0 {
		exit.Message = r.journal.explain(r.stderr, r.stdout)
	}
	return exit, nil
}

// conclude records the output that can only be recorded after the end of the component.
func (r *run) conclude(code int) {
	if !r.sandbox.gelf {
		r.lines.end()
		if code == 0 {
			r.journal.text(Error, r.stderr)
		}
		return
	}
	r.journal.text(Info, r.stdout)
	r.journal.text(Error, r.stderr)
	if code == 0 {
		// The platform reports stderr twice: in the log and with the success.
		r.journal.text(Error, r.stderr)
	}
}

func (r *run) takeStdout(piece []byte) {
	r.stdout.write(piece)
	if !r.sandbox.gelf {
		r.lines.write(piece)
	}
}

// execute runs the component and returns its exit without the message.
func (r *run) execute(ctx context.Context, launch Launch) (Exit, error) {
	component, err := r.sandbox.engine.Start(launch)
	if err != nil {
		return Exit{}, err
	}
	ended := make(chan ending, 1)
	go func() {
		code, outOfMemory, err := component.Wait()
		ended <- ending{code, outOfMemory, err}
	}()
	end, timedOut := r.await(ctx, component, ended)
	if end.err != nil {
		return Exit{}, end.err
	}
	return Exit{Code: end.code, TimedOut: timedOut, OutOfMemory: end.outOfMemory}, nil
}

// await waits for the component. It ends the component after the timeout or when the
// context ends.
func (r *run) await(ctx context.Context, component Component, ended <-chan ending) (end ending, timedOut bool) {
	var timeout <-chan time.Time // nil blocks forever, for no limit
	if r.spec.Timeout > 0 {
		timer := time.NewTimer(r.spec.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case end = <-ended:
		return end, false
	case <-timeout:
		end = kill(component, ended)
		return end, end.code != 0 // it may have succeeded at the same time
	case <-ctx.Done():
	}
	if component.Stop(r.sandbox.grace) == nil {
		grace := time.NewTimer(r.sandbox.grace)
		defer grace.Stop()
		select {
		case end = <-ended:
			return end, false
		case <-grace.C:
		}
	}
	// The component cannot be stopped or does not react, so kill it.
	return kill(component, ended), false
}

func kill(component Component, ended <-chan ending) ending {
	err := component.Kill()
	end := <-ended
	end.err = errors.Join(end.err, err)
	return end
}
