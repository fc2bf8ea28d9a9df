package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// ListNames recognizes the names of members about lists beside them.
type ListNames struct {
	// Truncates reports whether a member with this name, if it is true, marks the list
	// beside it as incomplete.
	Truncates func(name []byte) bool
	// AboutPages reports whether an object with this name has such members for the list
	// beside the object.
	AboutPages func(name []byte) bool
}

// Truncated is a list in items that the API returned only in part.
type Truncated struct {
	List, Flag string // paths in the item
}

// maxTruncated is the maximum number of incomplete lists that are kept between calls of
// Truncated.
const maxTruncated = 10

// isTrue reports whether a value is true, or the text "true" of a format without types.
func isTrue(v value.Packed) bool {
	return v.True() || v.Kind() == value.String && string(v.Raw()) == "true"
}

// flagState records whether the name of a node is the name of a list flag.
type flagState uint8

const (
	flagUnknown flagState = iota
	notFlag
	isListFlag
)

// collectFlag collects a property that is a list flag with the value true.
func (l *schemaLearner) collectFlag(n *node, v value.Packed) {
	if n.flag == flagUnknown {
		n.flag = notFlag
		// At the top of an item such a member is data.
		if l.lists.Truncates != nil && !n.parent.isRow() && l.lists.Truncates([]byte(n.name)) {
			n.flag = isListFlag
		}
	}
	if n.flag == isListFlag && isTrue(v) && len(l.flags) < maxTruncated && !slices.Contains(l.flags, n) {
		l.flags = append(l.flags, n)
	}
}

// isRow reports whether a node describes the rows of a data type.
func (n *node) isRow() bool { return n.isElement() && n.parent.parent == nil }

// Truncated returns the lists that items marked as incomplete since the last call.
func (a *AutomaticMapper) Truncated() []Truncated {
	var all []Truncated
	for _, flag := range a.flags {
		if list := a.lists.besideFlag(flag); list != nil {
			all = append(all, Truncated{List: list.itemPath(), Flag: flag.itemPath()})
		}
	}
	a.flags = a.flags[:0]
	return all
}

// besideFlag returns the list beside a flag, or beside the object about pages that contains
// the flag, or nil.
func (names ListNames) besideFlag(flag *node) *node {
	isList := func(n *node) bool { return n.kind == kindArray }
	object := flag.parent
	if at := slices.IndexFunc(object.children, isList); at >= 0 {
		return object.children[at]
	}
	if object.isElement() || !names.AboutPages([]byte(object.name)) {
		return nil
	}
	if at := slices.IndexFunc(object.parent.children, isList); at >= 0 {
		return object.parent.children[at]
	}
	return nil
}

// itemPath returns the path of a property in the item, with dots.
func (n *node) itemPath() string {
	text := ""
	for ; n != nil && !n.isRow(); n = n.parent {
		switch {
		case n.isElement():
		case text == "":
			text = n.name
		default:
			text = n.name + "." + text
		}
	}
	return text
}

// flagFinder finds flags among the members of objects that mostly have the same names.
type flagFinder struct {
	names   []string
	classes []memberClass
}

type memberClass uint8

const (
	plainMember memberClass = iota
	flagMember
	pagesMember
)

// class returns the class of the i-th member.
func (f *flagFinder) class(names ListNames, i int, name []byte) memberClass {
	if i < len(f.names) && f.names[i] == string(name) {
		return f.classes[i]
	}
	class := plainMember
	switch {
	case names.Truncates(name):
		class = flagMember
	case names.AboutPages(name):
		class = pagesMember
	}
	const mostKept = 200
	switch {
	case i < len(f.names):
		f.names[i], f.classes[i] = string(name), class
	case i == len(f.names) && i < mostKept:
		f.names, f.classes = append(f.names, string(name)), append(f.classes, class)
	}
	return class
}

// find returns the path of a flag in an object that is true, or "". If top is true, the
// object is the item, and its own members are data.
func (f *flagFinder) find(names ListNames, object value.Packed, top bool) string {
	if object.Kind() != value.Object {
		return ""
	}
	members := object.Parts()
	for i := 0; members.More(); i++ {
		name := members.Name()
		class := f.class(names, i, name)
		if class == plainMember {
			members.Skip()
			continue
		}
		v := members.Value()
		if class == flagMember && !top && isTrue(v) {
			return string(name)
		}
		if class != pagesMember || v.Kind() != value.Object {
			continue
		}
		for inner := v.Parts(); inner.More(); {
			flag, is := inner.Name(), inner.Value()
			if names.Truncates(flag) && isTrue(is) {
				return string(name) + "." + string(flag)
			}
		}
	}
	return ""
}

// checkTruncated checks whether an item marks the list of a child table as incomplete.
func (b *ConfiguredBatch) checkTruncated(t *mappedTable, setting int, row value.Packed) {
	c, s := b.owner, &t.settings[setting]
	if c.lists.Truncates == nil || len(s.pathSegments) == 0 || len(c.truncated) == maxTruncated {
		return
	}
	object, _ := row.Walk(s.pathSegments[:len(s.pathSegments)-1])
	flag := c.rows[t.number].flags[setting].find(c.lists, object, len(s.pathSegments) == 1 && t.prefix == "")
	if flag == "" {
		return
	}
	path := t.prefix + s.path
	around := path[:len(path)-len(s.pathSegments[len(s.pathSegments)-1])]
	if one := (Truncated{List: path, Flag: around + flag}); !slices.Contains(c.truncated, one) {
		c.truncated = append(c.truncated, one)
	}
}

// Truncated returns the lists that items marked as incomplete since the last call.
func (c *ConfiguredMapper) Truncated() []Truncated {
	all := c.truncated
	c.truncated = nil
	return all
}
