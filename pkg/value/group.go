package value

// Grouper makes lists of members with equal names. It remembers what the last object at
// each depth looked like, because most are like the one before. The zero Grouper is
// ready.
type Grouper struct {
	last [rememberedDepths]names
	buf  []byte
}

// rememberedDepths is how many depths have a memory of their own. The ones below share
// the last: each memory may have many times maxKnown bytes.
const rememberedDepths = 16

// maxGroupBuffer is how many bytes of memory wait for the next value.
const maxGroupBuffer = 1 << 20

// Repeats reports whether an object at a depth has members with equal names.
func (g *Grouper) Repeats(object Packed, depth int) bool {
	last := &g.last[min(depth, rememberedDepths-1)]
	return !last.match(object) && !last.learn(object)
}

// Group makes lists of the members with equal names of the packed value that begins at
// start and ends with dst, and of all objects in it: at the place of the first of them
// is a list of their values, in their order. Each byte is copied once, however deep
// it is. The value has no arrays yet; depth is where it is.
func (g *Grouper) Group(dst []byte, start, depth int) []byte {
	grouped := g.group(g.buf[:0], Packed(dst[start:]), depth)
	dst = append(dst[:start], grouped...)
	if g.buf = grouped; cap(grouped) > maxGroupBuffer {
		g.buf = nil
	}
	return dst
}

// group appends a value in groups.
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
		closePacked(dst, start)
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
			closePacked(dst, list)
		}
	}
	closePacked(dst, start)
	return dst
}

// group are the members of one name.
type group struct {
	name  []byte
	count int
	runs  []memberRun
}

// memberRun are members that are one after the other, from a place in the object on.
type memberRun struct{ at, count int }

// groupsOf are the groups of an object in the order of their first members.
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

// match reports whether these are the names of an object, in their order.
func (n *names) match(object Packed) bool {
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
