// Package value provides the JSON values of the whole program. Objects keep the order of
// their members, and numbers keep their literals. Value is a tree; Packed is a flat form
// for millions of rows.
//
// The package also implements PHP's rules for values (php.go): the definition of empty
// values, and the conversion to texts and numbers.
package value

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the JSON type of a value.
type Kind uint8

// The JSON types. The zero Value is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the name of the type for messages.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// WithArticle returns the name of the type with its article: "a string", "an object",
// "null".
func (k Kind) WithArticle() string {
	switch k {
	case Null:
		return k.String()
	case Array, Object:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}

// Value is an immutable JSON value. Copying a Value is cheap. Slices that its methods
// return must not be changed.
type Value struct {
	kind   Kind
	secret bool   // mark of AsSecret, for scalars
	text   string // contents of a string, literal of a number, "true" or "false"
	node   *node  // contents of arrays and objects
}

type node struct {
	items   []Value
	members []Member
	index   map[string]int // position of each name, nil for small objects
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// indexFrom is the number of members from which an object gets an index. A linear search
// is faster in smaller objects.
const indexFrom = 16

// OfString returns a string.
func OfString(s string) Value { return Value{kind: String, text: s} }

// OfBool returns a boolean.
func OfBool(b bool) Value { return Value{kind: Bool, text: strconv.FormatBool(b)} }

// OfInt returns an integer number.
func OfInt(i int64) Value { return Value{kind: Number, text: strconv.FormatInt(i, 10)} }

// OfNumber returns a number from its JSON literal, which must be valid.
func OfNumber(literal string) Value { return Value{kind: Number, text: literal} }

// OfItems returns an array.
func OfItems(items ...Value) Value { return Value{kind: Array, node: &node{items: items}} }

// OfStrings returns an array of strings.
func OfStrings(texts []string) Value {
	items := make([]Value, len(texts))
	for i, text := range texts {
		items[i] = OfString(text)
	}
	return OfItems(items...)
}

// OfMembers returns an object. If members have the same name, it keeps the position of
// the first one and the value of the last one.
func OfMembers(members ...Member) Value {
	n := &node{members: make([]Member, 0, len(members))}
	for _, m := range members {
		n.add(m)
	}
	return Value{kind: Object, node: n}
}

func (n *node) add(m Member) {
	if at, ok := n.find(m.Name); ok {
		n.members[at].Value = m.Value
		return
	}
	n.members = append(n.members, m)
	switch {
	case n.index != nil:
		n.index[m.Name] = len(n.members) - 1
	case len(n.members) >= indexFrom:
		n.makeIndex()
	}
}

func (n *node) makeIndex() {
	n.index = make(map[string]int, 2*len(n.members))
	for i := range n.members {
		n.index[n.members[i].Name] = i
	}
}

func (n *node) find(name string) (int, bool) {
	if n.index != nil {
		at, ok := n.index[name]
		return at, ok
	}
	for i := range n.members {
		if n.members[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is null (or the zero Value).
func (v Value) IsNull() bool { return v.kind == Null }

// IsBlank reports whether the value is null or the empty string. Both mean that the
// default applies.
func (v Value) IsBlank() bool { return v.kind == Null || v.kind == String && v.text == "" }

// IsScalar reports whether the value is a boolean, a number or a string.
func (v Value) IsScalar() bool { return v.kind == Bool || v.kind == Number || v.kind == String }

// True reports whether the value is the boolean true.
func (v Value) True() bool { return v.kind == Bool && v.text == "true" }

// Raw returns the contents of a string, or the literal of a number or boolean, otherwise
// "".
func (v Value) Raw() string { return v.text }

// Items returns the items of an array, otherwise nil.
func (v Value) Items() []Value {
	if v.kind != Array {
		return nil
	}
	return v.node.items
}

// Members returns the members of an object in their order, otherwise nil.
func (v Value) Members() []Member {
	if v.kind != Object {
		return nil
	}
	return v.node.members
}

// Entries yields the members of an object, or the items of an array with their indexes as
// names.
func (v Value) Entries() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, m := range v.Members() {
			if !yield(m.Name, m.Value) {
				return
			}
		}
		for i, item := range v.Items() {
			if !yield(strconv.Itoa(i), item) {
				return
			}
		}
	}
}

// Len returns the number of items or members, 0 for scalars and null.
func (v Value) Len() int {
	switch v.kind {
	case Array:
		return len(v.node.items)
	case Object:
		return len(v.node.members)
	default:
		return 0
	}
}

// Get returns the value of the member with the given name. It returns false if there is
// no such member.
func (v Value) Get(name string) (Value, bool) {
	if v.kind != Object {
		return Value{}, false
	}
	at, ok := v.node.find(name)
	if !ok {
		return Value{}, false
	}
	return v.node.members[at].Value, true
}

// Field returns the value of the member with the given name, or null.
func (v Value) Field(name string) Value {
	m, _ := v.Get(name)
	return m
}

// Lookup returns the same value as Find, or null if there is no value.
func (v Value) Lookup(tokens []string) Value {
	v, _ = v.Find(tokens)
	return v
}

// Find follows the tokens of a JSON pointer: names of members and indexes of items.
func (v Value) Find(tokens []string) (Value, bool) {
	at := 0
	for _, token := range tokens {
		if v, at = v.Child(token); at < 0 {
			return Value{}, false
		}
	}
	return v, true
}

// Child returns the member with the given name, or the item with the given index, and its
// position. The position is -1 if there is no such member or item.
func (v Value) Child(token string) (Value, int) {
	switch v.kind {
	case Object:
		if at, ok := v.node.find(token); ok {
			return v.node.members[at].Value, at
		}
	case Array:
		if at, ok := index(token); ok && at < len(v.node.items) {
			return v.node.items[at], at
		}
	}
	return Value{}, -1
}

// With returns an object with one member replaced in place or appended. If v is not an
// object, the result has only the new member.
func (v Value) With(name string, member Value) Value {
	return OfMembers(append(slices.Clip(v.Members()), Member{name, member})...)
}

// Without returns an object without the named members.
func (v Value) Without(names ...string) Value {
	return OfMembers(slices.DeleteFunc(slices.Clone(v.Members()), func(m Member) bool { return slices.Contains(names, m.Name) })...)
}

// AsObject converts an array to an object with the indexes as names, which means the same
// in a query string. It returns other values unchanged.
func (v Value) AsObject() Value {
	if v.kind != Array {
		return v
	}
	members := make([]Member, v.Len())
	for i, item := range v.Items() {
		members[i] = Member{strconv.Itoa(i), item}
	}
	return OfMembers(members...)
}

// Map replaces each member of an object, or item of an array, by the result of f. For
// items, the name is empty. Scalars and null stay unchanged.
func (v Value) Map(f func(Member) Member) Value {
	switch v.kind {
	case Array:
		items := make([]Value, v.Len())
		for i, item := range v.Items() {
			items[i] = f(Member{Value: item}).Value
		}
		return OfItems(items...)
	case Object:
		members := make([]Member, v.Len())
		for i, m := range v.Members() {
			members[i] = f(m)
		}
		return OfMembers(members...)
	default:
		return v
	}
}

// index returns the index of an item if a segment of a path is an index.
func index(segment string) (int, bool) {
	i, err := strconv.Atoi(segment)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == segment
}

// IsInteger reports whether the value is a number, of any size, without a fraction and an
// exponent.
func (v Value) IsInteger() bool {
	return v.kind == Number && !strings.ContainsAny(v.text, ".eE")
}

// Float returns the number as an IEEE 754 double. A number that is too large is infinite.
// Float returns false for other values.
func (v Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// Equal reports whether two values have the same kind, the same text, and equal items or
// members in the same order. Numbers are equal only if their literals are.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.text != w.text || v.Len() != w.Len() {
		return false
	}
	for i, item := range v.Items() {
		if !item.Equal(w.node.items[i]) {
			return false
		}
	}
	for i, m := range v.Members() {
		if o := w.node.members[i]; m.Name != o.Name || !m.Value.Equal(o.Value) {
			return false
		}
	}
	return true
}
