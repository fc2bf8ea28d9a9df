package state

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	keyRemembered = "remembered"
	// KeyIterations is the member of the remembered values that holds the values of
	// iterations. It cannot be the name of a value.
	KeyIterations = "iterations"
)

// Remembered stores the values that jobs and logins leave for the next run. If no
// iteration remembers names, it keeps the previous values unchanged.
type Remembered struct {
	previous        value.Value // values of the previous run
	iterations      value.Value // member KeyIterations of previous, or null
	checked         bool        // true after previous and iterations were checked
	inUse           bool        // true if an iteration remembers names
	iterationValues []*IterationValues
}

// load loads the values that the previous run left.
func (r *Remembered) load(previous value.Value) { r.previous = previous.Field(keyRemembered) }

// save returns the values of all iterations. It drops the values of iterations without an
// IterationValues.
func (r *Remembered) save() []value.Member {
	var own, iterations []value.Member
	for _, m := range r.iterationValues {
		switch kept := m.members(); {
		case m.iteration == "":
			own = kept
		case len(kept) > 0:
			iterations = append(iterations, value.Member{Name: m.iteration, Value: value.OfMembers(kept...)})
		}
	}
	if len(iterations) > 0 {
		own = append(own, value.Member{Name: KeyIterations, Value: value.OfMembers(iterations...)})
	}
	if !r.inUse || len(own) == 0 && r.previous.IsNull() {
		return nil
	}
	return []value.Member{{Name: keyRemembered, Value: value.OfMembers(own...)}}
}

// ForIteration creates the remembered values of an iteration. iteration is its key, "" in
// a document without iterations. names are the names that the iteration remembers; it
// also keeps previous values of other names. ForIteration must be called for all
// iterations before the first value is set. It ignores parts of the previous state that
// it cannot read, and passes a warning to warn.
func (r *Remembered) ForIteration(iteration string, names []Name, warn func(text string)) *IterationValues {
	r.check(warn)
	m := &IterationValues{iteration: iteration, names: map[string]*values{}, owner: r}
	place := fmt.Sprintf("'%s'", keyRemembered)
	before := r.previous.Without(KeyIterations)
	if iteration != "" {
		place = fmt.Sprintf("'%s' in '%s' in %s", iteration, KeyIterations, place)
		before = object(r.iterations.Field(iteration), place, warn)
	}
	m.loadPrevious(before, names, place, warn)
	r.iterationValues, r.inUse = append(r.iterationValues, m), r.inUse || len(names) > 0
	return m
}

// check replaces values that are not objects with null.
func (r *Remembered) check(warn func(text string)) {
	if r.checked {
		return
	}
	r.checked = true
	place := fmt.Sprintf("'%s'", keyRemembered)
	r.previous = object(r.previous, place, warn)
	r.iterations = object(r.previous.Field(KeyIterations), fmt.Sprintf("'%s' in %s", KeyIterations, place), warn)
}

// object returns v as an object, or null if v is neither an object nor a list. PHP writes
// an empty object, and an object with the keys 0, 1, 2 and so on, as a list.
func object(v value.Value, place string, warn func(text string)) value.Value {
	switch {
	case v.IsNull() || v.Kind() == value.Object:
		return v
	case v.Len() > 0:
		return v.AsObject()
	case !v.Empty():
		warn(place + " is not an object; what it held is not known any more")
	}
	return value.Value{}
}
