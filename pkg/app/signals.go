package app

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// signalError is the cause of a context that ended because of a signal.
type signalError struct{ os.Signal }

func (r signalError) Error() string { return r.String() + " signal received" }

// Interrupted reports whether SIGINT (Ctrl-C) ended a context of UntilSignal.
func Interrupted(ctx context.Context) bool {
	r, ok := errors.AsType[signalError](context.Cause(ctx))
	return ok && r.Signal == os.Interrupt
}

// UntilSignal returns a context that ends with the first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT. The signal is the cause of the context. The run then cleans up and ends. A later
// SIGINT ends the process immediately, without cleanup. Other later signals are ignored,
// because some programs, such as timeout of GNU, send their signal twice. SIGHUP stays
// ignored if the process started that way, as with nohup. stop ends the handling of
// signals.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	go func() {
		signalled := false
		for s := range arrived {
			if signalled && s == os.Interrupt {
				os.Exit(failure.ExitInterrupted)
			}
			signalled = true
			cancel(signalError{s})
		}
	}()
	return ctx, func() {
		signal.Stop(arrived)
		close(arrived)
		cancel(context.Canceled)
	}
}
