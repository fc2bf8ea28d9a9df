// Package failure tells apart what the person who wrote the configuration can
// fix from what only we can fix, and carries the place to look at.
//
// A user error (Kind User) ends the program with exit code 1 and its message is
// shown to the user as it is. Everything else is an application error, exit
// code 2. The package decides nothing more: it neither logs nor exits.
package failure

import (
	"errors"
	"fmt"
)

// Kind is the class of an error: whose fault it is.
type Kind string

// The two kinds, in the platform's own words.
const (
	User        Kind = "user"
	Application Kind = "application"
)

// Error is a failure with its class and, where there is one, its place in the
// configuration. Message is one plain sentence, essential words first.
type Error struct {
	Kind    Kind
	Message string
	// Pointer is the JSON pointer (RFC 6901) of the setting to look at; empty
	// when no single setting is to blame.
	Pointer string
	// Cause is the error underneath, for errors.Is and errors.As. Its text is
	// not part of Message unless the one who made the error put it there.
	Cause error
}

// Error returns the message, followed by the pointer where there is one.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Message
	}
	return e.Message + " (at " + e.Pointer + ")"
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Userf makes a user error. A %w verb keeps its operand as the cause.
func Userf(format string, args ...any) *Error {
	return newf(User, format, args)
}

// Applicationf makes an application error. A %w verb keeps its operand as the
// cause.
func Applicationf(format string, args ...any) *Error {
	return newf(Application, format, args)
}

func newf(kind Kind, format string, args []any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// At returns the error with its place in the configuration set, unless it has
// one already.
func (e *Error) At(pointer string) *Error {
	if e.Pointer != "" {
		return e
	}
	c := *e
	c.Pointer = pointer
	return &c
}

// KindOf is the kind of any error: that of the first *Error or Problems in its
// chain, else Application.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if _, ok := errors.AsType[Problems](err); ok {
		return User
	}
	return Application
}

// PointerOf is the place an error names, or "".
func PointerOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Pointer
	}
	if p, ok := errors.AsType[Problems](err); ok && len(p) > 0 {
		return p[0].Pointer
	}
	return ""
}

// The exit codes of the program, as the platform reads them.
const (
	ExitOK          = 0
	ExitUser        = 1
	ExitApplication = 2
	// ExitCut is that of a run whose tables are valid but hold only a part of
	// the data, because a flag limits it. The platform uses no such flag.
	ExitCut = 3
)

// ExitCode is the exit code an error asks for; nil asks for 0.
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

// Wrap says what was being done when an error happened. A user error keeps its kind,
// its cause and its pointer; without a pointer it gets this one. Any other error
// stays what it is, with the same words in front.
func Wrap(doing, pointer string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == User {
		return (&Error{Kind: User, Message: doing + ": " + e.Message, Pointer: e.Pointer, Cause: err}).At(pointer)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
