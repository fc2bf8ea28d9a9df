package response

import (
	"cmp"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// xmlTree is the tree of the requested elements and attributes, by their names.
type xmlTree struct {
	root xmlNode
	// detect is set if the items must be found. They are the elements below the root.
	detect bool
	fields []xmlField // fields of the query, in the same order
	errors xmlField
	// errorItems collects the items of a document that contains only errors.
	errorItems *xmlNode
	// chosen is the data if its path leads into a list of elements, otherwise nil.
	chosen *itemField
}

// xmlNode is an element or attribute that is requested or contains requested ones.
type xmlNode struct {
	children map[string]*xmlNode // child nodes by name
	// items is set if these elements are the items. around is set if the items are below
	// these elements.
	items, around bool
	// keyed is set if the children of these elements are the items, and their names are
	// data.
	keyed bool
	// fields are the fields with paths that end at these elements or lead into their
	// values.
	fields []*itemField
}

// xmlField has the two possible values of a field: the value at its path, and the value
// of the element with the whole path as its name.
type xmlField struct {
	atPath, atName fieldValue
}

func newXMLTree(q Query, mostData int) *xmlTree {
	p := &xmlTree{detect: q.Data.Text == "", fields: make([]xmlField, len(q.Fields))}
	if !p.detect {
		p.data(elementsOf(q.Data), q.KeyAs != "", mostData)
	}
	p.errorItems = &xmlNode{fields: []*itemField{{field: &p.errors.atName, most: maxField}}}
	type wish struct {
		field    *fieldValue
		segments []string
	}
	wishes := []wish{{&p.errors.atPath, []string{errorsMember}}}
	for i, path := range q.Fields {
		wishes = append(wishes, wish{&p.fields[i].atPath, path.Segments()}, wish{&p.fields[i].atName, []string{path.Text}})
	}
	// Short paths first: a longer path ends at an element that a shorter path already
	// requests as a whole.
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(len(a.segments), len(b.segments)) })
	for _, w := range wishes {
		p.field(w.field, w.segments)
	}
	return p
}

// elementsOf returns the path of the data without EveryItem: for elements, a path leads
// to all elements with the same name anyway.
func elementsOf(data Path) []string {
	return slices.DeleteFunc(data.Segments(), func(segment string) bool { return segment == EveryItem })
}

// data adds the path of the items, or of the elements around them if keyed is set. most
// is the maximum size, in bytes, of data that is read as a single value.
func (p *xmlTree) data(segments []string, keyed bool, most int) {
	at := &p.root
	for i, segment := range segments {
		if value.MeansItem(segment) {
			p.chosen = &itemField{field: &fieldValue{}, path: segments[i:], alone: true, most: most}
			at.fields = append(at.fields, p.chosen)
			return
		}
		at.around = true
		at = at.child(segment)
	}
	at.items, at.keyed, at.around = !keyed, keyed, keyed
}

// field adds the path of a field. It adds nodes for the segments down to the first element
// that is read as a whole: an item, a child of keyed elements, an element that another field
// needs, or a list from which the next segment chooses. The field follows the rest of the
// path in the value of this element.
func (p *xmlTree) field(field *fieldValue, segments []string) {
	at := &p.root
	for len(segments) > 0 && !value.MeansItem(segments[0]) && !at.items && len(at.fields) == 0 && !(p.detect && at != &p.root) {
		keyed := at.keyed
		at = at.child(segments[0])
		segments = segments[1:]
		if keyed {
			break
		}
	}
	at.fields = append(at.fields, &itemField{field: field, path: segments, alone: true, most: maxField})
}

func (p *xmlNode) child(name string) *xmlNode {
	child := p.children[name]
	if child == nil {
		child = &xmlNode{}
		if p.children == nil {
			p.children = map[string]*xmlNode{}
		}
		p.children[name] = child
	}
	return child
}

// find returns the child with the given name, or nil. p may be nil.
func (p *xmlNode) find(name string) *xmlNode {
	if p == nil {
		return nil
	}
	return p.children[name]
}

// observe passes a value to the fields of the node. p may be nil.
func (p *xmlNode) observe(v value.Packed) {
	if p == nil {
		return
	}
	for _, f := range p.fields {
		f.observe(v)
	}
}

// end sets the values of all fields of the node and below.
func (p *xmlNode) end() {
	for _, f := range p.fields {
		f.end()
	}
	for _, child := range p.children {
		child.end()
	}
}

// value returns the value at the path, or the value at the name if the path leads
// nowhere.
func (f xmlField) value() fieldValue {
	if f.atPath.value.IsNull() && !f.atPath.tooLarge {
		return f.atName
	}
	return f.atPath
}
