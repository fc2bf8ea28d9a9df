package response

import (
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pathNode is a node in the tree of requested paths. It records where its value was found
// last.
type pathNode struct {
	// children has the nodes below, by the segments of the paths.
	children map[string]*pathNode
	// chosen has the children that select an item of a list by a value in it.
	chosen []*selectedItem
	// every is the child for all items of a list, on the path of the data.
	every *pathNode
	list  bool // candidate for the data if the value is an array
	at    valueRange
	rows  int    // number of items if the value is an array
	hash  uint64 // hash of the value if it may be the data
	// visited is set if the node, or a node below, may have a value to forget.
	visited bool

	// selector is nil unless an item is selected by the value of this node. selected
	// reports whether the value matches.
	selector *value.Selector
	selected bool
}

// selectedItem is the first item of a list with a certain value at a path. Until it is
// found, each item is a candidate.
type selectedItem struct {
	item *pathNode
	// candidate is the node of the current item. atPath and atName are nodes below it:
	// for the path of the selector, and for a member with the whole path as its name.
	// atName is nil if the path has one segment.
	candidate, atPath, atName *pathNode
	found                     bool
}

// selected reports whether the selector matches the last item.
func (c *selectedItem) selected() bool {
	if c.atPath.at == (valueRange{}) && c.atName != nil {
		return c.atName.selected
	}
	return c.atPath.selected
}

// valueRange is the kind of a value and its range in the text of the spool. The zero
// valueRange means that there is no value.
type valueRange struct {
	kind       value.Kind
	start, end int64
}

// addPath adds the nodes of a path and returns the last node.
func (p *pathNode) addPath(path Path) *pathNode {
	for segment := range value.Segments(path.Text, path.Separator) {
		p = p.child(segment)
	}
	return p
}

// addLiteralName adds a node for the member with the whole path as its name. It returns
// nil if the path has fewer than two segments.
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

// forget drops the values of the node and below. If members have the same name, the last
// one counts.
func (p *pathNode) forget() {
	if !p.visited {
		return // avoids quadratic time with long paths
	}
	p.at, p.rows, p.selected, p.visited = valueRange{}, 0, false, false
	for _, child := range p.children {
		child.forget()
	}
	for _, c := range p.chosen {
		c.found = false
	}
}

// appendItemNodes appends the nodes of the item with the given index, if p is a list.
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

// updateSelected checks the last item against the selectors.
func (p *pathNode) updateSelected() {
	for _, c := range p.chosen {
		if !c.found {
			if c.found = c.selected(); !c.found {
				c.item.forget()
			}
		}
	}
}

// lists has the list-valued members of the root, in the order of their last occurrence.
type lists struct {
	all   []list
	index map[string]int // indexes of the valid lists in all
	bytes int            // total size of the names
}

type list struct {
	name string
	node *pathNode
}

// maxLists is the maximum number of lists. They are only counted and named in a message.
const maxLists = 100_000

// forget drops a member if it occurred before.
func (l *lists) forget(name string) {
	if at, ok := l.index[name]; ok {
		l.all[at].node = nil
		delete(l.index, name)
		l.bytes -= len(name)
	}
}

// add adds a member that is not in the lists.
func (l *lists) add(name string, p *pathNode) error {
	if len(l.index) == maxLists || l.bytes+len(name) > maxItem {
		return failure.Userf("the response has more than %d list-valued properties, or more than %d MiB of their names: set 'dataField' to the list with the data", maxLists, maxItem>>20)
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
	l.all = slices.DeleteFunc(l.all, func(one list) bool { return one.node == nil })
	for i, one := range l.all {
		l.index[one.name] = i
	}
}
