// Package expr compiles and evaluates value expressions: literals, references to a
// context ({"attr": "name"}), and function calls ({"function": …, "args": […]}).
// References and calls may have a "default". Expressions are compiled when the
// configuration is read, so that an unknown function, a wrong number of arguments or an
// unknown attribute is found before the first request. They are evaluated in a Scope.
//
// A compiled expression is immutable and safe for concurrent use. Its value depends only
// on the Scope. Errors and problems never contain the value of an argument or of a
// reference, because the value may be a secret. They contain functions, contexts, paths
// and JSON pointers.
//
// Each function and each reference is declared in the file of its subject, with its name,
// its documentation and the sites where it exists.
package expr

import (
	"crypto/rand"
	"maps"
	"time"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Context is a named set of values that references can refer to. It is the key of the
// reference.
type Context string

// Members is a flattened context. It maps the path of every leaf, with its keys joined by
// dots, to the value. Null and empty arrays and objects have no leaf. The contexts
// Placeholder, ParentItem and Response may have objects as values: they contain only the
// values that expressions refer to, by the name in the expression.
type Members map[string]value.Value

// AsSecret marks all members as secrets, in place, and returns them.
func (ms Members) AsSecret() Members {
	for name, v := range ms {
		ms[name] = v.AsSecret()
	}
	return ms
}

// Scope contains the values that an evaluation can use.
type Scope struct {
	// Now is the clock for the functions time, date and strtotime. Nil means the clock of
	// the system.
	Now func() time.Time
	// Random returns n random bytes. Nil means the source of the system.
	Random func(n int) ([]byte, error)
	// Contexts contains the members of each available context. Members that are marked as
	// secrets (value.Value.AsSecret) make the values computed from them secret.
	Contexts map[Context]Members
	// Warn receives a warning about the arguments of a call, and the pointer of the call.
	// The call returns a value nevertheless. The text contains no value. Warn may be nil.
	Warn func(pointer, text string)
	// Conceal registers every text that a function made of a secret, except in three
	// cases: the text contains the secret itself, which is masked already; the text is
	// equal to another argument, which is not secret; or the text is too short, see
	// Conceals. Conceal may be nil.
	Conceal func(secret string)
}

// Warning returns a copy of the scope with another Warn. Both share the contexts.
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

// With returns a copy of the scope that has the members for context c. Both share the
// other contexts.
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
