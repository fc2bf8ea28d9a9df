package response

import (
	"errors"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// appendKeyed appends the item that a member of the data is, where the names of the
// data are data too: the members of an object after its name, or any other value
// beside it. The item is packed. An object with another value under the key is a user
// error, because one of the two would be lost.
func appendKeyed(dst []byte, key string, name []byte, v value.Packed) ([]byte, error) {
	start := len(dst)
	dst = value.AppendName(value.OpenObject(dst), []byte(key))
	dst = value.PackString(dst, name)
	if v.Kind() != value.Object {
		dst = append(value.AppendName(dst, []byte(config.MemberValue)), v...)
		value.CloseObject(dst, start)
		return dst, nil
	}
	for parts := v.Parts(); parts.More(); {
		own, member := parts.Name(), parts.Value()
		if string(own) != key {
			dst = append(value.AppendName(dst, own), member...)
		} else if member.Kind() != value.Null && string(member.Raw()) != string(name) {
			return dst, failure.Userf("%s has a member '%s' with another value than its name: choose another name for 'keyAs'", itemOf(name), key)
		}
	}
	value.CloseObject(dst, start)
	return dst, nil
}

// itemOf names an item by its whole name: a part of it could be half of a secret.
func itemOf(name []byte) string {
	const most = 100
	if len(name) > most {
		return "an item"
	}
	return "the item '" + string(name) + "'"
}

// errStop ends the members when no more of them are wanted.
var errStop = errors.New("no more members are wanted")

// storeMembers scans the members of an object that is the data. Nothing is wanted of
// them but the rows. Of equal names each is an item: they need not fit in memory.
func (s *scan) storeMembers(p *pathNode) error {
	s.keepIn(p)
	return s.bounded.members(&s.packer, func(name []byte, v value.Packed, regular bool) error {
		start := len(s.items.last)
		var err error
		if s.items.last, err = appendKeyed(s.items.last, s.query.KeyAs, name, v); err != nil {
			return err
		}
		item := value.Packed(s.items.last[start:])
		if !regular {
			s.buf = item.Regular(slices.Grow(s.buf[:0], len(item)))
			item = s.buf
		}
		s.hash.Write(item)
		p.rows++
		return s.items.spill()
	})
}

// readMembers reads the members at a place of the text once more, as items.
func (s *Spool) readMembers(data valueRange, key string, yield func(value.Packed, error) bool) {
	d, err := s.bounded(data.start)
	if err != nil {
		yield(nil, err)
		return
	}
	defer d.close()
	if _, err := d.dec.ReadToken(); err != nil {
		yield(nil, err)
		return
	}
	var packer value.Packer
	// Not a buffer of the spool: several goroutines may read a page at once.
	item := s.home.buffer()
	defer func() { s.home.recycle(item) }()
	more := true
	err = d.members(&packer, func(name []byte, v value.Packed, _ bool) (err error) {
		if item, err = appendKeyed(item[:0], key, name, v); err != nil {
			return err
		}
		if more = yield(item, nil); !more {
			return errStop
		}
		return nil
	})
	if more && err != nil {
		yield(nil, largeItem(err))
	}
}

// members calls visit for each member of the object whose brace the decoder has just
// read, up to its end, before the other brace. What visit gets is gone with the next
// one.
func (d *boundedDecoder) members(packer *value.Packer, visit func(name []byte, v value.Packed, regular bool) error) error {
	var name, packed []byte
	for d.dec.PeekKind() == '"' {
		raw, err := d.dec.ReadValue()
		if err != nil {
			return err
		}
		name = append(name[:0], contents(raw)...)
		var regular bool
		if packed, regular, err = d.item(packer, packed[:0]); err != nil {
			return err
		}
		if int64(len(name)+len(packed)) > d.home.item {
			return errLargeItem // they are in memory together
		}
		if err := visit(name, packed, regular); err != nil {
			return err
		}
	}
	return nil
}

// notKeyed is the error for data of another kind than an object.
func (s *scan) notKeyed(kind value.Kind) error {
	return failure.Userf("the data at '%s' is %s, expected an object whose names become '%s' ('keyAs')", s.query.Data.Text, kind.WithArticle(), s.query.KeyAs)
}

// keyedElement takes an element whose name is data as an item. A field may lead into
// it.
func (x *xmlDocument) keyedElement(tag *xmlTag, place *xmlPlace) (structured bool, err error) {
	name := []byte(tag.name)
	if x.buf, err = x.value(x.buf[:0], tag); err != nil {
		return false, err
	}
	v := value.Packed(x.buf)
	place.observe(v)
	return v.Kind() == value.Object, x.appendKeyedItem(name, v)
}

// appendKeyedItem adds the item that an element is.
func (x *xmlDocument) appendKeyedItem(name []byte, v value.Packed) (err error) {
	start := len(x.items.last)
	if x.items.last, err = appendKeyed(x.items.last, x.query.KeyAs, name, v); err != nil {
		return err
	}
	return x.endItem(start, nil)
}

// keepElements adds the items that the elements in another one are. Its attributes
// and its text are none.
func (x *xmlDocument) keepElements(around value.Value) error {
	for _, m := range around.Members() {
		if strings.HasPrefix(m.Name, "@") || m.Name == "#text" {
			continue
		}
		elements := []value.Value{m.Value}
		if m.Value.Kind() == value.Array {
			elements = m.Value.Items()
		}
		for _, one := range elements {
			if err := x.appendKeyedItem([]byte(m.Name), one.AppendPacked(nil)); err != nil {
				return err
			}
		}
	}
	return nil
}
