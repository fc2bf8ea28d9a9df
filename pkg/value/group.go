package value

// Grouper makes lists of members with equal names. It keeps the names of the last object
// at each depth, because most objects have the same names as the object before. The zero
// Grouper is ready to use.
type Grouper struct {
	last [rememberedDepths]names
	buf  []byte
}

// rememberedDepths is the number of depths with names of their own. All deeper objects
// share the last one, because the names of a depth may need many times maxKnown bytes.
const rememberedDepths = 16

// maxGroupBuffer is the maximum size, in bytes, of the buffer that is kept for the next
// value.
const maxGroupBuffer = 1 << 20

// Repeats reports whether an object at a depth has members with equal names.
func (g *Grouper) Repeats(object Packed, depth int) bool {
	last := &g.last[min(depth, rememberedDepths-1)]
	return !last.matches(object) && !last.learn(object)
}

// Group groups the packed value that begins at start and ends with dst, and all objects
// in it. Members with equal names become one member with a list of their values in their
// order, at the position of the first one. The value must not have arrays. depth is the
// depth of the value. Each byte is copied once, regardless of the depth.
func (g *Grouper) Group(dst []byte, start, depth int) []byte {
	grouped := g.group(g.buf[:0], Packed(dst[start:]), depth)
	dst = append(dst[:start], grouped...)
	if g.buf = grouped; cap(grouped) > maxGroupBuffer {
		g.buf = nil
	}
	return dst
}

// group appends a value with its members grouped.
func (g *Grouper) group(dst []byte, v Packed, depth int) []byte {
	if v.Kind() != Object {
		return append(dst, v...)
	}
	start := len(dst)
	dst = openPacked(dst, packedObject)
	if !g.Repeats(v, depth) {
		for parts := v.Parts(); parts.More(); {
			dst = appendPackedText(dst, parts.Name())
			dst = g.group(dst, parts.Value(), depth+1)
		}
		ClosePacked(dst, start)
		return dst
	}
	for _, one := range groupsOf(v) {
		dst = appendPackedText(dst, one.name)
		list := len(dst)
		if one.count > 1 {
			dst = openPacked(dst, packedArray)
		}
		for _, r := range one.runs {
			parts := Parts{all: v[packedHead:], at: r.at}
			for range r.count {
				parts.Name()
				dst = g.group(dst, parts.Value(), depth+1)
			}
		}
		if one.count > 1 {
			ClosePacked(dst, list)
		}
	}
	ClosePacked(dst, start)
	return dst
}

// group has the members of an object with the same name.
type group struct {
	name  []byte
	count int
	runs  []memberRun
}

// memberRun is a run of count consecutive members with the same name. at is the offset of
// the first of them.
type memberRun struct{ at, count int }

// groupsOf returns the groups of an object in the order of their first members.
func groupsOf(object Packed) []*group {
	groups, order := map[string]*group{}, []*group(nil)
	var last *group
	parts := object.Parts()
	for parts.More() {
		at := parts.at
		name := parts.Name()
		parts.Value()
		if last != nil && string(last.name) == string(name) {
			last.count++
			last.runs[len(last.runs)-1].count++
			continue
		}
		if last = groups[string(name)]; last == nil {
			last = &group{name: name}
			groups[string(name)] = last
			order = append(order, last)
		}
		last.count++
		last.runs = append(last.runs, memberRun{at, 1})
	}
	return order
}

// matches reports whether an object has exactly these names, in this order.
func (n *names) matches(object Packed) bool {
	i := 0
	for parts := object.Parts(); parts.More(); i++ {
		name := parts.Name()
		if known := n.name(i); len(known) == 0 || len(name) >= 0x80 || len(known) != 1+len(name) || string(known[1:]) != string(name) {
			return false
		}
		parts.Value()
	}
	return i == len(n.ends)
}
