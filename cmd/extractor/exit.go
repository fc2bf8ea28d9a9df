package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// exitError is the error of a command that decides its exit code itself. Without a cause
// the command has printed everything.
type exitError struct {
	code  int
	cause error
}

// Error implements error.
func (e *exitError) Error() string { return fmt.Sprintf("exit code %d: %v", e.code, e.cause) }

// exit ends the program with a code. The cause is printed; nil prints nothing.
func exit(code int, cause error) error {
	if code == failure.ExitOK && cause == nil {
		return nil
	}
	return &exitError{code, cause}
}

// execute runs a command line, prints its error as one line, and returns the exit code
// of the program.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	code, message := outcome(err)
	if app.Interrupted(ctx) && (code == failure.ExitUser || code == failure.ExitApplication) {
		code = failure.ExitInterrupted
	}
	if message != nil {
		fmt.Fprintln(stderr, textfmt.PrintableLines(message.Error()))
	}
	return code
}

// outcome returns the exit code for the error of a command, and what remains to print.
// A wrong command line is a user error.
func outcome(err error) (code int, message error) {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code, e.cause
	}
	if _, ok := errors.AsType[*failure.Error](err); err == nil || ok {
		return failure.ExitCode(err), err
	}
	return failure.ExitUser, err
}
