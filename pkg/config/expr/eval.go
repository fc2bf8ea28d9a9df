package expr

import (
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Expr is a compiled expression. The zero Expr evaluates to null.
type Expr struct {
	node node
}

// Eval evaluates the expression in a scope. The value is marked as a secret
// (value.Value.Secret) if it was made of a secret. An error is a *failure.Error of kind
// User with the pointer of the call or reference that failed.
func (e Expr) Eval(s *Scope) (value.Value, error) {
	if e.node == nil {
		return value.Value{}, nil
	}
	return e.node.eval(s)
}

// Constant returns the value of an expression without calls and references. It returns
// false for any other expression.
func (e Expr) Constant() (value.Value, bool) {
	if e.node == nil {
		return value.Value{}, true
	}
	l, ok := e.node.(literal)
	return l.value, ok
}

// References returns the names in a context that the expression refers to, without
// duplicates, in the order of the configuration.
func (e Expr) References(c Context) []string { return references(e.node, c, nil) }

// Constant returns the object or list if no entry has a call or reference, otherwise
// false.
func (e Entries) Constant() (value.Value, bool) {
	if e.whole != nil {
		return value.Value{}, false
	}
	if _, ok := e.values.literals(); !ok {
		return value.Value{}, false
	}
	v, _ := e.Eval(nil) // literals cannot fail
	return v, true
}

// RefersBeyond reports whether the expression refers to a context that is not in the
// list.
func (e Expr) RefersBeyond(contexts ...Context) bool {
	found := false
	visit(e.node, func(n node) {
		r, ok := n.(reference)
		found = found || ok && !slices.Contains(contexts, r.Key)
	})
	return found
}

// Entries is an object or a list of expressions, such as the parameters of a job. The
// zero Entries is an empty object.
type Entries struct {
	isList bool
	object
	// whole is a call that computes all entries, or nil.
	whole   node
	pointer string
}

// Eval evaluates every entry and returns an object, or an array if the entries are a
// list. It leaves out members that are null because of a reference, unless
// Compiler.KeepNull was set. It returns errors like Expr.Eval.
func (e Entries) Eval(s *Scope) (value.Value, error) {
	if e.whole != nil {
		return e.evalWhole(s)
	}
	if e.isList {
		return e.values.eval(s)
	}
	return e.object.eval(s)
}

// evalWhole returns the object that the call computes. The error about a result of
// another kind does not contain the value.
func (e Entries) evalWhole(s *Scope) (value.Value, error) {
	v, err := e.whole.eval(s)
	switch {
	case err != nil || v.Kind() == value.Object:
		return v, err
	case v.Kind() == value.Array && v.Len() == 0:
		return value.OfMembers(), nil
	default:
		return value.Value{}, failure.Userf("the result is %s, expected an object", v.Kind().WithArticle()).At(e.pointer)
	}
}

// IsCall reports whether a call computes all entries.
func (e Entries) IsCall() bool { return e.whole != nil }

// Len returns the number of entries.
func (e Entries) Len() int { return len(e.values) }

// References returns the names in a context that the entries refer to, without
// duplicates, in the order of the configuration.
func (e Entries) References(c Context) []string {
	if e.whole != nil {
		return references(e.whole, c, nil)
	}
	return references(e.values, c, nil)
}

// node is a part of a compiled expression: a literal, a reference, a call, or an object
// or array of nodes.
type node interface {
	eval(s *Scope) (value.Value, error)
}

// visit calls f for a node and all nodes inside, in the order of the configuration.
func visit(n node, f func(node)) {
	if n == nil {
		return
	}
	f(n)
	switch n := n.(type) {
	case call:
		visit(n.args, f)
	case fallback:
		visit(n.node, f)
		visit(n.otherwise, f)
	case object:
		visit(n.values, f)
	case list:
		for _, item := range n {
			visit(item, f)
		}
	}
}

// references appends the names in a context that are not in the list yet.
func references(n node, c Context, names []string) []string {
	visit(n, func(n node) {
		if r, ok := n.(reference); ok && r.Key == c && !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	})
	return names
}

// isOptional reports whether null may mean an absent value: the expression contains an
// optional reference, an optional function or a default.
func isOptional(n node) bool {
	found := false
	visit(n, func(n node) {
		switch n := n.(type) {
		case reference:
			found = found || n.Optional
		case call:
			found = found || n.function.Optional
		case fallback:
			found = true
		}
	})
	return found
}

type literal struct{ value value.Value }

func (n literal) eval(*Scope) (value.Value, error) { return n.value, nil }

// invalid replaces an expression with a problem, and evaluates to null. It is not a
// literal, so a function around it is not checked with a value that is not in the
// document.
type invalid struct{}

func (invalid) eval(*Scope) (value.Value, error) { return value.Value{}, nil }

type reference struct {
	Reference
	name    string
	pointer string
}

func (n reference) eval(s *Scope) (value.Value, error) {
	find := n.Value
	if find == nil {
		find = func(s *Scope, name string) (value.Value, bool) { return s.member(n.Key, name) }
	}
	v, ok := find(s, n.name)
	switch {
	case !ok && n.Optional:
		return value.Value{}, nil
	case !ok:
		return value.Value{}, failure.Userf("%s %s not found", n.Key, quote(n.name)).At(n.pointer)
	case n.Secret:
		return v.AsSecret(), nil
	default:
		return v, nil
	}
}

// fallback is an expression with a default.
type fallback struct{ node, otherwise node }

func (n fallback) eval(s *Scope) (value.Value, error) {
	v, err := n.node.eval(s)
	if err != nil || !v.IsBlank() {
		return v, err
	}
	return n.otherwiseOf(v, s)
}

// otherwiseOf returns the default for the empty value v.
func (n fallback) otherwiseOf(v value.Value, s *Scope) (value.Value, error) {
	otherwise, err := n.otherwise.eval(s)
	if v.Secret() { // the default of an empty secret is a secret too
		otherwise = otherwise.AsSecret()
	}
	return otherwise, err
}

type call struct {
	function Function
	args     list
	pointer  string
	// hint shows the right form of an argument that looks like a misspelt expression, or
	// is "".
	hint failure.Text
}

// eval evaluates all arguments before the call. For a function with Choose it evaluates
// only the first argument and the chosen argument.
func (n call) eval(s *Scope) (value.Value, error) {
	if n.function.Choose != nil {
		return n.choose(s)
	}
	args, err := n.args.evalItems(s)
	if err != nil {
		return value.Value{}, err
	}
	return n.evalWith(s, args)
}

// evalWith calls the function with evaluated arguments.
func (n call) evalWith(s *Scope, args []value.Value) (value.Value, error) {
	in := s.input(args)
	if s != nil && s.Warn != nil {
		in.warn = func(text string) { s.Warn(n.pointer, n.function.Name+": "+text) }
	}
	v, err := n.function.Call(in)
	if err == nil {
		err = checkSize(v)
	}
	if err != nil {
		e := failure.Userf("%s: %w", n.function.Name, err).At(n.pointer)
		if n.hint != "" {
			e.Message += "; " + n.hint.String()
		}
		return value.Value{}, e
	}
	if slices.ContainsFunc(args, value.Value.Secret) {
		s.registerSecrets(args, v)
		v = v.AsSecret()
	}
	return v, nil
}

func (n call) choose(s *Scope) (value.Value, error) {
	first, err := n.args[0].eval(s)
	if err != nil {
		return value.Value{}, err
	}
	v, err := n.args[n.function.Choose(first)].eval(s)
	if first.Secret() {
		v = v.AsSecret()
	}
	return v, err
}

func (s *Scope) input(args []value.Value) Input {
	return Input{Args: args, now: s.now, random: s.random}
}

type object struct {
	names []string
	// dropNull contains, for each value, whether it is left out if it is null.
	dropNull []bool
	values   list
}

func (n *object) add(name string, v node, keepNull bool) {
	n.names, n.values = append(n.names, name), append(n.values, v)
	n.dropNull = append(n.dropNull, !keepNull && isOptional(v))
}

func (n object) eval(s *Scope) (value.Value, error) {
	values, err := n.values.evalItems(s)
	if err != nil {
		return value.Value{}, err
	}
	members := make([]value.Member, 0, len(values))
	for i, v := range values {
		if !v.IsNull() || !n.dropNull[i] {
			members = append(members, value.Member{Name: n.names[i], Value: v})
		}
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

// literals returns the values of the items. It returns false if an item is not a literal.
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

// quote quotes a name for an error message. It shortens a text that is too long for a
// name.
func quote(name string) string {
	return strconv.Quote(textfmt.Shorten(name, secret.MostShown))
}
