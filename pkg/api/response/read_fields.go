package response

import (
	"errors"
	"io"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ReadFields reads a JSON text once for the values at some places, in the order of the
// paths: null where there is nothing. A list or an object of more than 1 MiB has no
// items or members; a larger scalar is a user error, but only when it is requested
// (Seen.At). ok is false for a text that is not JSON. Nothing of the text stays in
// memory.
func ReadFields(spool *Spool, paths []Path) (seen FieldValues, ok bool, err error) {
	if spool.coding != "" {
		return seen, false, nil // that is an error if it becomes data
	}
	spool, done, err := spool.inUTF8()
	if err != nil {
		return seen, false, err
	}
	defer done()
	d := &decodeState{spool: spool, query: Query{Fields: paths}}
	s := &scan{decodeState: d, data: &pathNode{}}
	if s.bounded, err = spool.bounded(0); err != nil {
		return seen, false, err
	}
	defer s.bounded.close()
	if err := s.bounded.skipMark(); err != nil {
		return seen, false, err
	}
	s.dec = s.bounded.dec
	root := &pathNode{}
	places := s.placesOf(root)
	if err := notJSON(s.all(root)); err != nil {
		if _, malformed := errors.AsType[*formatError](err); malformed || err == io.EOF || failure.KindOf(err) == failure.User {
			return seen, false, nil
		}
		return seen, false, err
	}
	seen, err = s.seen(places)
	return seen, err == nil, err
}

// inUTF8 is the spool, or another one with its text in UTF-8; done closes that one.
func (s *Spool) inUTF8() (_ *Spool, done func(), err error) {
	c, mark, err := s.charset(charset{})
	if err != nil || c.encoding == nil {
		return s, func() {}, err
	}
	other := s.home.New()
	raw := s.Raw()
	damaged := false
	if _, err = io.CopyN(io.Discard, raw, int64(len(mark))); err == nil {
		_, err = other.ReadFrom(c.inUTF8(raw, &damaged))
	}
	if err != nil {
		return nil, nil, errors.Join(err, other.Close())
	}
	return other, func() { other.Close() }, nil
}

// FieldValues are the values at some places of a response.
type FieldValues []fieldValue

// Value is the value at one of the paths, null when nothing is there.
func (s FieldValues) Value(path Path) (value.Value, error) {
	for _, f := range s {
		switch {
		case f.path != path:
		case f.tooLarge && f.value.IsNull():
			return value.Value{}, failure.Userf("the value at '%s' of the response has more than %d bytes, which is too large for a rule", path.Text, maxField)
		default:
			return f.value, nil
		}
	}
	return value.Value{}, failure.Applicationf("field %q was not requested", path.Text)
}

// fieldNodes are the nodes of a path, and of its whole text as a name.
type fieldNodes [2]*pathNode

// placesOf grows the nodes of the fields of the query.
func (s *scan) placesOf(root *pathNode) []fieldNodes {
	all := make([]fieldNodes, len(s.query.Fields))
	for i, path := range s.query.Fields {
		all[i] = fieldNodes{root.addPath(path), root.addLiteralName(path)}
	}
	return all
}

// at is where the value is.
func (p fieldNodes) at() valueRange {
	if p[0].at == (valueRange{}) && p[1] != nil {
		return p[1].at
	}
	return p[0].at
}

// seen reads the values at the places.
func (s *scan) seen(all []fieldNodes) (seen FieldValues, err error) {
	for i, p := range all {
		at := p.at()
		f := fieldValue{path: s.query.Fields[i], tooLarge: at.end-at.start > maxField}
		switch {
		case !f.tooLarge:
			f.value, err = s.read(at)
		case at.kind == value.Array:
			f.value = value.OfItems()
		case at.kind == value.Object:
			f.value = value.OfMembers()
		}
		if err != nil {
			return nil, err
		}
		seen = append(seen, f)
	}
	return seen, nil
}
