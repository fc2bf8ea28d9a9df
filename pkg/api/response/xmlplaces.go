package response

import (
	"cmp"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// xmlPlaces are all that is wanted of a document, by the names of the elements that
// lead to it.
type xmlPlaces struct {
	root xmlPlace
	// detect says that the items must be found: they are the elements below the root.
	detect bool
	fields []xmlField // of the query, in its order
	errors xmlField
	// errorItems takes the items of a document that is only errors.
	errorItems *xmlPlace
	// chosen is the data where its path leads into a list of elements; else nil.
	chosen *itemField
}

// xmlPlace is an element, or an attribute, on the way to what is wanted.
type xmlPlace struct {
	children map[string]*xmlPlace // by name
	// items says that these elements are the items, around that those are below.
	items, around bool
	// keyed says that the elements in these elements are the items, and their names are
	// data.
	keyed bool
	// fields are those whose paths end here, or continue into these elements.
	fields []*itemField
}

// xmlField is what was found of a field: at its path, and at the name that is the
// whole of the path.
type xmlField struct {
	atPath, atName fieldValue
}

func newXMLPlaces(q Query, mostData int) *xmlPlaces {
	p := &xmlPlaces{detect: q.Data.Text == "", fields: make([]xmlField, len(q.Fields))}
	if !p.detect {
		p.data(elementsOf(q.Data), q.KeyAs != "", mostData)
	}
	p.errorItems = &xmlPlace{fields: []*itemField{{field: &p.errors.atName, most: maxField}}}
	type wish struct {
		field    *fieldValue
		segments []string
	}
	wishes := []wish{{&p.errors.atPath, []string{errorsMember}}}
	for i, path := range q.Fields {
		wishes = append(wishes, wish{&p.fields[i].atPath, path.Segments()}, wish{&p.fields[i].atName, []string{path.Text}})
	}
	// A path ends at an element that another one wants as a whole: the short ones first.
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(len(a.segments), len(b.segments)) })
	for _, w := range wishes {
		p.field(w.field, w.segments)
	}
	return p
}

// elementsOf is the path of the data: of elements of one name each leads on, so a segment
// for every item says nothing more.
func elementsOf(data Path) []string {
	return slices.DeleteFunc(data.Segments(), func(segment string) bool { return segment == EveryItem })
}

// data grows the path of the items, or of the elements around them.
func (p *xmlPlaces) data(segments []string, keyed bool, most int) {
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

// field grows the path of a field.
func (p *xmlPlaces) field(field *fieldValue, segments []string) {
	at := &p.root
	for len(segments) > 0 && !value.MeansItem(segments[0]) && !at.items && len(at.fields) == 0 && !(p.detect && at != &p.root) {
		keyed := at.keyed
		at = at.child(segments[0])
		segments = segments[1:]
		if keyed {
			break // it is taken as a whole
		}
	}
	at.fields = append(at.fields, &itemField{field: field, path: segments, alone: true, most: maxField})
}

func (p *xmlPlace) child(name string) *xmlPlace {
	child := p.children[name]
	if child == nil {
		child = &xmlPlace{}
		if p.children == nil {
			p.children = map[string]*xmlPlace{}
		}
		p.children[name] = child
	}
	return child
}

// at is the place of a name, nil where nothing is wanted.
func (p *xmlPlace) at(name string) *xmlPlace {
	if p == nil {
		return nil
	}
	return p.children[name]
}

// observe gives a value to the fields.
func (p *xmlPlace) observe(v value.Packed) {
	if p == nil {
		return
	}
	for _, f := range p.fields {
		f.observe(v)
	}
}

// end gives all fields their values.
func (p *xmlPlace) end() {
	for _, f := range p.fields {
		f.end()
	}
	for _, child := range p.children {
		child.end()
	}
}

// value is what was found: at the path, else at the name.
func (f xmlField) value() fieldValue {
	if f.atPath.value.IsNull() && !f.atPath.tooLarge {
		return f.atName
	}
	return f.atPath
}
