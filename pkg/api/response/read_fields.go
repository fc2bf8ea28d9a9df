package response

import (
	"errors"
	"io"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ReadFields reads a JSON text once and returns the values at the paths, in the same
// order. A value is null if its path leads nowhere. A list or an object of more than 1
// MiB has no items or members. A larger scalar is a user error, but only if
// FieldValues.Value requests it. ok is false if the text is not JSON. Nothing of the text
// stays in memory.
func ReadFields(spool *Spool, paths []Path) (seen FieldValues, ok bool, err error) {
	if spool.coding != "" {
		return seen, false, nil // an error only if the response becomes data
	}
	spool, done, err := spool.converted()
	if err != nil {
		return seen, false, err
	}
	defer done()
	s := &scan{decodeState: &decodeState{spool: spool, query: Query{Fields: paths}}, data: &pathNode{}}
	if err := s.open(); err != nil {
		return seen, false, err
	}
	defer s.bounded.close()
	root := &pathNode{}
	places := s.addFieldPaths(root)
	if err := jsonError(s.all(root)); err != nil {
		if _, malformed := errors.AsType[*formatError](err); malformed || err == io.EOF || failure.KindOf(err) == failure.User {
			return seen, false, nil
		}
		return seen, false, err
	}
	seen, err = s.fieldValues(places)
	return seen, err == nil, err
}

// converted returns the spool, or a new one with its text in UTF-8. The caller must call
// done afterwards.
func (s *Spool) converted() (_ *Spool, done func(), err error) {
	damaged := false
	r, c, err := s.inUTF8(charset{}, &damaged)
	if err != nil || c.encoding == nil {
		return s, func() {}, err
	}
	other := s.home.New()
	if _, err := other.ReadFrom(r); err != nil {
		return nil, nil, errors.Join(err, other.Close())
	}
	return other, func() { other.Close() }, nil
}

// FieldValues are the values at some paths of a response.
type FieldValues []fieldValue

// Value returns the value at one of the paths, or null if the path leads nowhere.
func (s FieldValues) Value(path Path) (value.Value, error) { return s.value(path, "a rule", true) }

// value returns the value at a path. what names, for the error, what needs the
// value. If emptied is set, a list or an object that is too large is no error.
func (s FieldValues) value(path Path, what failure.Text, emptied bool) (value.Value, error) {
	for _, f := range s {
		switch {
		case f.path != path:
		case f.tooLarge && (!emptied || f.value.IsNull()):
			return value.Value{}, failure.Userf("the value at '%s' of the response has more than %d bytes, which is too large for %s", path.Text, maxField, what)
		default:
			return f.value, nil
		}
	}
	return value.Value{}, failure.Applicationf("field %q was not requested", path.Text)
}

// fieldNodes are the node of a path and the node of the member with the whole path as its
// name. The second node may be nil.
type fieldNodes [2]*pathNode

// addFieldPaths adds the nodes for the fields of the query.
func (s *scan) addFieldPaths(root *pathNode) []fieldNodes {
	all := make([]fieldNodes, len(s.query.Fields))
	for i, path := range s.query.Fields {
		all[i] = fieldNodes{root.addPath(path), root.addLiteralName(path)}
	}
	return all
}

// valueRange returns the range of the value.
func (p fieldNodes) valueRange() valueRange {
	if p[0].at == (valueRange{}) && p[1] != nil {
		return p[1].at
	}
	return p[0].at
}

// fieldValues reads the values of the fields.
func (s *scan) fieldValues(all []fieldNodes) (seen FieldValues, err error) {
	for i, p := range all {
		at := p.valueRange()
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
