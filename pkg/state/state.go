// Package state is what a run remembers of the one before it: the document that
// comes in in/state.json and goes out in out/state.json.
//
// Each thing to remember is a Contributor with keys of its own in that document. A
// new one is a file here and an entry in the list that the engine gives to Open.
// Keys that belong to no contributor stay as they are.
//
// The package knows neither files nor events: datadir reads and writes the
// document, the engine says what happened.
package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Contributor is one thing that runs remember.
type Contributor interface {
	// Keys are the members of the document that belong to it. No other
	// contributor reads or writes them.
	Keys() []string
	// Load takes an object with those of its members that the previous run left.
	Load(previous value.Value)
	// Save returns the members that the next run finds. A key that is missing
	// keeps the value that the previous run left.
	Save() []value.Member
}

// State is the document of one run.
type State struct {
	previous     value.Value
	contributors []Contributor
}

// Open hands the document of the previous run, null for none, to the contributors.
func Open(previous value.Value, contributors ...Contributor) *State {
	s := &State{previous: previous}
	for _, c := range contributors {
		s.Add(c)
	}
	return s
}

// Add hands a contributor what the previous run left for it.
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

// Next is the document for the next run. New members stand behind those of the
// previous run, in the order of their contributors.
func (s *State) Next() value.Value {
	members := slices.Clone(s.previous.Members())
	for _, c := range s.contributors {
		members = append(members, c.Save()...)
	}
	return value.OfMembers(members...)
}
