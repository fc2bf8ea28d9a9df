package response

import (
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pathNode is a node of the tree of wanted paths: what may be below it, and
// where its value was found last.
type pathNode struct {
	// children are those below, by the segments of the paths.
	children map[string]*pathNode
	// chosen are those of them that, in a list, are the item with a certain value in it.
	chosen []*selectedItem
	// every is that of them which, in a list, is each item; only on the way to the data.
	every *pathNode
	list  bool // the data, if it is an array
	at    valueRange
	rows  int    // items, when the value is an array
	hash  uint64 // of the value, when it may be the data
	// visited says that there is something to forget, here or below.
	visited bool

	// selector is what the value must be that an item is chosen by, selected
	// whether it is; nil for anything else.
	selector *value.Selector
	selected bool
}

// selectedItem is the first item of a list with a certain value at a path. Until it is found,
// each item is taken for it.
type selectedItem struct {
	item *pathNode
	// candidate is each item too; below it is the value, at the path or at the name that is
	// the whole of it, which is nil for a path that is a single name.
	candidate, atPath, atName *pathNode
	found                     bool
}

// selected reports whether the item that was read last is the one.
func (c *selectedItem) selected() bool {
	if c.atPath.at == (valueRange{}) && c.atName != nil {
		return c.atName.selected
	}
	return c.atPath.selected
}

// valueRange is a value's place in the text of the spool; kind null and no length
// when there is nothing.
type valueRange struct {
	kind       value.Kind
	start, end int64
}

// addPath is the node at the end of a path.
func (p *pathNode) addPath(path Path) *pathNode {
	for segment := range value.Segments(path.Text, path.Separator) {
		p = p.child(segment)
	}
	return p
}

// addLiteralName is the node of a path whose whole text is a name, nil for one that has
// a single segment.
func (p *pathNode) addLiteralName(path Path) *pathNode {
	if len(path.Segments()) < 2 {
		return nil
	}
	return p.child(path.Text)
}

func (p *pathNode) child(segment string) *pathNode {
	child := p.children[segment]
	if child != nil {
		return child
	}
	child = &pathNode{}
	if p.children == nil {
		p.children = map[string]*pathNode{}
	}
	p.children[segment] = child
	if selector, ok := value.ParseSelector(segment); ok {
		probe, path := &pathNode{}, Path{selector.Path, value.SelectorSeparator}
		c := &selectedItem{item: child, candidate: probe, atPath: probe.addPath(path), atName: probe.addLiteralName(path)}
		c.atPath.selector = &selector
		if c.atName != nil {
			c.atName.selector = &selector
		}
		p.chosen = append(p.chosen, c)
	}
	return child
}

// forget drops what was found: of equal names the last value counts.
func (p *pathNode) forget() {
	if !p.visited {
		return // or a long path would be walked again from each of its segments
	}
	p.at, p.rows, p.selected, p.visited = valueRange{}, 0, false, false
	for _, child := range p.children {
		child.forget()
	}
	for _, c := range p.chosen {
		c.found = false
	}
}

// appendItemNodes appends what is wanted of the item with that number, if this is a list.
func (p *pathNode) appendItemNodes(dst []*pathNode, number int) []*pathNode {
	if len(p.children) == 0 {
		return dst
	}
	if child := p.children[strconv.Itoa(number)]; child != nil {
		dst = append(dst, child)
	}
	if child := p.children[value.LastItem]; child != nil {
		dst = append(dst, child)
	}
	if p.every != nil {
		dst = append(dst, p.every)
	}
	for _, c := range p.chosen {
		if !c.found {
			dst = append(dst, c.item, c.candidate)
		}
	}
	return dst
}

// updateSelected looks whether the item that was read last is one of those that are chosen.
func (p *pathNode) updateSelected() {
	for _, c := range p.chosen {
		if !c.found {
			if c.found = c.selected(); !c.found {
				c.item.forget()
			}
		}
	}
}

// lists are the list-valued properties of the root in the order of their last
// occurrence.
type lists struct {
	all   []list
	index map[string]int // where in all; the others there are void
	bytes int            // of the names
}

type list struct {
	name  string
	place *pathNode
}

// maxLists is how many there may be: they are only counted and named in a
// message.
const maxLists = 100_000

// forget drops a property that occurs once more.
func (l *lists) forget(name string) {
	if at, ok := l.index[name]; ok {
		l.all[at].place = nil
		delete(l.index, name)
		l.bytes -= len(name)
	}
}

// add adds a property that is not there.
func (l *lists) add(name string, p *pathNode) error {
	if len(l.index) == maxLists || l.bytes+len(name) > maxItem {
		return failure.Userf("the response has more than %d list-valued properties, or more than %d MiB of their names: set 'dataField' to the one with the data", maxLists, maxItem>>20)
	}
	if len(l.all) > 2*len(l.index)+maxLists {
		l.tidy()
	}
	if l.index == nil {
		l.index = map[string]int{}
	}
	l.index[name] = len(l.all)
	l.bytes += len(name)
	l.all = append(l.all, list{name, p})
	return nil
}

func (l *lists) tidy() {
	l.all = slices.DeleteFunc(l.all, func(one list) bool { return one.place == nil })
	for i, one := range l.all {
		l.index[one.name] = i
	}
}
