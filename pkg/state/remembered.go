package state

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	keyRemembered = "remembered"
	// KeyIterations is the member of what is remembered that holds the values of
	// iterations. No name may be equal to it.
	KeyIterations = "iterations"
)

// Remembered stores what jobs and logins leave for the next run. As long as no memory
// has names it keeps what is there as it is.
type Remembered struct {
	previous   value.Value // as it stands
	iterations value.Value // the object of that name in it, else null
	checked    bool        // that both are objects
	inUse      bool        // that a memory has names
	memories   []*IterationValues
}

// Keys are its members in the document.
func (r *Remembered) Keys() []string { return []string{keyRemembered} }

// Load takes what the previous run left.
func (r *Remembered) Load(previous value.Value) { r.previous = previous.Field(keyRemembered) }

// Save is what all memories hold. Values of iterations without a memory are gone.
func (r *Remembered) Save() []value.Member {
	var own, iterations []value.Member
	for _, m := range r.memories {
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

// ForIteration makes the memory of an iteration, which is known by its key: "" is that of a
// document without iterations. It remembers these names and keeps what it has of
// others. All memories are made before the first value is remembered. What cannot be
// read of the previous state is taken as nothing, and goes to warn.
func (r *Remembered) ForIteration(iteration string, names []Name, warn func(text string)) *IterationValues {
	r.check(warn)
	m := &IterationValues{iteration: iteration, names: map[string]*values{}, owner: r}
	place := fmt.Sprintf("'%s'", keyRemembered)
	before := r.previous.Without(KeyIterations)
	if iteration != "" {
		place = fmt.Sprintf("'%s' in '%s' in %s", iteration, KeyIterations, place)
		before = object(r.iterations.Field(iteration), place, warn)
	}
	m.load(before, names, place, warn)
	r.memories, r.inUse = append(r.memories, m), r.inUse || len(names) > 0
	return m
}

// check replaces what is not an object by null.
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
