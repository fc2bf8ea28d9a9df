package platformapi

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

// Parameters are those of one method of a path, each group by the name that a client
// writes; lists end with [].
type Parameters struct {
	Query, Body, Ignored, Missing []string
	// OwnBody says that the body has no members to be checked.
	OwnBody bool
	// Absent says that the endpoint is not supported.
	Absent bool
}

// ParametersOf are the declared parameters.
func ParametersOf(pattern, method string) Parameters {
	e := new(server).endpoints()[pattern][method]
	return Parameters{
		Query: e.queryNames, Body: e.bodyNames, Ignored: slices.Sorted(maps.Keys(e.idle)), Missing: e.missing, OwnBody: e.ownBody, Absent: e.unsupported,
	}
}
