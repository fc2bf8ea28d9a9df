package apis

import (
	"maps"
	"slices"
)

// condition is a kind of untidy data that real services send. The mock servers send them to the
// configurations of the gallery.
type condition string

const (
	// deleted is an item that was deleted after a run had fetched it.
	deleted condition = "deleted"
	// archived is an item that is archived, paused or inactive: many lists leave it out
	// unless a parameter requests it.
	archived condition = "archived"
	// forbidden is a parent whose children the credential may not read: 403.
	forbidden condition = "forbidden parent"
	// missingParent is a parent that was deleted between its list and its children: 404.
	missingParent condition = "missing parent"
	// shortPage is a page with fewer items than its size, and more pages after it.
	shortPage condition = "short page"
	// absentKey is an item that lacks a key that others have.
	absentKey condition = "absent key"
	// tie is two items with the same time at the border of two pages or two runs.
	tie condition = "tie"
	// errorIn200 is an error in a response with the status 200, where the vendor has them.
	errorIn200 condition = "error in 200"
	// expiredToken is a token that ends in the middle of a run.
	expiredToken condition = "expired token"
	// oddValue is a null, an empty string, "-" or another type where others have a value.
	oddValue condition = "odd value"
)

var conditions = []condition{deleted, archived, forbidden, missingParent, shortPage, absentKey, tie, errorIn200, expiredToken, oddValue}

// shows records that a response has a condition. The caller holds w.mu.
func (w *world) shows(all ...condition) {
	for _, c := range all {
		w.shown[c] = true
	}
}

func (w *world) showsIf(shown bool, all ...condition) {
	if shown {
		w.shows(all...)
	}
}

// checkUntidiness reports the conditions that the mock server has not sent in any run and gives
// no reason for.
func (s *sequence) checkUntidiness() {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range conditions {
		switch reason, ok := s.notShown[c]; {
		case s.shown[c] && ok:
			s.Errorf("the mock server has shown %q, although it cannot: %s", c, reason)
		case !s.shown[c] && len(reason) < 20:
			s.Errorf("the mock server has not shown %q, and gives no reason (%q)", c, reason)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(s.notShown)) {
		if !slices.Contains(conditions, c) {
			s.Errorf("%q is no condition", c)
		}
	}
}
