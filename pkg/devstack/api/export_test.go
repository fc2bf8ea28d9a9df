package api

import (
	"maps"
	"slices"
)

// Endpoints are the patterns of all paths with the methods that they know.
func Endpoints() map[string][]string {
	all := map[string][]string{}
	for pattern, m := range new(server).endpoints() {
		all[pattern] = slices.Sorted(maps.Keys(m))
	}
	return all
}
