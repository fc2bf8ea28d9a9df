package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The structure of the tables is remembered from run to run, so that columns keep their
// names and positions even if their properties no longer occur. It has the form of the
// original extractor: {"data": {"_<data type>": node …}, "parent_aliases": []}. A node
// is an object with the members below. The names of data types, and of the properties
// of an object, have the prefix propertyMark.
const (
	dataKey      = "data"
	aliasesKey   = "parent_aliases"
	typeKey      = "nodeType"
	headerKey    = "headerNames"
	roleKey      = "type" // always roleParent: a column that is not data
	roleParent   = "parent"
	propertyMark = "_"
)

// parseKind returns the type for its spelling in a remembered structure.
func parseKind(text string) (kind, bool) {
	switch text {
	case "null":
		return kindNull, true
	case "scalar", "string", "integer", "double", "boolean":
		return kindScalar, true
	case "object":
		return kindObject, true
	case "array":
		return kindArray, true
	default:
		return kindNone, false
	}
}

// pointerPath is the path of a node in a remembered structure. It becomes a JSON
// pointer only for an error, because the pointers of deep nodes are long.
type pointerPath struct {
	above *pointerPath // nil for the structure itself
	token string
}

func (s *pointerPath) child(token string) *pointerPath { return &pointerPath{s, token} }

// String returns the JSON pointer.
func (s *pointerPath) String() string {
	var tokens []string
	for ; s.above != nil; s = s.above {
		tokens = append(tokens, failure.PointerJoin("", s.token))
	}
	slices.Reverse(tokens)
	return strings.Join(tokens, "")
}

// loadStructure reads a remembered structure and returns the node of every data type.
// It reads an empty array as an empty object, because the platform turns one into the
// other.
func loadStructure(structure value.Value) (map[string]*node, error) {
	types := map[string]*node{}
	if structure.Empty() {
		return types, nil
	}
	root := &pointerPath{}
	if structure.Kind() != value.Object {
		return nil, structureError(root, "expected an object, found %s", structure.Kind())
	}
	inData := root.child(dataKey)
	data := structure.Field(dataKey)
	if data.Kind() != value.Object && (data.Len() > 0 || data.IsScalar()) {
		return nil, structureError(inData, "expected an object, found %s", data.Kind())
	}
	for _, m := range data.Members() {
		at := inData.child(m.Name)
		name, ok := strings.CutPrefix(m.Name, propertyMark)
		if !ok {
			return nil, structureError(at, "undefined property %q", m.Name)
		}
		n := &node{name: name}
		if err := n.load(m.Value, at); err != nil {
			return nil, err
		}
		if n.kind != kindArray {
			return nil, structureError(at, "a data type must be an array, not %q", n.kind.String())
		}
		n.element.anyKind = false // a data type always is an array of rows
		types[name] = n
	}
	return types, nil
}

// load fills the node from its remembered form.
func (n *node) load(v value.Value, at *pointerPath) error {
	if v.Kind() != value.Object {
		return structureError(at, "expected an object, found %s", v.Kind())
	}
	text, ok := v.Get(typeKey)
	if !ok {
		return structureError(at, "the node has no %s", typeKey)
	}
	if n.kind, ok = parseKind(text.Raw()); !ok {
		return structureError(at, "undefined node type %s", text.JSON())
	}
	if _, ok := v.Get(elementName); ok != (n.kind == kindArray) {
		return structureError(at, "a node of type %q: only arrays have a member %q, and always", n.kind.String(), elementName)
	}
	if n.isElement() && n.kind == kindScalar {
		isProperty := func(m value.Member) bool { return strings.HasPrefix(m.Name, propertyMark) }
		if slices.ContainsFunc(v.Members(), isProperty) {
			n.kind, n.mixed = kindObject, true
		}
	}
	for _, m := range v.Members() {
		if err := n.loadMember(m, at.child(m.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) loadMember(m value.Member, at *pointerPath) error {
	switch m.Name {
	case typeKey:
		return nil
	case roleKey:
		if m.Value.Raw() != roleParent {
			return structureError(at, "undefined data type %s", m.Value.JSON())
		}
		return nil
	case headerKey:
		if m.Value.Kind() != value.String {
			return structureError(at, "expected a string, found %s", m.Value.Kind())
		}
		n.header, n.hasHeader = m.Value.Raw(), true
		return nil
	case elementName:
		n.element = newElement(n)
		if err := n.element.load(m.Value, at); err != nil {
			return err
		}
		if n.element.kind == kindArray {
			return structureError(at, "the elements of an array cannot be arrays")
		}
		n.element.anyKind = true // earlier runs may have had a value instead of the array
		return nil
	}
	name, ok := strings.CutPrefix(m.Name, propertyMark)
	if !ok {
		return structureError(at, "undefined property %q", m.Name)
	}
	c := &node{name: name}
	if err := c.load(m.Value, at); err != nil {
		return err
	}
	// Children of other nodes than objects are from the time before the node became an
	// array. They stay in the remembered structure only.
	if n.kind == kindObject && m.Value.Field(roleKey).IsNull() {
		n.addChild(c)
	}
	return nil
}

func structureError(at *pointerPath, format string, args ...any) error {
	return failure.Userf("in/state.json holds a broken structure: json_parser.struct%s: %s", at, fmt.Sprintf(format, args...))
}

// structure returns the node in the form that the next run loads.
func (n *node) structure() value.Value {
	members := make([]value.Member, 0, len(n.children)+3)
	if n.element != nil {
		members = append(members, value.Member{Name: elementName, Value: n.element.structure()})
	}
	known := n.kind
	if n.mixed {
		known = kindScalar
	}
	if !n.mixed || n.isElement() {
		for _, c := range n.children {
			members = append(members, value.Member{Name: propertyMark + c.name, Value: c.structure()})
		}
	}
	members = slices.Insert(members, min(n.typeIndex, len(members)),
		value.Member{Name: typeKey, Value: value.OfString(known.String())})
	switch {
	case n.isElement():
		members = append(members, value.Member{Name: headerKey, Value: value.OfString(dataColumn)})
	case n.hasHeader:
		members = append(members, value.Member{Name: headerKey, Value: value.OfString(n.header)})
	}
	return value.OfMembers(members...)
}

func (n *node) isElement() bool { return n.parent != nil && n.parent.element == n }

// overlay puts the new form of a remembered node, or of the whole structure, over the
// old one. Members that only the old one has stay. Members keep their old order.
func overlay(old, latest value.Value) value.Value {
	if old.Kind() != value.Object || latest.Kind() != value.Object {
		return latest
	}
	return joinMembers(old, latest, overlay)
}

// joinMembers returns the members of objects a and b. It calls join for members that
// both have.
func joinMembers(a, b value.Value, join func(a, b value.Value) value.Value) value.Value {
	members := slices.Clone(a.Members())
	for _, m := range b.Members() {
		if before, ok := a.Get(m.Name); ok {
			m.Value = join(before, m.Value)
		}
		members = append(members, m)
	}
	return value.OfMembers(members...)
}

// MergeStructures merges the structures of several mappers, which began with the same
// remembered structure, to the structure for the next run. Without structures it returns
// null.
//
// The result has every data type and every property of any structure. The first structure
// that has it decides its position. If the structures have different types for a property,
// its type becomes null, which allows all values: in the next run, the type that one mapper
// found is no error in the rows of another mapper.
func MergeStructures(structures ...value.Value) value.Value {
	var merged value.Value
	for _, s := range structures {
		merged = mergeStructure(merged, s)
	}
	return merged
}

func mergeStructure(a, b value.Value) value.Value {
	if a.Kind() != value.Object || b.Kind() != value.Object {
		if b.Kind() == value.Object || a.IsNull() {
			return b
		}
		return a
	}
	merged := joinMembers(a, b, mergeStructure)
	nodeType, isNode := b.Get(typeKey)
	if known, both := a.Get(typeKey); isNode && both {
		merged = merged.With(typeKey, joinTypes(known, nodeType))
	}
	if merged.Field(typeKey).Raw() != kindArray.String() {
		merged = merged.Without(elementName)
	}
	return merged
}

func joinTypes(a, b value.Value) value.Value {
	null := value.OfString(kindNull.String())
	switch {
	case a.Equal(b) || b.Equal(null):
		return a
	case a.Equal(null):
		return b
	default:
		return null
	}
}
