package response

import (
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// itemList collects the items of a response that is a list, and the fields in the list.
type itemList struct {
	*decodeState
	fields []itemField
}

// newItemList returns the list of a response in which every record is an item.
func (d *decodeState) newItemList() *itemList {
	l := &itemList{decodeState: d}
	for i, path := range d.query.Fields {
		l.fields = append(l.fields, itemField{field: &d.page.fields[i], path: path.Segments(), most: maxField})
	}
	d.page.Root, d.page.Found, d.page.list = value.Array, true, true
	d.page.Volume = int64(len("[]"))
	return l
}

// add adds the item that a decoder appended to items.last from start on.
func (l *itemList) add(start int, regular bool) error {
	item := value.Packed(l.items.last[start:])
	if l.query.Volume {
		l.page.Volume += packedVolume(item)
		if l.page.Rows > 0 {
			l.page.Volume += int64(len(","))
		}
	}
	if l.page.Rows == 0 && l.query.Data.Text != "" && (item.Kind() == value.Object || item.Kind() == value.Array) {
		l.page.OtherLists = []string{""}
	}
	for i := range l.fields {
		l.fields[i].observe(item)
	}
	l.page.Rows++
	l.hashItem(item, regular)
	return l.items.spill()
}

// end sets the values of the fields.
func (l *itemList) end() {
	for i := range l.fields {
		l.fields[i].end()
	}
}

// itemField is a field with a path into a list of consecutive values. Without a path it
// is the list itself.
type itemField struct {
	field *fieldValue
	path  []string // path from the list on
	// alone is set if a single value is not a list, as in XML. An index or a selector
	// still matches it.
	alone bool
	most  int  // maximum size of the value, in bytes
	count int  // number of values so far
	found bool // a value was selected
	// kept has the packed values of the list or, if there is a path, the value at the
	// path.
	kept []byte
}

// observe adds the next value of the list.
func (f *itemField) observe(v value.Packed) {
	at := f.count
	f.count++
	path := f.path
	switch {
	case len(path) == 0:
		f.keep(v)
		return
	case !value.MeansItem(path[0]): // leads to a value only if there is no list
		if f.kept = nil; !f.alone || at > 0 {
			return
		}
	case path[0] == value.LastItem:
		path = path[1:]
	case f.found || !selects(path[0], at, v):
		return
	default:
		path = path[1:]
	}
	f.found, f.field.tooLarge, f.kept = true, false, nil
	if v, ok := v.Walk(path); ok {
		f.keep(v)
	}
}

func (f *itemField) keep(v value.Packed) {
	if f.field.tooLarge = f.field.tooLarge || len(f.kept)+len(v) > f.most; !f.field.tooLarge {
		f.kept = append(f.kept, v...)
	}
}

// selects reports whether a segment selects the item with index at.
func selects(segment string, at int, item value.Packed) bool {
	selector, ok := value.ParseSelector(segment)
	if !ok {
		return segment == strconv.Itoa(at) && item.Kind() != value.Null
	}
	return selector.MatchesItem(item)
}

// end sets the value of the field.
func (f *itemField) end() {
	switch {
	case f.field.tooLarge, f.alone && f.count == 0:
	case len(f.path) > 0, f.alone && f.count == 1:
		f.field.value = value.Packed(f.kept).Value()
	default:
		all := append(value.OpenArray(nil), f.kept...)
		value.ClosePacked(all, 0)
		f.field.value = value.Packed(all).Value()
	}
}
