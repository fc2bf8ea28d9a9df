package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// LoginValues returns the part of a previous state with the values that logins remembered
// under names, or null. A run without a state still needs them: a token that changes with
// each use would be lost.
func LoginValues(previous value.Value, names []string) value.Value {
	remembered := members(previous.Field(keyRemembered))
	own := membersNamed(remembered, names)
	var iterations []value.Member
	for _, m := range members(remembered.Field(KeyIterations)).Members() {
		if kept := membersNamed(members(m.Value), names); len(kept) > 0 {
			iterations = append(iterations, value.Member{Name: m.Name, Value: value.OfMembers(kept...)})
		}
	}
	if len(iterations) > 0 {
		own = append(own, value.Member{Name: KeyIterations, Value: value.OfMembers(iterations...)})
	}
	if len(own) == 0 {
		return value.Value{}
	}
	return value.OfMembers(value.Member{Name: keyRemembered, Value: value.OfMembers(own...)})
}

// membersNamed returns the members with the given names.
func membersNamed(v value.Value, names []string) []value.Member {
	return slices.DeleteFunc(slices.Clone(v.Members()), func(m value.Member) bool { return !slices.Contains(names, m.Name) })
}
