package expr

import (
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Flatten returns the leaves of an object or an array by their paths: names and indexes
// joined by dots. If two leaves have the same path, as in {"a.b": 1, "a": {"b": 2}}, the
// later leaf wins, even if it is null. A scalar has no path, so it has no members.
func Flatten(v value.Value) Members {
	members := Members{}
	members.add("", v)
	return members
}

func (ms Members) add(prefix string, v value.Value) {
	for _, m := range v.Members() {
		ms.addLeaf(prefix+m.Name, m.Value)
	}
	for i, item := range v.Items() {
		ms.addLeaf(prefix+strconv.Itoa(i), item)
	}
}

func (ms Members) addLeaf(path string, v value.Value) {
	switch {
	case v.IsNull():
		delete(ms, path)
	case v.IsScalar():
		ms[path] = v
	default:
		ms.add(path+".", v)
	}
}
