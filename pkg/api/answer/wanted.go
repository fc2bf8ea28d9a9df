package answer

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// wanted is a node of the tree of wanted paths: what may stand below it, and
// where its value was found last.
type wanted struct {
	children map[string]*wanted
	list     bool // the data, if it is an array
	at       span
	rows     int // items, when the value is an array
}

// span is a value's place in the text of the spool; kind null and no length
// when there is nothing.
type span struct {
	kind       value.Kind
	start, end int64
}

func (p *wanted) grow(path Path) *wanted {
	for _, segment := range path.segments() {
		child := p.children[segment]
		if child == nil {
			child = &wanted{}
			if p.children == nil {
				p.children = map[string]*wanted{}
			}
			p.children[segment] = child
		}
		p = child
	}
	return p
}

// forget drops what was found: of equal names the last value counts.
func (p *wanted) forget() {
	p.at, p.rows = span{}, 0
	for _, child := range p.children {
		child.forget()
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
	place *wanted
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
func (l *lists) add(name string, p *wanted) error {
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
