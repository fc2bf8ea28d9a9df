// Package state is the state that a run passes to the next one: the document in
// in/state.json and out/state.json.
//
// Each Contributor has its own keys in that document. A new one is a file here and an
// entry in the list that the engine passes to Open. Keys of no contributor are kept.
//
// The package reads and writes no files (package datadir) and emits no events.
package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Contributor is one part of the state.
type Contributor interface {
	// Keys are its members in the document. No other contributor uses them.
	Keys() []string
	// Load takes an object with its members in the state of the previous run.
	Load(previous value.Value)
	// Save returns its members for the next run. A key that is missing keeps its
	// previous value.
	Save() []value.Member
}

// State is the document of one run.
type State struct {
	previous     value.Value
	contributors []Contributor
}

// Open makes the state of a run from the document of the previous run, null for none.
func Open(previous value.Value, contributors ...Contributor) *State {
	s := &State{previous: previous}
	for _, c := range contributors {
		s.Add(c)
	}
	return s
}

// Add loads a contributor and adds it.
func (s *State) Add(c Contributor) {
	var own []value.Member
	for _, m := range s.previous.Members() {
		if slices.Contains(c.Keys(), m.Name) {
			own = append(own, m)
		}
	}
	c.Load(value.OfMembers(own...))
	s.contributors = append(s.contributors, c)
}

// Next returns the document for the next run. New members follow those of the
// previous run, in the order of the contributors. A document that the platform could
// not read again is a user error.
func (s *State) Next() (value.Value, error) {
	members := slices.Clone(s.previous.Members())
	for _, c := range s.contributors {
		members = append(members, c.Save()...)
	}
	next := value.OfMembers(members...)
	return next, checkDepth(next)
}
