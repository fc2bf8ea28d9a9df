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

// Compiler compiles the expressions of one place of the configuration.
type Compiler struct {
	// Contexts are the contexts that exist at this place. An object that names
	// any other ({"query": "x"} in the parameters of a job) is plain data.
	Contexts []Context
	// Known has the contexts whose members are final when compiling: a
	// reference to a member that is not among them is a problem at once.
	Known map[Context]Members
	// Functions are those that can be called; nil is all of this program.
	Functions Functions
	// Problems collects what is wrong. It must not be nil.
	Problems *failure.Problems
}

// Compile compiles any value. Whatever is wrong with it becomes a problem, and
// null stands in its place.
//
// An object with the key "function" is a call, its other keys but "args" are
// ignored. An object whose only key is one of the contexts is a reference. Any
// other object, and every array, is data with expressions in it.
func (c Compiler) Compile(v value.Value, pointer string) Expr {
	return Expr{c.node(v, pointer)}
}

// Entries compiles an object or a list of values: those that are objects are
// compiled, all others, lists too, are literals. Null and the other empty
// values (an empty list too) are no entries; any other scalar is a problem.
func (c Compiler) Entries(v value.Value, pointer string) Entries {
	var e Entries
	add := func(name string, v value.Value) {
		var compiled node = literal{v}
		if v.Kind() == value.Object {
			compiled = c.node(v, failure.PointerJoin(pointer, name))
		}
		e.names, e.values = append(e.names, name), append(e.values, compiled)
	}
	switch {
	case v.Empty():
	case v.IsScalar():
		c.problem(failure.WrongType, pointer, failure.Text(kindOf(v)), "expected an object", "")
	default:
		for _, m := range v.Members() {
			add(m.Name, m.Value)
		}
		for i, item := range v.Items() {
			add(strconv.Itoa(i), item)
		}
		e.isList = v.Kind() == value.Array
	}
	return e
}

func (c Compiler) node(v value.Value, pointer string) node {
	switch v.Kind() {
	case value.Object:
		if name, ok := v.Get("function"); ok {
			return c.call(name, v.Field("args"), pointer)
		}
		if v.Len() == 1 {
			m := v.Members()[0]
			if slices.Contains(c.Contexts, Context(m.Name)) {
				return c.reference(Context(m.Name), m.Value, pointer)
			}
		}
	case value.Array:
	default:
		return literal{v}
	}
	return c.data(v, c.items(v, pointer))
}

// items compiles the items of an array or the members of an object.
func (c Compiler) items(v value.Value, pointer string) list {
	nodes := make(list, 0, v.Len())
	for i, item := range v.Items() {
		nodes = append(nodes, c.node(item, failure.PointerJoin(pointer, strconv.Itoa(i))))
	}
	for _, m := range v.Members() {
		nodes = append(nodes, c.node(m.Value, failure.PointerJoin(pointer, m.Name)))
	}
	return nodes
}

// data is an array or object with these compiled items; as a whole a literal
// when all of them are.
func (c Compiler) data(v value.Value, items list) node {
	if _, ok := items.literals(); ok {
		return literal{v}
	}
	if v.Kind() == value.Array {
		return items
	}
	n := object{values: items}
	for _, m := range v.Members() {
		n.names = append(n.names, m.Name)
	}
	return n
}

func (c Compiler) reference(context Context, name value.Value, pointer string) node {
	if name.Kind() != value.String && name.Kind() != value.Number {
		c.problem(failure.UnknownAttribute, failure.PointerJoin(pointer, string(context)), failure.Text(kindOf(name)), "expected the name of a value as a string; names cannot be computed", "")
		return broken{}
	}
	n := reference{context, name.Raw(), pointer}
	if members, ok := c.Known[context]; ok {
		if _, ok := members[n.name]; !ok {
			c.unknownMember(n, members)
			return broken{}
		}
	}
	return n
}

func (c Compiler) unknownMember(n reference, members Members) {
	names := slices.Sorted(maps.Keys(members))
	var hint failure.Text
	if near, ok := failure.Nearest(n.name, names); ok {
		hint = "did you mean " + failure.Part(quote(near)) + "?"
	}
	// The names that start with a prefix are next to each other in this order.
	below := n.name + "."
	if at, _ := slices.BinarySearch(names, below); at < len(names) && strings.HasPrefix(names[at], below) {
		hint = "it is an object or a list, refer to a value in it, such as " + failure.Part(quote(names[at]))
	}
	c.problem(failure.UnknownAttribute, failure.PointerJoin(n.pointer, string(n.context)), failure.Part(quote(n.name)),
		failure.Text(fmt.Sprintf("expected the path of a string, number or boolean that exists in %q", n.context)), hint)
}

func (c Compiler) call(name, args value.Value, pointer string) node {
	nodes, argPointers, ok := c.arguments(args, failure.PointerJoin(pointer, "args"))
	f, known := c.function(name, failure.PointerJoin(pointer, "function"))
	if !ok || !known {
		return broken{}
	}
	if len(nodes) < f.Min || f.Max >= 0 && len(nodes) > f.Max {
		c.problem(failure.WrongArguments, failure.PointerJoin(pointer, "args"), failure.Text(count(len(nodes), "argument")),
			failure.Text(fmt.Sprintf("expected %s for %s", f.counts(), f.Name)), "write it as "+failure.Text(f.Signature()))
		return broken{}
	}
	if f.check != nil {
		if fault := f.check(nodes); fault != nil {
			c.problem(failure.WrongArguments, argPointers[fault.argument], fault.found, fault.expected, fault.hint)
			return broken{}
		}
	}
	if values, ok := nodes.literals(); ok {
		// Whether a call of literals can fail does not depend on the scope.
		if _, err := f.Call(Input{Args: values, now: (*Scope)(nil).now}); err != nil {
			c.problem(failure.WrongArguments, pointer, "", failure.Text(f.Name)+": "+failure.Part(err.Error()), "write it as "+failure.Text(f.Signature()))
			return broken{}
		}
	}
	return call{f, nodes, pointer}
}

// arguments compiles "args": a list, an object for its values in order, or
// nothing.
func (c Compiler) arguments(args value.Value, pointer string) (nodes list, pointers []string, ok bool) {
	if args.IsScalar() && !args.Empty() {
		c.problem(failure.WrongArguments, pointer, failure.Text(kindOf(args)), "expected a list of arguments", "write one argument as a list too: [ … ]")
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

func (c Compiler) functions() Functions {
	if c.Functions == nil {
		return AllFunctions()
	}
	return c.Functions
}

// function finds a function that may be called at this place.
func (c Compiler) function(name value.Value, pointer string) (Function, bool) {
	if name.Kind() != value.String {
		c.problem(failure.UnknownFunction, pointer, failure.Text(kindOf(name)), "expected the name of a function as a string", "")
		return Function{}, false
	}
	var names []string
	for _, f := range c.functions() {
		available := f.Only == "" || slices.Contains(c.Contexts, f.Only)
		if available && f.Name == name.Raw() {
			return f, true
		}
		if available {
			names = append(names, f.Name)
		} else if f.Name == name.Raw() {
			c.problem(failure.UnknownFunction, pointer, failure.Text(quote(f.Name)), "expected a function that is available here", failure.Text(fmt.Sprintf("%s is available only beside {%q: …}", f.Name, f.Only)))
			return Function{}, false
		}
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
