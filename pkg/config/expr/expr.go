// Package expr has the value expressions: literals, references into a context
// ({"attr": "name"}), and function calls ({"function": …, "args": […]}), both with
// an optional "default". They
// are compiled when the configuration is read, so that an unknown function, a
// wrong number of arguments or an unknown attribute is found before anything is
// sent, and evaluated in a Scope.
//
// A compiled expression is immutable and may be evaluated by many goroutines.
// Its value depends only on the Scope. The package promises that no
// error or problem contains the value of an argument or of a reference, because
// that may be a secret: they name functions, contexts, paths and places.
//
// Each function and each reference is a value in a list, in the file of its
// subject: its name, its meaning, where it exists. What is done with a value is up
// to the packages that use it.
package expr

import (
	"crypto/rand"
	"maps"
	"time"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Context is a named set of values that references can point into: the key of
// the reference.
type Context string

// Members is a flattened context: the path of every leaf, its keys joined by
// dots, to its value. Nulls and empty arrays and objects have no leaf. Of a
// context whose values may be objects (Placeholder, ParentItem, Response of a page)
// it holds what the expressions refer to, by the name as they write it.
type Members map[string]value.Value

// AsSecret are the members marked as secrets.
func (ms Members) AsSecret() Members {
	for name, v := range ms {
		ms[name] = v.AsSecret()
	}
	return ms
}

// Scope is what an evaluation can see.
type Scope struct {
	// Now is the clock behind the functions time, date and strtotime; nil is
	// the clock of the system.
	Now func() time.Time
	// Random returns n random bytes; nil is the source of the system.
	Random func(n int) ([]byte, error)
	// Contexts has the members of each context that is available. Those that are
	// marked as secrets (value.Value.AsSecret) are what secrets are made of.
	Contexts map[Context]Members
	// Warn gets what is wrong with the arguments of a call that has a value
	// nevertheless, and the place of the call. The text contains no value. Nil drops it.
	Warn func(pointer, text string)
	// Conceal gets every text that a function made of a secret, unless the text
	// shows the secret as it is, which is masked already, or is too
	// short to be masked wherever it occurs. Nil drops it.
	Conceal func(secret string)
}

// Warning is the scope with another Warn. It shares the contexts.
func (s *Scope) Warning(warn func(pointer, text string)) *Scope {
	warning := *s
	warning.Warn = warn
	return &warning
}

func (s *Scope) now() time.Time {
	if s == nil || s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// With is the scope with one more context, or another one in its place. It shares
// the others.
func (s *Scope) With(c Context, members Members) *Scope {
	with := *s
	with.Contexts = maps.Clone(s.Contexts)
	if with.Contexts == nil {
		with.Contexts = map[Context]Members{}
	}
	with.Contexts[c] = members
	return &with
}

func (s *Scope) random(n int) ([]byte, error) {
	if s == nil || s.Random == nil {
		b := make([]byte, n)
		_, err := rand.Read(b)
		return b, err
	}
	return s.Random(n)
}

func (s *Scope) member(c Context, name string) (value.Value, bool) {
	if s == nil {
		return value.Value{}, false
	}
	v, ok := s.Contexts[c][name]
	return v, ok && !v.IsNull()
}
