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

// IsPublic reports whether a path needs no token.
func IsPublic(pattern string) bool { return isPublic(pattern) }
