// Package state contains the state that a run passes to the next run: the document in
// in/state.json and out/state.json.
//
// Each Contributor has its own keys in that document. Keys of no contributor are kept.
//
// The package reads and writes no files (see package datadir) and emits no events.
package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Contributor is a part of the state.
//
// To add a part, implement Contributor in a file of its own and pass it to Open in newRun
// of pkg/engine/run.go. Save values in a form that PHP does not change, see portable.go. If
// the next run needs a value even after a failed run, store it with env.Run.Keep too. Add a
// test beside the file, a case with two runs to tests/functional/nextrun_test.go, and the
// keys to docs/reference/files.md.
type Contributor interface {
	// Keys returns its keys in the document. No other contributor uses these keys.
	Keys() []string
	// Load loads an object with its members in the state of the previous run.
	Load(previous value.Value)
	// Save returns its members for the next run. A key that is missing keeps its previous
	// value.
	Save() []value.Member
}

// State is the state document of one run.
type State struct {
	previous     value.Value
	contributors []Contributor
}

// Open creates the state of a run. previous is the document of the previous run, or null.
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

// Next returns the document for the next run. New members follow the members of the
// previous run, in the order of the contributors. If the platform could not read the
// document, Next returns a user error.
func (s *State) Next() (value.Value, error) {
	members := slices.Clone(s.previous.Members())
	for _, c := range s.contributors {
		members = append(members, c.Save()...)
	}
	next := value.OfMembers(members...)
	return next, checkDepth(next)
}
