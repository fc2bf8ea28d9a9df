package infer

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// valueKinds is the set of kinds of values at one path of the items: scalars that are not
// empty texts, empty texts, objects with members, lists with items.
type valueKinds struct{ scalars, blanks, objects, lists bool }

// others reports whether there are values other than objects, apart from values that may
// be a missing object.
func (h valueKinds) others() bool { return h.scalars || h.lists }

// id returns a unique text for the path, for use as a map key.
func (p keyPath) id() string { return strings.Join(p, "\x00") }

// kindsByPath returns the kinds of values at each path of the items, and the paths in
// order. An API may write a text in one item and an object in another. All items of a
// list share one path.
func kindsByPath(items []value.Value) (at map[string]valueKinds, order []keyPath) {
	at = map[string]valueKinds{}
	var look func(v value.Value, p keyPath)
	look = func(v value.Value, p keyPath) {
		h, known := at[p.id()]
		if !known {
			order = append(order, p)
		}
		switch v.Kind() {
		case value.Null:
		case value.Object:
			h.objects = h.objects || v.Len() > 0
		case value.Array:
			h.lists = h.lists || v.Len() > 0
		default:
			blank := v.Kind() == value.String && v.Raw() == ""
			h.scalars, h.blanks = h.scalars || !blank, h.blanks || blank
		}
		at[p.id()] = h
		if len(p) >= maxDepth {
			return
		}
		for _, m := range v.Members() {
			look(m.Value, append(slices.Clone(p), m.Name))
		}
		for _, item := range v.Items() {
			look(item, append(slices.Clone(p), inList))
		}
	}
	for _, item := range items {
		look(item, nil)
	}
	return at, order
}

// inList is the segment of a path for the items of a list. It is not UTF-8, so no member has
// this name.
const inList = "\xff"

// isNothing reports whether a value represents a missing value: null, "", [] or {}.
func isNothing(v value.Value) bool {
	return v.IsNull() || v.Kind() == value.String && v.Raw() == "" || (v.Kind() == value.Array || v.Kind() == value.Object) && v.Len() == 0
}

// mixed returns the paths that hold an object in one item and a text in another. A table
// without a mapping cannot hold both. For a path inside a list it returns the path of the
// list.
func (d *configBuilder) mixed() []string {
	kinds, order := kindsByPath(d.data.items)
	var paths []string
	for _, p := range order {
		h, items := kinds[p.id()], kinds[append(slices.Clone(p), inList).id()]
		if !(h.objects || items.objects) || !(h.scalars || h.blanks || items.scalars || items.blanks) || len(p) == 0 {
			continue
		}
		if list := slices.Index(p, inList); list >= 0 {
			p = p[:list]
		}
		path, ok := p.dotted() // "" if the item is itself a list
		inside := slices.ContainsFunc(paths, func(above string) bool { return path == above || strings.HasPrefix(path, above+".") })
		if ok && path != "" && !inside {
			paths = append(paths, path)
		}
	}
	return paths
}

// storeAsText selects the parts of the items that become JSON text.
func (d *configBuilder) storeAsText() {
	if d.mapping.Len() > 0 || d.data.objects == 0 {
		return
	}
	d.texts = d.mixed()
	if len(d.texts) == 0 {
		return
	}
	d.guess("texts", jobPointer(config.JobResponseFilter), value.OfStrings(d.texts), sure,
		"these members hold a text in one item and an object in another, so each is stored as JSON text in one column")
}
