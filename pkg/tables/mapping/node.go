package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// kind is the one type a property has over the whole run. All scalars are one
// type.
type kind uint8

const (
	kindNone kind = iota // no value yet
	kindNull
	kindScalar
	kindObject
	kindArray
)

// String is the name of the type in error texts and in the remembered
// structure.
func (k kind) String() string {
	return [...]string{"none", "null", "scalar", "object", "array"}[k]
}

// node is what is known of one property, of the elements of one array, or of
// one data type (an array of rows). It only learns: null gives way to anything,
// a scalar or an object can become an array of its kind. Scalars beside objects
// are an error, unless the objects are empty, or the original has forgotten by
// then what was there before, see loose.
type node struct {
	name   string // of the property or data type; elementName of elements
	packed string // the name of a property as it is in packed objects
	parent *node  // nil for data types
	kind   kind
	// flag records whether the name is the name of a list flag.
	flag flagState
	// kinds are those of the scalars so far, and of lists that became text. They are
	// learned for typed tables only, and not beyond Text.
	kinds csvtable.Kinds
	// children of an object in the order of their discovery.
	children []*node
	index    map[string]*node
	element  *node // of an array
	// mixed says of object that scalars are beside it. A property then has a
	// column of its own, where objects are JSON text; elements have a column for
	// the scalars beside those of the objects.
	mixed bool
	// anyKind says of element that the kinds at it and below it need not fit any
	// more: null or a single object was in the place of the array. The original
	// forgets the kind of the elements then, or the kinds below them; so does the
	// remembered structure.
	anyKind bool
	// hasRow says that this run brought a value that is a row, or would be one
	// in an array.
	hasRow bool
	// objects says that this run brought an object.
	objects bool
	// typeIndex is how many children came before the type was known, which is
	// where the type is in the remembered structure.
	typeIndex int
	// header is the column's name; named says that it is decided.
	header    string
	hasHeader bool
	// warned says that the warning about nested arrays was given, warnedBoth the
	// one about scalars beside objects.
	warned, warnedBoth bool

	// Known when the tables are laid out, for the conversion:

	column     int          // number of the cell in its record
	table      *tableLayout // of an array: where its items go
	cachedPath string       // the path, once it was wanted, if it is short
}

const elementName = "[]"

// newDataType makes the node of a data type without rows.
func newDataType(name string) *node {
	n := &node{name: name, kind: kindArray, typeIndex: 1}
	n.element = newElement(n)
	return n
}

func newElement(array *node) *node {
	return &node{name: elementName, parent: array}
}

// child is the property whose name is next among the members of an object, new
// when it is not known yet. Objects mostly repeat their properties in one order, so
// the index is tried first.
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
	c.packed = string(value.PackName(nil, c.name))
	c.name = c.packed[len(c.packed)-len(c.name):]
	n.children = append(n.children, c)
	n.index[c.name] = c
}

// columnKinds are the kinds of the values in the column of a property.
func (n *node) columnKinds() csvtable.Kinds {
	switch {
	case n.kind == kindArray && n.element.hasRow:
		return csvtable.KindsOf(csvtable.Text) // the id of the list
	case n.kind == kindArray:
		return 0
	case n.mixed && n.objects:
		return n.kinds | csvtable.KindsOf(csvtable.Text)
	default:
		return n.kinds
	}
}

// isFlat says of property that it is an object whose own properties are
// columns, so that it has none itself.
func (n *node) isFlat() bool { return n.kind == kindObject && !n.mixed }

// hasData says of element that it has a column for scalars.
func (n *node) hasData() bool { return n.kind == kindScalar || n.mixed }

// setKind sets the type, and remembers its index among the children the first time.
func (n *node) setKind(k kind) {
	if n.kind == kindNone {
		n.typeIndex = len(n.children)
		if k == kindArray {
			n.typeIndex = 1 // after the element
		}
	}
	n.kind = k
}

// maxProperties is how many different properties the rows of a run may have in
// one bucket. Each takes memory until the end of the run; no platform has tables
// of so many columns, but an object whose names are data has many names.
const maxProperties = 100_000

// maxNames is how many bytes their names may have, all together: they are in the
// structure, in the one for the next run and in its text.
const maxNames = 32 << 20

// maxLevels is how many names may be on the way to a list. The id of each row
// on the way is a hash of everything in it, so the work grows with the number
// of levels times the size of a row. The original reads no deeper JSON.
const maxLevels = 512

// schemaLearner is what all nodes of a collector share while they learn.
type schemaLearner struct {
	warn       warnFunc
	typed      bool
	properties int // that were new in this run
	names      int // bytes of their names
	lists      ListNames
	flags      []*node // list flags that were true since the last call of Truncated
}

// count counts a property that is new.
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
	return failure.Userf("the rows of '%s' have %s, the last one below '%s'; every property becomes a column: leave out objects whose names are data, or take them as text, by 'responseFilter' or 'mappings'",
		n.dataType(), limit, n.parent.errorPath())
}

// checkLevels refuses a list that is too deep.
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
	return failure.Userf("the list '%s' in the rows of '%s' is below more than %d others; every list becomes a table: leave out what is nested so deep, or take it as text, by 'responseFilter' or 'mappings'",
		n.errorPath(), n.dataType(), maxLevels-1)
}

// merge learns from one value of the property.
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
		return n.mergeScalar(v, l)
	}
}

// mergeScalar learns from a scalar, or from a list that becomes text.
func (n *node) mergeScalar(v value.Packed, l *schemaLearner) error {
	n.hasRow = true
	if l.typed && !n.kinds.Has(csvtable.Text) {
		n.kinds.Add(kindOf(v))
	}
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
		return n.element.mergeScalar(v, l)
	default:
		n.setKind(kindScalar)
		return nil
	}
}

func (n *node) mergeObject(v value.Packed, l *schemaLearner) error {
	n.hasRow, n.objects = true, true
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
		if c.kind == kindScalar && k != value.Object && k != value.Array && !l.typed { // nothing is new, as mostly
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

// isEmpty reports whether an object has no members. Such a one is beside scalars no
// conflict.
func isEmpty(object value.Packed) bool {
	parts := object.Parts()
	return !parts.More()
}

// allowsAnyKind reports whether kinds at the node need not fit.
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

// mergeItem learns from one item of an array, or one row of a data type. An
// item that is an array itself becomes JSON text, so it is a scalar.
func (n *node) mergeItem(item value.Packed, k value.Kind, l *schemaLearner) error {
	n.hasRow = true
	if k != value.Array {
		return n.merge(item, k, l)
	}
	if !n.warned {
		n.warned = true
		l.warn(n.dataType(), "Converting nested array '"+n.errorPath()+"' to JSON string.")
	}
	return n.mergeScalar(item, l)
}

// promoteToArray turns the node into an array: what it was becomes the element, as
// far as the items of the first array fit.
func (n *node) promoteToArray(array value.Packed) error {
	if err := n.checkLevels(); err != nil {
		return err
	}
	element := newElement(n)
	if n.kind == kindScalar || n.kind == kindObject {
		if err := n.checkUpgrade(array); err != nil {
			return err
		}
		element.kind, element.kinds, element.hasRow = n.kind, n.kinds, n.hasRow
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

// checkUpgrade reports whether the items fit what the node was before it met
// them: nulls and empty objects always do, others must be of its kind. The first
// faulty pair is reported, whether it is two items or the items and the node.
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

// forgetNames drops the names of columns that move to another table. The
// elements of arrays below keep theirs: their tables stay what they are.
func (n *node) forgetNames() {
	n.header, n.hasHeader = "", false
	for _, c := range n.children {
		c.forgetNames()
	}
}

// keepAsText says what to do about values of several kinds. It does not help for whole
// rows.
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

// maxErrorPath is about how many bytes of a path messages show.
const maxErrorPath = 1000

// errorPath is the path of the node as error texts spell it: t.[].list.[].name. Of a
// very long one it is the end.
func (n *node) errorPath() string {
	var names []string
	size := 0
	for ; n != nil && size < maxErrorPath; n = n.parent {
		names = append(names, n.name)
		size += len(n.name) + len(".")
	}
	slices.Reverse(names)
	text := strings.Join(names, ".")
	if cut := len(text) - maxErrorPath; cut > 0 {
		return "…" + strings.ToValidUTF8(text[cut:], "")
	}
	if n != nil {
		return "…." + text
	}
	return text
}

// path is the data type and the names of the properties on the way, joined by
// dots.
func (n *node) path() string { return string(n.appendPath(nil)) }

// maxKept is how many bytes a path may have that is kept with its node. All
// paths together may be far longer than all names.
const maxCachedPath = 200

// appendPath appends the path.
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

// dataType is the name of the data type the node belongs to.
func (n *node) dataType() string {
	for n.parent != nil {
		n = n.parent
	}
	return n.name
}
