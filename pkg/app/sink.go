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
func openSink(ctx context.Context, o *Options, action bool) (sink event.Sink, unreached, err error) {
	if sink, unreached = openGELF(ctx, o); sink != nil {
		return sink, nil, nil
	}
	sink, err = openOutput(o, action)
	return sink, unreached, err
}

// openGELF connects to the log server in the environment. It returns nil if the
// environment names no server. It returns an error if the address or the port is missing, or
// if the server cannot be reached.
func openGELF(ctx context.Context, o *Options) (event.Sink, error) {
	address, port := o.Getenv("KBC_LOGGER_ADDR"), o.Getenv("KBC_LOGGER_PORT")
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
		return interruptibleConn{conn, newInterruptible(ctx, conn, o.After)}, nil
	}
	sink, err := event.DialGELF(ctx, dial, net.JoinHostPort(address, port), host)
	if err != nil {
		return nil, err
	}
	return sink, nil
}

// openOutput returns the sink for stdout.
func openOutput(o *Options, action bool) (event.Sink, error) {
	if action {
		return event.Discard{}, nil
	}
	_, terminal := terminalOf(o.Stdout)
	auto := o.LogFormat == "" || o.LogFormat == "auto"
	switch {
	case o.LogFormat == "console", auto && terminal:
		return event.NewConsole(o.Stdout, Colours(o.Stdout, o.Getenv)), nil
	case o.LogFormat == "json", auto:
		return event.NewJSON(o.Stdout), nil
	default:
		return nil, failure.Userf("--log-format expects auto, json or console, found '%s'", o.LogFormat)
	}
}

const liveEvery = 200 * time.Millisecond

// forPerson sets stderrIsTerminal and sameTerminal. If both streams are terminals, it
// returns a sink that leaves the failure to stderr.
func forPerson(o *Options, sink event.Sink) event.Sink {
	_, stderr := terminalOf(o.Stderr)
	o.stderrIsTerminal = stderr && o.LogFormat != "json" && !OnPlatform(o.Getenv)
	_, readable := sink.(*event.Console)
	_, stdout := terminalOf(o.Stdout)
	if o.sameTerminal = o.stderrIsTerminal && readable && stdout; !o.sameTerminal {
		return sink
	}
	return failureFilter{sink}
}

// openLive starts live progress on stderr, below readable events. It returns nil if stderr
// is not a suitable terminal.
func openLive(o *Options, sink event.Sink) *event.Live {
	_, readable := sink.(*event.Console)
	file, terminal := terminalOf(o.Stderr)
	if !readable || !terminal || isDumb(o.Getenv) {
		return nil
	}
	return event.NewLive(event.LiveOptions{
		Terminal: o.Stderr,
		Size:     func() (width, height int, err error) { return term.GetSize(int(file.Fd())) },
		Ticks:    time.NewTicker(liveEvery).C,
		Secrets:  o.Secrets,
		Now:      o.Now,
	})
}

// reportLive enables events about the state of running jobs and about every request. The
// local platform sets EXTRACTOR_LIVE for them.
func (o *Options) reportLive() {
	const every = time.Second
	if o.Live != nil {
		return
	}
	o.Log.EnableRequestEvents()
	o.Live = event.NewReportedLive(time.NewTicker(every).C, o.Now, o.Log.Emit)
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
