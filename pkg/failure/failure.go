// Package failure distinguishes errors that the author of a configuration can fix from
// errors of the program, and adds the JSON pointer of the setting.
//
// A user error (Kind User) ends the program with exit code 1, and its message is shown
// unchanged. Any other error is an application error with exit code 2. The package
// neither logs nor exits.
package failure

import (
	"errors"
	"fmt"
)

// Kind is the class of an error.
type Kind string

// The kinds of errors, with the names that the platform uses.
const (
	User        Kind = "user"
	Application Kind = "application"
)

// Error is an error with its kind and, if known, the pointer to its setting. Message is
// one plain sentence with the essential words first.
type Error struct {
	Kind    Kind
	Message string
	// Pointer is the JSON pointer (RFC 6901) of the setting. It is empty if the error
	// does not belong to a single setting.
	Pointer string
	// Cause is the wrapped error. Message need not contain its text.
	Cause error
}

// Error returns the message, followed by the pointer if there is one.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Message
	}
	return e.Message + " (at " + e.Pointer + ")"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Userf returns a user error. The operand of a %w verb becomes its cause.
func Userf(format string, args ...any) *Error {
	return newf(User, format, args)
}

// Applicationf returns an application error. The operand of a %w verb becomes its cause.
func Applicationf(format string, args ...any) *Error {
	return newf(Application, format, args)
}

func newf(kind Kind, format string, args []any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// At returns the error with a pointer, unless it already has a pointer.
func (e *Error) At(pointer string) *Error {
	if e.Pointer != "" {
		return e
	}
	c := *e
	c.Pointer = pointer
	return &c
}

// KindOf returns the kind of the first *Error in the chain of err. Without an *Error,
// Problems are a user error and any other error is an application error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if _, ok := errors.AsType[Problems](err); ok {
		return User
	}
	return Application
}

// PointerOf returns the JSON pointer of an error, or "".
func PointerOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Pointer
	}
	if p, ok := errors.AsType[Problems](err); ok && len(p) > 0 {
		return p[0].Pointer
	}
	return ""
}

// The exit codes of the program.
const (
	ExitOK          = 0
	ExitUser        = 1
	ExitApplication = 2
	// ExitLimitReached is the exit code of a run that a flag has limited. Its tables are
	// valid but contain only a part of the data. The platform uses no such flag.
	ExitLimitReached = 3
	// ExitInterrupted is the exit code of a program that Ctrl-C has ended. It is the same
	// as without signal handling.
	ExitInterrupted = 130
)

// ExitCode returns the exit code for an error, and 0 for nil.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case KindOf(err) == User:
		return ExitUser
	default:
		return ExitApplication
	}
}

// Wrap prefixes an error with the activity that failed. A user error keeps its kind and
// cause, and its pointer if it has one.
func Wrap(doing, pointer string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == User {
		return (&Error{Kind: User, Message: doing + ": " + e.Message, Pointer: e.Pointer, Cause: err}).At(pointer)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
