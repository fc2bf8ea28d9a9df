package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// logTimeout is the timeout of the connection to the log server.
const logTimeout = 10 * time.Second

// openSink opens the destination of events: the GELF server of the platform if the
// environment names one, otherwise stdout. Events of an action never go to stdout, which is
// for the response: without a server they are dropped.
//
// If the log server cannot be reached, the run continues without it, and openSink returns
// the reason as unreached.
func openSink(ctx context.Context, r *run, action bool) (sink event.Sink, unreached, err error) {
	if sink, unreached = openGELF(ctx, r); sink != nil {
		return sink, nil, nil
	}
	sink, err = openOutput(r, action)
	return sink, unreached, err
}

// openGELF connects to the log server in the environment. It returns nil if the
// environment names no server. It returns an error if the address or the port is missing, or
// if the server cannot be reached.
func openGELF(ctx context.Context, r *run) (event.Sink, error) {
	address, port := r.Getenv("KBC_LOGGER_ADDR"), r.Getenv("KBC_LOGGER_PORT")
	switch {
	case address == "" && port == "":
		return nil, nil
	case address == "" || port == "":
		return nil, errors.New("KBC_LOGGER_ADDR and KBC_LOGGER_PORT must be set together")
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("cannot find the host name, which the log server needs: %w", err)
	}
	dial := func(dialling context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{Timeout: logTimeout}).DialContext(dialling, network, address)
		if err != nil {
			return nil, err
		}
		return interruptibleConn{conn, newInterruptible(ctx, conn, r.After)}, nil
	}
	return event.DialGELF(ctx, dial, net.JoinHostPort(address, port), host)
}

// openOutput returns the sink for stdout.
func openOutput(r *run, action bool) (event.Sink, error) {
	if action {
		return event.Discard{}, nil
	}
	_, terminal := terminalOf(r.Stdout)
	auto := r.LogFormat == "" || r.LogFormat == "auto"
	switch {
	case r.LogFormat == "console", auto && terminal:
		return event.NewConsole(r.Stdout, Colours(r.Stdout, r.Getenv)), nil
	case r.LogFormat == "json", auto:
		return event.NewJSON(r.Stdout), nil
	default:
		return nil, failure.Userf("--log-format expects auto, json or console, found '%s'", r.LogFormat)
	}
}

const liveEvery = 200 * time.Millisecond

// forPerson sets stderrIsTerminal and sameTerminal. If both streams are terminals, it
// returns a sink that leaves the failure to stderr.
func forPerson(r *run, sink event.Sink, readable bool) event.Sink {
	_, stderr := terminalOf(r.Stderr)
	r.stderrIsTerminal = stderr && r.LogFormat != "json" && !OnPlatform(r.Getenv)
	_, stdout := terminalOf(r.Stdout)
	if r.sameTerminal = r.stderrIsTerminal && readable && stdout; !r.sameTerminal {
		return sink
	}
	return failureFilter{sink}
}

// openLive starts live progress on stderr, below readable events on stdout. It returns nil
// if stderr is not a suitable terminal.
func openLive(r *run) *event.Live {
	file, terminal := terminalOf(r.Stderr)
	if !terminal || isDumb(r.Getenv) {
		return nil
	}
	return event.NewLive(event.LiveOptions{
		Terminal: r.Stderr,
		Size:     func() (width, height int, err error) { return term.GetSize(int(file.Fd())) },
		Ticks:    time.NewTicker(liveEvery).C,
		Secrets:  r.Secrets,
		Now:      r.Now,
	})
}

// reportLive enables events about the state of running jobs and about every request. The
// local platform sets EXTRACTOR_LIVE for them.
func (r *run) reportLive() {
	const every = time.Second
	if r.Live != nil {
		return
	}
	r.Log.EnableRequestEvents()
	r.Live = event.NewReportedLive(time.NewTicker(every).C, r.Now, r.Log.Emit)
}

// Colours reports whether a writer is a terminal with colours and NO_COLOR
// (https://no-color.org) is empty or not set.
func Colours(w io.Writer, getenv func(string) string) bool {
	_, terminal := terminalOf(w)
	return terminal && !isDumb(getenv) && getenv("NO_COLOR") == ""
}

func terminalOf(w io.Writer) (file *os.File, ok bool) {
	if wrapped, is := w.(*interruptibleWriter); is {
		w = wrapped.to
	}
	file, ok = w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// isDumb reports whether the terminal has no control sequences.
func isDumb(getenv func(string) string) bool { return getenv("TERM") == "dumb" }
