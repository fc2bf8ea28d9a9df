package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// exitInterrupted is the exit code after a second SIGINT, that of a program that
// handles no signal: 128 and its number.
const exitInterrupted = 128 + int(syscall.SIGINT)

// UntilSignal is a context that ends with the first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT, which is its cause: a run then clears up and ends by itself. Every
// SIGINT after that ends the process at once, with exit code 130 and without
// clearing up; other signals are not heard any more, since some programs send
// theirs twice (timeout of GNU). SIGHUP stays ignored where it is, as with nohup.
// stop gives the signals back.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	received := make(chan os.Signal, 1)
	signal.Notify(received, signals...)
	go func() {
		signalled := false
		for s := range received {
			if signalled && s == os.Interrupt {
				os.Exit(exitInterrupted)
			}
			signalled = true
			cancel(fmt.Errorf("%s signal received", s))
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		close(received)
		cancel(context.Canceled)
	}
}
