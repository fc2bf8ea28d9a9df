package response

import (
	"errors"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// appendKeyed appends the packed item for a member of the data with KeyAs: key with the
// name of the member, followed by the members of an object, or by any other value as
// MemberValue. An object that has key with another value is a user error, because one of
// the two values would be lost.
func appendKeyed(dst []byte, key string, name []byte, v value.Packed) ([]byte, error) {
	start := len(dst)
	dst = value.AppendName(value.OpenObject(dst), key)
	dst = value.PackString(dst, name)
	if v.Kind() != value.Object {
		dst = append(value.AppendName(dst, config.MemberValue), v...)
		value.ClosePacked(dst, start)
		return dst, nil
	}
	for parts := v.Parts(); parts.More(); {
		own, member := parts.Name(), parts.Value()
		if string(own) != key {
			dst = append(value.AppendName(dst, own), member...)
		} else if member.Kind() != value.Null && string(member.Raw()) != string(name) {
			return dst, failure.Userf("the item %s has a member '%s' with another value than its name: choose another name for 'keyAs'", nameForMessage(name), key)
		}
	}
	value.ClosePacked(dst, start)
	return dst, nil
}

// errStop ends the iteration over members.
var errStop = errors.New("no more members are wanted")

// storeMembers stores the members of the data as items. Nothing inside the items is
// requested. Members with the same name are all stored, because the names may not fit
// into memory.
func (s *scan) storeMembers(p *pathNode) error {
	s.startItems(p)
	return s.bounded.members(&s.packer, func(name []byte, v value.Packed, regular bool) error {
		start := len(s.items.last)
		var err error
		if s.items.last, err = appendKeyed(s.items.last, s.query.KeyAs, name, v); err != nil {
			return err
		}
		item := value.Packed(s.items.last[start:])
		s.hashItem(item, regular)
		p.rows++
		return s.items.spill()
	})
}

// members calls visit for each member of an object. The decoder must have just read the
// opening brace; afterwards the closing brace is its next token. The arguments of visit
// are valid until the next call.
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
			return errLargeItem // name and value are in memory together
		}
		if err := visit(name, packed, regular); err != nil {
			return err
		}
	}
	return nil
}

// notKeyed returns the error for data that is not an object, with KeyAs.
func (s *scan) notKeyed(kind value.Kind) error {
	return failure.Userf("the data at '%s' is %s, expected an object whose names become '%s' ('keyAs')", s.query.Data.Text, kind.WithArticle(), s.query.KeyAs)
}

// keyedElement adds an element as an item, with its name as data. Fields may lead into
// the element.
func (x *xmlDocument) keyedElement(tag *xmlTag, node *xmlNode) (structured bool, err error) {
	name := []byte(tag.name)
	if x.buf, err = x.value(x.buf[:0], tag); err != nil {
		return false, err
	}
	v := value.Packed(x.buf)
	node.observe(v)
	return v.Kind() == value.Object, x.appendKeyedItem(name, v)
}

func (x *xmlDocument) appendKeyedItem(name []byte, v value.Packed) (err error) {
	start := len(x.items.last)
	if x.items.last, err = appendKeyed(x.items.last, x.query.KeyAs, name, v); err != nil {
		return err
	}
	return x.endItem(start, nil)
}

// keepElements adds the elements inside another element as items. Its attributes and its
// text are not items.
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
