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

// exitError is the error of a command that sets its exit code. If cause is nil, the command
// has printed its error already.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d: %v", e.code, e.cause) }

// exit returns an error that ends the program with a code. The program prints the cause
// unless it is nil.
func exit(code int, cause error) error {
	if code == failure.ExitOK && cause == nil {
		return nil
	}
	return &exitError{code, cause}
}

// execute runs a command line, prints its error, and returns the exit code of the program.
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

// outcome returns the exit code for the error of a command, and the error to print. An
// invalid command line is a user error.
func outcome(err error) (code int, message error) {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code, e.cause
	}
	if _, ok := errors.AsType[*failure.Error](err); err == nil || ok {
		return failure.ExitCode(err), err
	}
	return failure.ExitUser, err
}
