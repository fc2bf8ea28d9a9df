package platformapi

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxNesting is the maximum number of parts in the key of a form.
const maxNesting = 8

// node is a value of a form: a text, or members in the order of their appearance.
type node struct {
	text    string
	names   []string
	members map[string]*node
}

// parseNested parses a form or a query with the key syntax of PHP: a[]=1&a[]=2 and
// a[0]=1&a[1]=2 are lists, a[b]=1 is an object. If a key without brackets has several
// values, the last value is used.
func parseNested(form url.Values) (value.Value, error) {
	root := &node{}
	for _, key := range slices.Sorted(maps.Keys(form)) {
		parts, err := keyParts(key)
		if err != nil {
			return value.Value{}, err
		}
		for _, text := range form[key] {
			if !root.set(parts, text) {
				return value.Value{}, invalid("The field %.100q is both a single value and a list", parts[0])
			}
		}
	}
	return root.object(), nil
}

// keyParts returns the parts a, b and c of the key a[b][c]. A key with unmatched brackets
// is a plain name.
func keyParts(key string) ([]string, error) {
	name, isList := listName(key)
	if !isList {
		return []string{key}, nil
	}
	inner := key[len(name)+1 : len(key)-1]
	parts := append([]string{name}, strings.Split(inner, "][")...)
	if len(parts) > maxNesting {
		return nil, invalid("The field %.100q is nested deeper than %d levels", name, maxNesting)
	}
	return parts, nil
}

// set stores a text at a path. It returns false if the path is both a text and a list. The
// part "" is the next index.
func (n *node) set(parts []string, text string) bool {
	if len(parts) == 0 {
		n.text = text
		return n.members == nil
	}
	if n.members == nil {
		n.members = map[string]*node{}
	}
	name := parts[0]
	if name == "" {
		name = strconv.Itoa(len(n.names))
	}
	child, found := n.members[name]
	if !found {
		child = &node{}
		n.members[name], n.names = child, append(n.names, name)
	} else if (child.members == nil) != (len(parts) == 1) {
		return false
	}
	return child.set(parts[1:], text)
}

func (n *node) value() value.Value {
	if n.members == nil {
		return value.OfString(n.text)
	}
	for _, name := range n.names {
		if _, err := strconv.ParseUint(name, 10, 31); err != nil {
			return n.object()
		}
	}
	slices.SortFunc(n.names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	items := make([]value.Value, 0, len(n.names))
	for _, name := range n.names {
		items = append(items, n.members[name].value())
	}
	return value.OfItems(items...)
}

func (n *node) object() value.Value {
	members := make([]value.Member, 0, len(n.names))
	for _, name := range n.names {
		members = append(members, value.Member{Name: name, Value: n.members[name].value()})
	}
	return value.OfMembers(members...)
}
