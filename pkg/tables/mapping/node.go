package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// kind is the type that a property has in the whole run. All scalars have one type.
type kind uint8

const (
	kindNone kind = iota // no value yet
	kindNull
	kindScalar
	kindObject
	kindArray
)

// String returns the type as error messages and the remembered structure spell it.
func (k kind) String() string {
	return [...]string{"none", "null", "scalar", "object", "array"}[k]
}

// node describes a property, the elements of an array, or a data type (an array of
// rows). It changes in one direction only: null becomes any type, and a scalar or an
// object can become an array of its kind. Scalars beside objects are an error, unless
// the objects are empty or anyKind is set.
type node struct {
	name   string // name of the property or data type; elementName for elements
	packed string // name of a property as packed objects contain it
	parent *node  // nil for data types
	kind   kind
	// flag records whether the name is the name of a list flag.
	flag flagState
	// children are the properties of an object, in the order of their discovery.
	children []*node
	index    map[string]*node
	element  *node // node of an array's elements
	// mixed is true for an object with scalars in other rows. A property then has one
	// column, with its objects as JSON text. An element has the columns of the objects and
	// one column for the scalars.
	mixed bool
	// anyKind allows scalars beside objects in an element and in all nodes below it. It is
	// set if null or a single object occurs instead of the array: the original extractor then
	// forgets the kinds of the elements. The remembered structure does not have kinds either.
	anyKind bool
	// hasRow is true if this run had a row: an item of the array, or a single value
	// instead of an array. For a property it is true if this run had a scalar or an
	// object, because either is a row if the property becomes an array.
	hasRow bool
	// typeIndex is the index of the type among the members of the remembered node. It
	// is the number of children that were known before the type.
	typeIndex int
	// header is the column name. It is valid if hasHeader is true.
	header    string
	hasHeader bool
	// warned is true after the warning about nested arrays, warnedBoth after the
	// warning about scalars beside objects.
	warned, warnedBoth bool

	// These fields serve the conversion, after the tables are laid out.

	column     int          // index of the cell in its record
	table      *tableLayout // table of an array's items
	cachedPath string       // result of path, if it was computed and is short
}

const elementName = "[]"

// newDataType returns the node of a data type without rows.
func newDataType(name string) *node {
	n := &node{name: name, kind: kindArray, typeIndex: 1}
	n.element = newElement(n)
	return n
}

func newElement(array *node) *node {
	return &node{name: elementName, parent: array}
}

// child returns the property with the name of the next member. It adds the property if
// it is unknown. Objects mostly have their properties in the same order, so child tries
// the property at index first.
func (n *node) child(index int, members *value.Parts) *node {
	if index < len(n.children) && value.NextIs(members, n.children[index].packed) {
		return n.children[index]
	}
	name := members.Name()
	if c, ok := n.index[string(name)]; ok {
		return c
	}
	c := &node{name: string(name)}
	n.addChild(c)
	return c
}

func (n *node) addChild(c *node) {
	if n.index == nil {
		n.index = make(map[string]*node)
	}
	c.parent = n
	c.packed = string(value.AppendName(nil, c.name))
	c.name = c.packed[len(c.packed)-len(c.name):]
	n.children = append(n.children, c)
	n.index[c.name] = c
}

// isFlat reports whether a property is an object with its own properties as columns.
// Such an object has no column itself.
func (n *node) isFlat() bool { return n.kind == kindObject && !n.mixed }

// hasData reports whether an element has a column for scalars.
func (n *node) hasData() bool { return n.kind == kindScalar || n.mixed }

// setKind sets the type. The first call also sets typeIndex.
func (n *node) setKind(k kind) {
	if n.kind == kindNone {
		n.typeIndex = len(n.children)
		if k == kindArray {
			n.typeIndex = 1 // after the element
		}
	}
	n.kind = k
}

// maxProperties is the maximum number of different properties that the rows of a run
// may have in one bucket. Each property takes memory until the end of the run. No
// platform has tables with so many columns, but an object with data as names has many
// properties.
const maxProperties = 100_000

// maxNames is the maximum size, in bytes, of the names of all properties together. The
// names are in the structure, in the structure for the next run and in its JSON text.
const maxNames = 32 << 20

// maxLevels is the maximum number of nested properties on the path to a list. The id of
// each row on the path is a hash of everything in the row, so the work grows with the
// number of levels times the size of a row. The original extractor reads no deeper
// JSON.
const maxLevels = 512

// schemaLearner is the state that all nodes of a mapper share while they learn.
type schemaLearner struct {
	warn       warnFunc
	properties int // properties that are new in this run
	names      int // size of their names in bytes
	lists      ListNames
	flags      []*node // list flags that were true since the last call of Truncated
}

// countProperty counts a new property. It returns a user error above maxProperties or
// maxNames.
func (l *schemaLearner) countProperty(n *node) error {
	l.properties++
	l.names += len(n.name)
	limit := ""
	switch {
	case l.properties > maxProperties:
		limit = fmt.Sprintf("more than %d different properties", maxProperties)
	case l.names > maxNames:
		limit = fmt.Sprintf("more than %d MiB of names of different properties", maxNames>>20)
	default:
		return nil
	}
	return failure.Userf("the rows of '%s' have %s, the last one below '%s'; every property becomes a column: use 'responseFilter' or 'mappings' to store objects whose keys are data as text, or to leave them out",
		n.dataType(), limit, n.parent.errorPath())
}

// checkLevels returns a user error if a list is too deep, see maxLevels.
func (n *node) checkLevels() error {
	levels := 0
	for at := n; at.parent != nil; at = at.parent {
		if !at.isElement() {
			levels++
		}
	}
	if levels <= maxLevels {
		return nil
	}
	return failure.Userf("the list '%s' in the rows of '%s' is nested in more than %d other lists; every list becomes a table: use 'responseFilter' or 'mappings' to store deeply nested lists as text, or to leave them out",
		n.errorPath(), n.dataType(), maxLevels-1)
}

// merge updates the node from a value of the property.
func (n *node) merge(v value.Packed, k value.Kind, l *schemaLearner) error {
	switch k {
	case value.Null:
		switch n.kind {
		case kindNone:
			n.setKind(kindNull)
		case kindArray:
			n.element.anyKind = true
		}
		return nil
	case value.Object:
		return n.mergeObject(v, l)
	case value.Array:
		return n.mergeArray(v, l)
	default:
		return n.mergeScalar()
	}
}

// mergeScalar updates the node from a scalar, or from a list that becomes text.
func (n *node) mergeScalar() error {
	n.hasRow = true
	switch n.kind {
	case kindScalar:
		return nil
	case kindObject:
		if !n.mixed && len(n.children) > 0 && !n.allowsAnyKind() {
			return n.kindChangeError(kindScalar)
		}
		n.mixed = true
		return nil
	case kindArray:
		if e := n.element; e.kind == kindObject && !e.mixed && len(e.children) > 0 && !e.allowsAnyKind() {
			return n.mixedItemsError(kindObject, kindScalar)
		}
		return n.element.mergeScalar()
	default:
		n.setKind(kindScalar)
		return nil
	}
}

func (n *node) mergeObject(v value.Packed, l *schemaLearner) error {
	n.hasRow = true
	switch n.kind {
	case kindScalar:
		if !isEmpty(v) && !n.allowsAnyKind() {
			return n.kindChangeError(kindObject)
		}
		n.mixed = true
	case kindArray:
		if n.element.kind == kindScalar && !isEmpty(v) && !n.element.allowsAnyKind() {
			return n.mixedItemsError(kindScalar, kindObject)
		}
		n.element.anyKind = true
		return n.element.mergeObject(v, l)
	}
	for i, members := 0, v.Parts(); members.More(); i++ {
		c := n.child(i, &members)
		if c.kind == kindNone {
			if err := l.countProperty(c); err != nil {
				return err
			}
		}
		k := members.Kind()
		if c.flag != notFlag {
			ahead := members
			l.collectFlag(c, ahead.Value())
		}
		if c.kind == kindScalar && k != value.Object && k != value.Array { // mostly: nothing is new
			c.hasRow = c.hasRow || k != value.Null
			members.Skip()
			continue
		}
		if err := c.merge(members.Value(), k, l); err != nil {
			return err
		}
	}
	if n.kind != kindObject {
		n.setKind(kindObject)
	}
	return nil
}

// isEmpty reports whether an object has no members. An empty object does not conflict
// with scalars.
func isEmpty(object value.Packed) bool {
	parts := object.Parts()
	return !parts.More()
}

// allowsAnyKind reports whether anyKind is set for the node or a node above it.
func (n *node) allowsAnyKind() bool {
	for ; n != nil; n = n.parent {
		if n.anyKind {
			return true
		}
	}
	return false
}

func (n *node) mergeArray(array value.Packed, l *schemaLearner) error {
	wasNull := n.kind == kindNull
	if n.kind != kindArray {
		if err := n.promoteToArray(array); err != nil {
			return err
		}
	}
	for items := array.Parts(); items.More(); {
		item, k, _ := items.Cell()
		if err := n.element.mergeItem(item, k, l); err != nil {
			return err
		}
	}
	if n.element.kind == kindNone {
		n.element.setKind(kindNull)
	}
	n.element.anyKind = n.element.anyKind || wasNull
	return nil
}

// mergeItem updates the node from an item of an array, or from a row of a data type. An
// item that is an array itself becomes JSON text, so it counts as a scalar.
func (n *node) mergeItem(item value.Packed, k value.Kind, l *schemaLearner) error {
	n.hasRow = true
	if k != value.Array {
		return n.merge(item, k, l)
	}
	if !n.warned {
		n.warned = true
		l.warn(n.dataType(), "Converting nested array '"+n.errorPath()+"' to JSON string.")
	}
	return n.mergeScalar()
}

// promoteToArray turns the node into an array. Its previous type becomes the type of
// the element. The items of the first array must fit that type.
func (n *node) promoteToArray(array value.Packed) error {
	if err := n.checkLevels(); err != nil {
		return err
	}
	element := newElement(n)
	if n.kind == kindScalar || n.kind == kindObject {
		if err := n.checkUpgrade(array); err != nil {
			return err
		}
		element.kind, element.hasRow = n.kind, n.hasRow
		element.mixed, n.mixed = n.mixed, false
		element.anyKind = n.kind == kindObject
	}
	for _, c := range n.children {
		element.addChild(c)
		c.forgetNames()
	}
	element.typeIndex = len(element.children)
	n.children, n.index, n.element = nil, nil, element
	n.setKind(kindArray)
	return nil
}

// checkUpgrade returns an error if the items of an array do not fit the previous type
// of the node. Nulls and empty objects always fit. Other items must be of the node's
// kind. The error is about the first pair that conflicts: two items, or the items and
// the node.
func (n *node) checkUpgrade(array value.Packed) error {
	if n.mixed || n.kind == kindObject && len(n.children) == 0 || n.allowsAnyKind() {
		return nil
	}
	first := kindNull
	for items := array.Parts(); items.More(); {
		item := items.Value()
		if item.Kind() == value.Null || item.Kind() == value.Object && isEmpty(item) {
			continue
		}
		k := kindScalar
		if item.Kind() == value.Object {
			k = kindObject
		}
		if first == kindNull {
			first = k
		}
		if k != first {
			element := newElement(n)
			element.kind = first
			return element.kindChangeError(k)
		}
	}
	if first != kindNull && first != n.kind {
		return n.mixedItemsError(first, n.kind)
	}
	return nil
}

// forgetNames drops the names of columns that move to another table. The elements of
// arrays below keep their names, because their tables do not change.
func (n *node) forgetNames() {
	n.header, n.hasHeader = "", false
	for _, c := range n.children {
		c.forgetNames()
	}
}

// keepAsTextHint returns a hint for a property with values of different kinds. It is
// empty for whole rows, because `responseFilter` cannot store them as text.
func (n *node) keepAsTextHint() failure.Text {
	if n.parent == nil || n.parent.parent == nil {
		return ""
	}
	return `; "responseFilter" of the job stores such a value as JSON text`
}

func (n *node) kindChangeError(to kind) error {
	return failure.Userf(`Error parsing response JSON: Unhandled nodeType change from "%s" to "%s" in "%s"%s`, n.kind, to, n.errorPath(), n.keepAsTextHint())
}

func (n *node) mixedItemsError(element, other kind) error {
	return failure.Userf("Error parsing response JSON: Data array in '%s' contains incompatible types '%s' and '%s'%s", n.errorPath(), element, other, n.keepAsTextHint())
}

// maxErrorPath is the maximum size, in bytes, of the names in a path in a message.
const maxErrorPath = 1000

// errorPath returns the path of the node as error messages spell it: t.[].list.[].name.
// It returns only the end of a very long path, in whole names: a part of a name could be a
// part of a secret, which is not masked.
func (n *node) errorPath() string {
	var names []string
	size := 0
	for ; n != nil && size+len(n.name) <= maxErrorPath; n = n.parent {
		names = append(names, n.name)
		size += len(n.name)
	}
	if n != nil {
		names = append(names, "…")
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// path returns the data type and the names of the properties down to the node, joined
// by dots.
func (n *node) path() string { return string(n.appendPath(nil)) }

// maxCachedPath is the maximum size, in bytes, of a path that is kept with its node.
// All paths together may be far longer than all names.
const maxCachedPath = 200

func (n *node) appendPath(dst []byte) []byte {
	if n.cachedPath != "" {
		return append(dst, n.cachedPath...)
	}
	start := len(dst)
	switch {
	case n.parent == nil:
		dst = append(dst, n.name...)
	case n.isElement():
		dst = n.parent.appendPath(dst)
	default:
		dst = append(append(n.parent.appendPath(dst), '.'), n.name...)
	}
	if len(dst)-start <= maxCachedPath {
		n.cachedPath = string(dst[start:])
	}
	return dst
}

// dataType returns the name of the data type that the node belongs to.
func (n *node) dataType() string {
	for n.parent != nil {
		n = n.parent
	}
	return n.name
}
