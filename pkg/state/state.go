// Package state contains the state that a run passes to the next run: the document in
// in/state.json and out/state.json.
//
// Each contributor has its own keys in that document. Keys of no contributor are kept.
//
// The package reads and writes no files (see package datadir) and emits no events.
package state

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// contributor is a part of the state.
//
// To add a part, implement contributor in a file of its own and pass it to Open in newRun
// of pkg/engine/run.go. Save values in a form that PHP does not change, see portable.go. If
// the next run needs a value even after a failed run, store it with env.Run.Keep too. Add a
// test beside the file, a case with two runs to tests/functional/nextrun_test.go, and the
// keys to docs/reference/files.md.
type contributor interface {
	// load reads its members in the document of the previous run, an object or null.
	load(previous value.Value)
	// save returns its members for the next run. A key that is missing keeps its previous
	// value. No two contributors use the same key.
	save() []value.Member
}

// State is the state document of one run.
type State struct {
	previous     value.Value
	contributors []contributor
}

// Open creates the state of a run. previous is the document of the previous run, or null.
func Open(previous value.Value, contributors ...contributor) *State {
	for _, c := range contributors {
		c.load(previous)
	}
	return &State{previous, contributors}
}

// Next returns the document for the next run. New members follow the members of the
// previous run, in the order of the contributors. If the platform could not read the
// document, Next returns a user error.
func (s *State) Next() (value.Value, error) {
	members := slices.Clone(s.previous.Members())
	for _, c := range s.contributors {
		members = append(members, c.save()...)
	}
	next := value.OfMembers(members...)
	return next, checkDepth(next)
}
