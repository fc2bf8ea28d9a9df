// Package expr holds value expressions: literals, references into a context
// ({"attr": "name"}), and function calls ({"function": …, "args": […]}). They
// are compiled when the configuration is read, so that an unknown function, a
// wrong number of arguments or an unknown attribute is found before anything is
// sent, and evaluated in a Scope.
//
// A compiled expression is immutable and may be evaluated by many goroutines.
// Its value depends on nothing but the Scope. The package promises that no
// error or problem contains the value of an argument or of a reference, for
// that may be a secret: they name functions, contexts, paths and places.
//
// It does not know which contexts exist where, nor what is done with a value:
// that is said by the packages that use it.
package expr

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Context is a named set of values that references can point into.
type Context string

// The contexts; each place of the configuration allows some of them.
const (
	Attr          Context = "attr"
	Time          Context = "time"
	Request       Context = "request"
	Query         Context = "query"
	Response      Context = "response"
	Authorization Context = "authorization"
	Consumer      Context = "consumer"
	User          Context = "user"
	Placeholder   Context = "placeholder"
)

// Members is a flattened context: the path of every leaf, its keys joined by
// dots, to its value. Nulls and empty arrays and objects have no leaf.
type Members map[string]value.Value

// TimeNames are the members of the context Time, which every run has; for
// Compiler.Known.
func TimeNames() Members { return Members{"previousStart": {}, "currentStart": {}} }

// Scope is what an evaluation can see.
type Scope struct {
	// Now is the clock behind the functions time, date and strtotime; nil is
	// the clock of the system.
	Now func() time.Time
	// Contexts holds the members of each context that is available. Those that are
	// marked as secrets (value.Value.AsSecret) are what secrets are made of.
	Contexts map[Context]Members
	// Warn takes what is odd about the arguments of a call that has a value all
	// the same, and the place of the call. The text holds no value. Nil drops it.
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

func (s *Scope) member(c Context, name string) (value.Value, bool) {
	if s == nil {
		return value.Value{}, false
	}
	v, ok := s.Contexts[c][name]
	return v, ok && !v.IsNull()
}
