package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// keyPath is a path of keys from the root of the response.
type keyPath []string

// scalarFact is a scalar or null outside of every list of the response.
type scalarFact struct {
	keyPath
	value value.Value
}

func (p keyPath) name() string { return p[len(p)-1] }

// parent returns the name before the last one, or "" at the root.
func (p keyPath) parent() string {
	if len(p) < 2 {
		return ""
	}
	return p[len(p)-2]
}

// dotted returns the path with dots between its segments. It returns false if a segment
// contains a dot or is empty.
func (p keyPath) dotted() (string, bool) {
	text, delimiter, ok := p.path()
	return text, ok && delimiter == "."
}

// path returns the path as text, and a delimiter that none of its segments contains. It
// returns false if there is no such delimiter or a segment is empty.
func (p keyPath) path() (text, delimiter string, ok bool) {
	if slices.Contains(p, "") {
		return "", "", false
	}
	for _, delimiter := range []string{".", "/", "|", "#", "~"} {
		if !slices.ContainsFunc(p, func(name string) bool { return strings.Contains(name, delimiter) }) {
			return strings.Join(p, delimiter), delimiter, true
		}
	}
	return "", "", false
}

// list is a candidate for the data.
type list struct {
	keyPath
	items   []value.Value
	objects int // number of items that are objects
	whole   bool
	alone   bool // a single element of XML, which may be a list with one item
	// columns is the path to the column names, if the items were lists of values.
	columns string
	// parallel is true if the items were an object of lists.
	parallel bool
}

// maxDepth is the maximum depth, below the root, of lists and scalars.
const maxDepth = 8

// survey returns the lists of the response and the scalars outside of them. In XML, a
// single element may be a list, too: its name must look like the singular of the name of
// its parent.
func survey(response value.Value, xml bool) (facts []scalarFact, lists []list) {
	var walk func(v value.Value, at keyPath)
	walk = func(v value.Value, at keyPath) {
		switch {
		case v.Kind() == value.Array:
			l := list{keyPath: slices.Clone(at), items: v.Items()}
			for _, item := range l.items {
				if item.Kind() == value.Object {
					l.objects++
				}
			}
			lists = append(lists, l)
		case v.Kind() == value.Object && len(at) < maxDepth:
			for _, m := range v.Members() {
				below := append(slices.Clone(at), m.Name)
				if xml && onlyElement(v, m) && isPlural(below.parent(), m.Name) {
					lists = append(lists, list{keyPath: below, items: []value.Value{m.Value}, objects: 1, alone: true})
					continue
				}
				walk(m.Value, below)
			}
		case len(at) > 0 && v.Kind() != value.Object:
			facts = append(facts, scalarFact{slices.Clone(at), v})
		}
	}
	walk(response, nil)
	return facts, lists
}

// onlyElement reports whether a member is an element with content and its parent has no
// other element. Members with a leading @ are attributes.
func onlyElement(around value.Value, m value.Member) bool {
	return m.Value.Kind() == value.Object && !slices.ContainsFunc(around.Members(), func(other value.Member) bool {
		return other.Name != m.Name && !strings.HasPrefix(other.Name, "@")
	})
}

// isPlural reports whether many looks like a plural of one: products, productList.
func isPlural(many, one string) bool {
	many, one = textfmt.Letters(many), textfmt.Letters(one)
	return len(one) > 1 && len(many) > len(one) && strings.HasPrefix(many, one[:len(one)-1])
}

// setting returns the value of `dataField`.
func (l list) setting() value.Value {
	if len(l.keyPath) == 0 {
		return value.OfString(".")
	}
	text, delimiter, _ := l.path()
	way := value.Member{Name: config.DataFieldPath.Name, Value: value.OfString(text)}
	switch {
	case l.columns != "":
		return value.OfMembers(way, value.Member{Name: config.DataFieldColumns.Name, Value: value.OfString(l.columns)})
	case l.parallel:
		return value.OfMembers(way, value.Member{Name: config.DataFieldParallel.Name, Value: value.OfBool(true)})
	case delimiter == ".":
		return value.OfString(text)
	}
	return value.OfMembers(way, value.Member{Name: config.DataFieldDelimiter.Name, Value: value.OfString(delimiter)})
}

// label returns the name of the list in questions and choices.
func (l list) label() string {
	if len(l.keyPath) == 0 {
		return "."
	}
	text, _, _ := l.path()
	return text
}

// accompanyingLists are names of lists that accompany the data and are rarely the data.
var accompanyingLists = []string{"included", "errors", "warnings", "links", "facets", "aggregations", "columns", "fields", "schema", "headers", "messages", "expand", "deleted", "sort", "filters"}

// rank returns the sort keys of a list, most significant first. Lists of objects come
// before other lists, then accompanying lists come last, then the number of items counts.
func (l list) rank() (objects, main, items int) {
	if l.objects > 0 {
		objects = 1
	}
	main = 1
	if len(l.keyPath) > 0 && slices.Contains(accompanyingLists, textfmt.Letters(l.name())) {
		main = 0
	}
	return objects, main, len(l.items)
}

// chooseData sets the list with the data. It returns a user error if choice names no list
// of the response.
func (d *configBuilder) chooseData(choice string) error {
	d.lists = slices.DeleteFunc(d.lists, func(l list) bool {
		_, _, ok := l.path()
		return !ok && len(l.keyPath) > 0
	})
	// A list with an accompanying name still wins if it is the only list with objects.
	slices.SortStableFunc(d.lists, func(a, b list) int {
		ao, am, ai := a.rank()
		bo, bm, bi := b.rank()
		for _, order := range []int{bo - ao, bm - am, bi - ai, len(a.keyPath) - len(b.keyPath)} {
			if order != 0 {
				return order
			}
		}
		return 0
	})
	if len(d.lists) == 0 {
		d.lists = []list{d.singleRow()}
	}
	at := 0
	if choice != "" {
		labels := make([]string, len(d.lists))
		for i, l := range d.lists {
			labels[i] = l.label()
		}
		if at = slices.Index(labels, choice); at < 0 {
			return failure.Userf("there is no list '%s' in the response, expected one of %s", choice, strings.Join(labels, ", "))
		}
	}
	d.data = d.lists[at]
	evidence, certainty := d.dataEvidence()
	if choice != "" {
		evidence, certainty = "chosen: "+evidence, sure
	}
	for _, l := range d.lists {
		d.DataFields = append(d.DataFields, Option{l.label(), describe(l)})
	}
	d.DataFields = toFront(d.DataFields, at)
	d.guess("data", jobPointer(config.JobDataField), d.data.setting(), certainty, evidence)
	return nil
}

func describe(l list) string {
	switch {
	case l.columns != "" || l.parallel:
		return l.tableEvidence()
	case l.whole:
		return "one object"
	case l.alone:
		return "one element"
	case len(l.items) == 0:
		return "an empty list"
	case l.objects == 0:
		return fmt.Sprintf("a list of %s that are not objects", textfmt.Count(len(l.items), "item"))
	default:
		return "a list of " + textfmt.Count(l.objects, "object")
	}
}

func (d *configBuilder) dataEvidence() (string, confidence) {
	what := describe(d.data)
	switch {
	case d.data.whole:
		return "there is no list in the response, so it is one row", likely
	case d.data.columns != "":
		return what, sure
	case d.data.parallel:
		return what, likely
	case len(d.data.keyPath) == 0:
		return "the response itself is " + what, sure
	case d.data.alone:
		return what + ", and other elements like it would be next to it", likely
	case len(d.lists) == 1:
		return "the only list in the response, " + what, sure
	default:
		var others []string
		for _, l := range d.lists {
			if l.label() != d.data.label() {
				others = append(others, fmt.Sprintf("'%s' (%s)", l.label(), describe(l)))
			}
		}
		return fmt.Sprintf("%s; the others are %s", what, strings.Join(others, ", ")), likely
	}
}

// singleRow returns the data of a response without lists, as one row: the object in a usual
// wrapper, or the whole response.
func (d *configBuilder) singleRow() list {
	if all := d.root.Members(); d.format == xmlFormat && len(all) == 1 && onlyElement(d.root, all[0]) {
		return list{keyPath: keyPath{all[0].Name}, items: []value.Value{all[0].Value}, objects: 1, alone: true}
	}
	for _, m := range d.root.Members() {
		if m.Value.Kind() == value.Object && slices.Contains([]string{"data", "result", "item", "response", "value"}, textfmt.Letters(m.Name)) {
			if _, _, ok := (keyPath{m.Name}).path(); ok {
				return list{keyPath: keyPath{m.Name}, items: []value.Value{m.Value}, objects: 1, whole: true}
			}
		}
	}
	return list{items: []value.Value{d.root}, objects: 1, whole: true}
}

// factsOutsideData returns the facts that do not belong to the data.
func (d *configBuilder) factsOutsideData() []scalarFact {
	if !d.data.whole {
		return d.facts
	}
	return nil
}
