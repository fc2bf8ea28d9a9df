package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// exitInterrupted is the exit code after a second SIGINT, as if the program handled
// no signals.
const exitInterrupted = 128 + int(syscall.SIGINT)

// UntilSignal is a context that ends with the first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT, which is its cause: a run then cleans up and ends. Each later SIGINT
// ends the process at once with exit code 130, without cleaning up. Other later
// signals are ignored, because some programs, such as timeout of GNU, send theirs
// twice. SIGHUP stays ignored if it was, as with nohup. stop ends the handling of
// signals.
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
