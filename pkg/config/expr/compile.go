package expr

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Compiler compiles the expressions at one site of the configuration.
type Compiler struct {
	// Place decides which references exist. An object with the key of another reference,
	// such as {"query": "x"} in the parameters of a job, is plain data.
	Place Site
	// Exact makes a call with keys other than "args" and "default" plain data. It is
	// false at sites where the original extractor evaluates such a call and ignores the
	// other keys.
	Exact bool
	// Known contains the contexts with members that are known before the run. A reference
	// to another member of such a context is a problem, unless it has a default.
	Known map[Context]Members
	// Above is the number of jobs above the job with the expression, 0 for a root job.
	Above int
	// InBatch reports whether the items at a level above come in batches, so that an
	// expression cannot refer to a single item. Nil means that there are no batches.
	InBatch func(level int) bool
	// KeepNull keeps entries that are null because of a reference. It is set for columns,
	// which exist even if they have no value.
	KeepNull bool
	Vocabulary
	// Problems collects the problems. It must not be nil.
	Problems *failure.Problems
}

// Vocabulary contains the functions and references of expressions. A nil list means all
// functions or all references of this program.
type Vocabulary struct {
	Functions  Functions
	References References
}

// All returns the vocabulary with nil lists replaced.
func (v Vocabulary) All() Vocabulary {
	if v.Functions == nil {
		v.Functions = AllFunctions()
	}
	if v.References == nil {
		v.References = AllReferences()
	}
	return v
}

// Compile compiles any value. It reports each mistake as a problem, and compiles null
// instead.
//
// Objects in a form of References.Parse are expressions. Other objects and all lists are
// data that may contain expressions.
func (c Compiler) Compile(v value.Value, pointer string) Expr {
	return Expr{c.node(v, pointer)}
}

// Entries compiles an object or a list of values. Null and other empty values have no
// entries. Other scalars are a problem.
func (c Compiler) Entries(v value.Value, pointer string) Entries {
	var e Entries
	add := func(name string, v value.Value) {
		compiler := c
		compiler.Exact = c.Exact || v.Kind() == value.Array // the original extractor evaluates no lists
		e.add(name, compiler.node(v, failure.PointerJoin(pointer, name)), c.KeepNull)
	}
	switch {
	case v.Empty():
	case v.IsScalar():
		c.problem(failure.WrongType, pointer, failure.Text(v.Kind().WithArticle()), "expected an object", "")
	default:
		for name, item := range v.Entries() {
			add(name, item)
		}
		e.isList = v.Kind() == value.Array
	}
	return e
}

// Params compiles parameters like Entries. If v is a call of a known function, the
// function computes all parameters.
func (c Compiler) Params(v value.Value, pointer string) Entries {
	if !c.IsCall(v) {
		return c.Entries(v, pointer)
	}
	return Entries{whole: c.node(v, pointer), pointer: pointer}
}

// IsCall reports whether a value as a whole is a call: a known function, arguments, and
// optionally a default. An object with a parameter named "function" may be data.
func (v Vocabulary) IsCall(given value.Value) bool {
	name, args := given.Field(functionKey), given.Field(argsKey)
	keys := 2
	if _, ok := given.Get(defaultKey); ok {
		keys++
	}
	if given.Kind() != value.Object || given.Len() != keys || name.Kind() != value.String || args.IsNull() {
		return false
	}
	return slices.ContainsFunc(v.All().Functions, func(f Function) bool { return f.Name == name.Raw() })
}

func (c Compiler) references() References { return c.All().References.At(c.Place) }

// Parse parses an object that is an expression at the site.
func (c Compiler) Parse(v value.Value) (f Form, ok bool) {
	f, ok = c.references().Parse(v, c.Exact)
	return f, ok && c.exists(f)
}

// exists reports whether a form refers to a known name, if its reference requires this.
func (c Compiler) exists(f Form) bool {
	_, known := c.Known[f.Reference.Key][f.Name.Raw()]
	return known || !f.Reference.KnownOnly
}

// Any reports whether a value is an expression at the site or contains an expression.
func (c Compiler) Any(v value.Value) bool {
	found := false
	c.references().Walk(v, "", c.Exact, func(f Form, _ string) { found = found || c.exists(f) })
	return found
}

func (c Compiler) node(v value.Value, pointer string) node {
	if v.IsScalar() || v.IsNull() {
		return literal{v}
	}
	form, ok := c.Parse(v)
	if !ok {
		return c.data(v, c.items(v, pointer))
	}
	var n node
	switch {
	case form.Literal:
		return literal{form.Name}
	case form.Call:
		_, wrong := c.NearMiss(c.Place, v)
		n = c.call(form, wrong, pointer)
	default:
		n = c.reference(form, pointer)
	}
	if !form.HasDefault {
		return n
	}
	return fallback{n, c.node(form.Default, failure.PointerJoin(pointer, defaultKey))}
}

// items compiles the items of an array or the members of an object.
func (c Compiler) items(v value.Value, pointer string) list {
	nodes := make(list, 0, v.Len())
	for name, item := range v.Entries() {
		nodes = append(nodes, c.node(item, failure.PointerJoin(pointer, name)))
	}
	return nodes
}

// data returns a node for an array or an object with compiled items. It is a literal if
// all items are literals.
func (c Compiler) data(v value.Value, items list) node {
	if v.Kind() == value.Array {
		if values, ok := items.literals(); ok {
			return literal{value.OfItems(values...)}
		}
		return items
	}
	var n object
	for i, m := range v.Members() {
		n.add(m.Name, items[i], false)
	}
	if _, ok := items.literals(); ok {
		v, _ := n.eval(nil) // literals cannot fail
		return literal{v}
	}
	return n
}

func (c Compiler) reference(form Form, pointer string) node {
	context, name := form.Reference.Key, form.Name
	at := failure.PointerJoin(pointer, string(context))
	if name.Kind() != value.String && name.Kind() != value.Number {
		c.problem(failure.UnknownAttribute, at, failure.Text(name.Kind().WithArticle()), "expected the name of a value as a string; names cannot be computed", "")
		return invalid{}
	}
	n := reference{form.Reference, name.Raw(), pointer}
	if check := form.Reference.Check; check != nil {
		if problem := check(c, n.name); problem != nil {
			c.problem(failure.UnknownAttribute, at, problem.Found, problem.Expected, problem.Hint)
			return invalid{}
		}
		return n
	}
	members, known := c.Known[context]
	if _, ok := members[n.name]; known && !ok {
		if form.HasDefault {
			return literal{} // null, like a member with the value null
		}
		c.unknownMember(n, members)
		return invalid{}
	}
	n.Optional = n.Optional || form.HasDefault
	return n
}

func (c Compiler) unknownMember(n reference, members Members) {
	names := slices.Sorted(maps.Keys(members))
	var hint failure.Text
	if near, ok := failure.Nearest(n.name, names); ok {
		hint = "did you mean " + failure.Part(quote(near)) + "?"
	}
	// Names with the same prefix are adjacent in the sorted list.
	below := n.name + "."
	if at, _ := slices.BinarySearch(names, below); at < len(names) && strings.HasPrefix(names[at], below) {
		hint = "it is an object or a list, refer to a value in it, such as " + failure.Part(quote(names[at]))
	}
	c.problem(failure.UnknownAttribute, failure.PointerJoin(n.pointer, string(n.Key)), failure.Part(quote(n.name)),
		failure.Text(fmt.Sprintf("expected the path of a string, number or boolean that exists in %q", n.Key)), hint)
}

// call compiles a call. wrong is a hint for a call with misspelt keys, or "".
func (c Compiler) call(form Form, wrong failure.Text, pointer string) node {
	name, args := form.Name, form.Args
	nodes, argPointers, ok := c.arguments(args, failure.PointerJoin(pointer, "args"))
	f, known := c.function(name, failure.PointerJoin(pointer, "function"))
	if !ok || !known {
		return invalid{}
	}
	missed, near := c.nearMiss(args, argPointers)
	if len(nodes) < f.Min || f.Max >= 0 && len(nodes) > f.Max {
		hint := "write it as " + failure.Text(f.Signature())
		if wrong != "" {
			hint = wrong
		}
		c.problem(failure.WrongArguments, failure.PointerJoin(pointer, "args"), failure.Text(count(len(nodes), "argument")),
			failure.Text(fmt.Sprintf("expected %s for %s", f.counts(), f.Name)), hint)
		return invalid{}
	}
	if f.check != nil {
		if problem := f.check(nodes); problem != nil {
			c.problem(failure.WrongArguments, argPointers[problem.argument], problem.Found, problem.Expected, problem.Hint)
			return invalid{}
		}
	}
	if values, ok := nodes.literals(); ok && f.Call != nil {
		// Whether a call of literals can fail does not depend on the scope.
		if _, err := f.Call((*Scope)(nil).input(values)); err != nil && near != "" {
			c.problem(failure.WrongArguments, missed, "", failure.Text(f.Name)+": "+failure.Part(err.Error()), near)
			return invalid{}
		} else if err != nil {
			c.problem(failure.WrongArguments, pointer, "", failure.Text(f.Name)+": "+failure.Part(err.Error()), "write it as "+failure.Text(f.Signature()))
			return invalid{}
		}
	}
	return call{f, nodes, pointer, near}
}

// nearMiss returns the pointer of the first argument that looks like a misspelt
// expression, and a hint with the right form.
func (c Compiler) nearMiss(args value.Value, pointers []string) (pointer string, hint failure.Text) {
	i := 0
	for _, arg := range args.Entries() {
		if _, hint := c.NearMiss(c.Place, arg); hint != "" {
			return pointers[i], hint
		}
		i++
	}
	return "", ""
}

// arguments compiles "args": a list, an object (its values in order), or an empty value.
func (c Compiler) arguments(args value.Value, pointer string) (nodes list, pointers []string, ok bool) {
	if args.IsScalar() && !args.Empty() {
		c.problem(failure.WrongArguments, pointer, failure.Text(args.Kind().WithArticle()), "expected a list of arguments", "write one argument as a list too: [ … ]")
		return nil, nil, false
	}
	for i := range args.Items() {
		pointers = append(pointers, failure.PointerJoin(pointer, strconv.Itoa(i)))
	}
	for _, m := range args.Members() {
		pointers = append(pointers, failure.PointerJoin(pointer, m.Name))
	}
	return c.items(args, pointer), pointers, true
}

// function finds a function by its name. If it is unknown, function reports a problem and
// returns false.
func (c Compiler) function(name value.Value, pointer string) (Function, bool) {
	if name.Kind() != value.String {
		c.problem(failure.UnknownFunction, pointer, failure.Text(name.Kind().WithArticle()), "expected the name of a function as a string", "")
		return Function{}, false
	}
	var names []string
	for _, f := range c.All().Functions {
		if f.Name == name.Raw() {
			return f, true
		}
		names = append(names, f.Name)
	}
	hint := failure.Text("known are " + strings.Join(names, ", "))
	if near, ok := failure.Nearest(name.Raw(), names); ok {
		hint = failure.Text(fmt.Sprintf("did you mean %s?", quote(near)))
	}
	c.problem(failure.UnknownFunction, pointer, failure.Part(quote(name.Raw())), "expected the name of a function", hint)
	return Function{}, false
}

func (c Compiler) problem(code failure.Code, pointer string, found, expected, hint failure.Text) {
	c.Problems.Add(failure.Problem{Code: code, Pointer: pointer, Found: found, Expected: expected, Hint: hint})
}
