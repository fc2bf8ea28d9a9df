package expr

import (
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Expr is a compiled expression. The zero Expr evaluates to null.
type Expr struct {
	node node
}

// Eval is the value of the expression in a scope, marked as a secret
// (value.Value.Secret) when a secret is what it was made of. An error is a
// *failure.Error of kind User with the place of the call or reference that failed.
func (e Expr) Eval(s *Scope) (value.Value, error) {
	if e.node == nil {
		return value.Value{}, nil
	}
	return e.node.eval(s)
}

// Constant is the value of an expression without any call or reference, and
// whether it is one.
func (e Expr) Constant() (value.Value, bool) {
	if e.node == nil {
		return value.Value{}, true
	}
	l, ok := e.node.(literal)
	return l.value, ok
}

// References are the names in a context that the expression refers to, each
// once, in the order of the configuration.
func (e Expr) References(c Context) []string { return references(e.node, c, nil) }

// Entries is an object or a list of expressions, such as the parameters of a
// job. The zero Entries has none.
type Entries struct {
	isList bool
	object
}

// Eval is the object, or the array when the source was a list, with every entry
// evaluated. It is an empty object when there are no entries. An error is one
// of Expr.Eval.
func (e Entries) Eval(s *Scope) (value.Value, error) {
	if e.isList {
		return e.values.eval(s)
	}
	return e.object.eval(s)
}

// Len is the number of entries.
func (e Entries) Len() int { return len(e.values) }

// References are the names in a context that the entries refer to, each once,
// in the order of the configuration.
func (e Entries) References(c Context) []string { return references(e.values, c, nil) }

// node is one step of an expression: a literal, a reference, a call, or an
// object or array that contains such steps.
type node interface {
	eval(s *Scope) (value.Value, error)
}

// references appends the names in a context that are not yet in the list.
func references(n node, c Context, names []string) []string {
	switch n := n.(type) {
	case reference:
		if n.context == c && !slices.Contains(names, n.name) {
			names = append(names, n.name)
		}
	case call:
		return references(n.args, c, names)
	case object:
		return references(n.values, c, names)
	case list:
		for _, item := range n {
			names = references(item, c, names)
		}
	}
	return names
}

type literal struct{ value value.Value }

func (n literal) eval(*Scope) (value.Value, error) { return n.value, nil }

// broken is null in the place of what is a problem. It is no literal, so that
// nothing around it is judged by a value which no one wrote.
type broken struct{}

func (broken) eval(*Scope) (value.Value, error) { return value.Value{}, nil }

type reference struct {
	context Context
	name    string
	pointer string
}

func (n reference) eval(s *Scope) (value.Value, error) {
	v, ok := s.member(n.context, n.name)
	if !ok {
		return value.Value{}, failure.Userf("%s %s not found", n.context, quote(n.name)).At(n.pointer)
	}
	return v, nil
}

type call struct {
	function Function
	args     list
	pointer  string
}

// eval evaluates every argument before the call, also those that the function
// will not look at.
func (n call) eval(s *Scope) (value.Value, error) {
	args, err := n.args.evalItems(s)
	if err != nil {
		return value.Value{}, err
	}
	in := Input{Args: args, now: s.now}
	if s != nil && s.Warn != nil {
		in.warn = func(text string) { s.Warn(n.pointer, n.function.Name+": "+text) }
	}
	v, err := n.function.Call(in)
	if err != nil {
		return value.Value{}, failure.Userf("%s: %w", n.function.Name, err).At(n.pointer)
	}
	if slices.ContainsFunc(args, value.Value.Secret) {
		s.conceal(args, v)
		v = v.AsSecret()
	}
	return v, nil
}

type object struct {
	names  []string
	values list
}

func (n object) eval(s *Scope) (value.Value, error) {
	values, err := n.values.evalItems(s)
	if err != nil {
		return value.Value{}, err
	}
	members := make([]value.Member, len(values))
	for i, v := range values {
		members[i] = value.Member{Name: n.names[i], Value: v}
	}
	return value.OfMembers(members...), nil
}

type list []node

func (n list) eval(s *Scope) (value.Value, error) {
	items, err := n.evalItems(s)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfItems(items...), nil
}

func (n list) evalItems(s *Scope) ([]value.Value, error) {
	items := make([]value.Value, len(n))
	for i, item := range n {
		v, err := item.eval(s)
		if err != nil {
			return nil, err
		}
		items[i] = v
	}
	return items, nil
}

// literals are the values of the items, when none has a call or reference.
func (n list) literals() ([]value.Value, bool) {
	values := make([]value.Value, len(n))
	for i, item := range n {
		l, ok := item.(literal)
		if !ok {
			return nil, false
		}
		values[i] = l.value
	}
	return values, true
}

// quote is a name for an error text: quoted, and shortened when it is so long
// that it hardly is a name.
func quote(name string) string {
	return strconv.Quote(prose.Shorten(name, secret.MostShown))
}
