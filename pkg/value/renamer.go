package value

// Renamer gives members of packed objects other names, at any depth. It keeps what was
// decided about the members of the last objects, because most objects have the same names.
// It is not safe for concurrent use.
type Renamer struct {
	// Decide decides about the members of one object. path has the packed names of the
	// members that lead to the object; lists have no name. Decide returns the new names by
	// the index of the member, nil for a member that keeps its name. The names of an
	// object must stay different. A decision for a path and a name must never change.
	// Neither path nor names may be kept.
	Decide func(path []byte, names [][]byte) ([][]byte, error)

	root    renamedObject
	path    []byte
	names   [][]byte
	learned int // number of members in root and below it
}

// renamedObject holds the members of the objects with one path.
type renamedObject struct {
	members []renamedMember
	index   map[string]int // indexes in members by name
}

// renamedMember has both names in their packed form. renamed is nil if the member keeps
// its name.
type renamedMember struct {
	name, renamed []byte
	below         *renamedObject // objects in its values, nil before the first one
}

// maxLearned is the maximum number of members that a Renamer keeps after a value.
const maxLearned = 5000

// Append appends a value with renamed members.
func (r *Renamer) Append(dst []byte, v Packed) ([]byte, error) {
	if r.learned > maxLearned {
		r.root, r.learned = renamedObject{}, 0
	}
	r.path = r.path[:0]
	return r.value(dst, v, &r.root)
}

func (r *Renamer) value(dst []byte, v Packed, at *renamedObject) ([]byte, error) {
	switch v.Kind() {
	case Object:
		return r.object(dst, v, at)
	case Array:
		return v.AppendMap(dst, func(dst, _ []byte, item Packed) ([]byte, error) { return r.value(dst, item, at) })
	default:
		return append(dst, v...), nil
	}
}

func (r *Renamer) object(dst []byte, v Packed, at *renamedObject) (_ []byte, err error) {
	start := len(dst)
	dst = OpenObject(dst)
	expected, copied := 0, 0 // number of bytes of the members that are in dst
	parts := v.Parts()
	for ; parts.More(); expected++ {
		begin := parts.at
		if expected >= len(at.members) || !NextIs(&parts, at.members[expected].name) {
			if expected, err = r.indexOf(parts.Name(), v, at); err != nil {
				return dst, err
			}
		}
		m := &at.members[expected]
		if m.renamed != nil {
			dst = append(append(dst, parts.all[copied:begin]...), m.renamed...)
			copied = parts.at
		}
		if parts.all[parts.at] < packedArray {
			parts.Skip()
			continue
		}
		dst = append(dst, parts.all[copied:parts.at]...)
		if m.below == nil {
			m.below = &renamedObject{}
		}
		above := len(r.path)
		r.path = append(r.path, m.name...)
		if dst, err = r.value(dst, parts.Value(), m.below); err != nil {
			return dst, err
		}
		r.path, copied = r.path[:above], parts.at
	}
	dst = append(dst, parts.all[copied:]...)
	ClosePacked(dst, start)
	return dst, nil
}

// indexOf returns the index of a member of an object. If the member is new, all members of
// the object are learned.
func (r *Renamer) indexOf(name []byte, object Packed, at *renamedObject) (int, error) {
	if i, ok := at.index[string(name)]; ok {
		return i, nil
	}
	r.names = r.names[:0]
	for parts := object.Parts(); parts.More(); parts.Skip() {
		r.names = append(r.names, parts.Name())
	}
	renamed, err := r.Decide(r.path, r.names)
	if err != nil {
		return 0, err
	}
	if at.index == nil {
		at.index = make(map[string]int, len(r.names))
	}
	for i, own := range r.names {
		if _, ok := at.index[string(own)]; ok {
			continue
		}
		m := renamedMember{name: AppendName(nil, own)}
		if renamed != nil && renamed[i] != nil {
			m.renamed = AppendName(nil, renamed[i])
		}
		at.index[string(own)] = len(at.members)
		at.members = append(at.members, m)
		r.learned++
	}
	return at.index[string(name)], nil
}
