package expr

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The keys of forms other than references.
const (
	functionKey = "function"
	argsKey     = "args"
	literalKey  = "literal"
	defaultKey  = "default"
)

// Form is a parsed expression: a call, a reference, or a literal.
type Form struct {
	// Call is true for {"function": Name, "args": Args}.
	Call bool
	// Literal is true for {"literal": Name}.
	Literal bool
	// Reference is the reference of {"key": Name}. It is zero for calls and literals.
	Reference Reference
	Name      value.Value
	Args      value.Value
	// Default is the value of the key "default". It is set if HasDefault is true.
	Default    value.Value
	HasDefault bool
}

// Is reports whether the form is a reference with one of these keys.
func (f Form) Is(keys ...Context) bool {
	return !f.Call && !f.Literal && slices.Contains(keys, f.Reference.Key)
}

// Parse parses an object that is an expression at a site with these references. exact is
// Compiler.Exact.
func (all References) Parse(v value.Value, exact bool) (f Form, ok bool) {
	if v.Kind() != value.Object {
		return Form{}, false
	}
	f.Default, f.HasDefault = v.Get(defaultKey)
	keys := v.Len()
	if f.HasDefault {
		keys--
	}
	if f.Name, f.Call = v.Get(functionKey); f.Call {
		var args bool
		if f.Args, args = v.Get(argsKey); args {
			keys--
		}
		return f, keys == 1 || !exact
	}
	if keys != 1 {
		return Form{}, false
	}
	first := v.Members()[0]
	if first.Name == defaultKey && f.HasDefault && v.Len() > 1 {
		first = v.Members()[1]
	}
	f.Name = first.Value
	if first.Name == literalKey && !f.HasDefault {
		f.Literal = true
		return f, true
	}
	f.Reference, ok = all.find(first.Name)
	return f, ok
}

// Walk calls visit for each expression in a value, with the JSON pointer of the expression.
// After an expression it visits the expressions inside it: in its arguments, in its default,
// and in the argument of a reference. The latter contains expressions only if the reference
// does not exist at the site of the value, because the object is data then. exact is
// Compiler.Exact.
func (all References) Walk(v value.Value, pointer string, exact bool, visit func(f Form, pointer string)) {
	f, ok := all.Parse(v, exact)
	if !ok {
		for name, item := range v.Entries() {
			all.Walk(item, failure.PointerJoin(pointer, name), exact, visit)
		}
		return
	}
	visit(f, pointer)
	switch {
	case f.Call:
		all.Walk(f.Args, failure.PointerJoin(pointer, argsKey), exact, visit)
	case !f.Literal:
		all.Walk(f.Name, failure.PointerJoin(pointer, string(f.Reference.Key)), exact, visit)
	}
	all.Walk(f.Default, failure.PointerJoin(pointer, defaultKey), exact, visit)
}

// Any reports whether a value is an expression or contains an expression.
func (all References) Any(v value.Value, exact bool) bool {
	found := false
	all.Walk(v, "", exact, func(Form, string) { found = true })
	return found
}

// Names returns the names in context c that the expressions in a value refer to, without
// duplicates.
func (all References) Names(v value.Value, exact bool, c Context) []string {
	var names []string
	all.Walk(v, "", exact, func(f Form, _ string) {
		if f.Is(c) && !slices.Contains(names, f.Name.Raw()) {
			names = append(names, f.Name.Raw())
		}
	})
	return names
}
