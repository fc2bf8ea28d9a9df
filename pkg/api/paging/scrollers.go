package paging

import (
	"maps"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Scrollers are the scrollers of one configuration: one for all jobs or, with
// the method multiple, several with names.
type Scrollers struct {
	pointer  string
	stoppers []stopper
	// single serves all jobs when there are no named ones.
	single Scroller
	named  map[string]Scrollers
	// fallback is the name of the scroller of jobs that name none; "" is no
	// paging.
	fallback string
}

// Compile reads `api.pagination`. An absent or empty section means: no paging.
func Compile(s config.Section, methods Methods) Scrollers {
	all := Scrollers{pointer: s.Pointer, single: none{}}
	if s.Value.Kind() != value.Object {
		return all
	}
	if Multiple(s) {
		all.compileNamed(s, methods)
	} else if m, ok := methods.Of(s); ok {
		require(s, m)
		all.single = m.compile(s)
	}
	all.stoppers = compileStoppers(s)
	checkPages(unusedPages.In(s))
	return all
}

func (all *Scrollers) compileNamed(s config.Section, methods Methods) {
	scrollers := Named.In(s)
	members := scrollers.Value.Members()
	if len(members) == 0 {
		scrollers.Problem("expected at least one scroller", "")
		return
	}
	all.named = make(map[string]Scrollers, len(members))
	for _, m := range members {
		one := scrollers.Get(m.Name)
		if one.Value.Kind() != value.Object {
			one.Problem("expected an object with the settings of a scroller", "")
		}
		all.named[m.Name] = Compile(one, methods)
	}
	all.fallback = fallbackName.Of(s)
	if all.fallback == "" {
		// A scroller that is called default serves the jobs that name none.
		if _, ok := all.named[namelessServed]; ok {
			all.fallback = namelessServed
		}
		return
	}
	if _, err := all.find(all.fallback); err != nil {
		fallbackName.In(s).Fault(failure.UnknownScroller, failure.Part(err.Error()), "")
		all.fallback = ""
	}
}

// checkPages looks at a setting of an older version, which has no effect: what
// is no number shows that something else was meant.
func checkPages(pages config.Section) {
	v := pages.Value
	digits := v.Kind() == value.String && strings.Trim(v.Raw(), "0123456789") == ""
	if pages.Present() && !v.IsInteger() && !digits {
		pages.Fault(failure.WrongType, "expected an integer", "")
	}
}

// For is the scroller of a job that names one in `scroller`, or none ("").
// Among the scrollers of a scroller, which has the method multiple again, the
// name is looked up anew.
func (all Scrollers) For(name string) (Scroller, error) {
	chosen, err := all.choose(name)
	if err != nil {
		return nil, err
	}
	for _, rule := range all.stoppers {
		chosen = guarded{rule: rule, inner: chosen}
	}
	return chosen, nil
}

// Pointer is the place of the settings that For goes by.
func (all Scrollers) Pointer(name string) string {
	if inner, err := all.find(all.wanted(name)); err == nil {
		return inner.Pointer(name)
	}
	return all.pointer
}

func (all Scrollers) choose(name string) (Scroller, error) {
	if all.named == nil {
		return all.single, nil
	}
	wanted := all.wanted(name)
	if wanted == "" {
		return none{}, nil
	}
	inner, err := all.find(wanted)
	if err != nil {
		return nil, err
	}
	return inner.For(name)
}

// wanted is the name of the scroller of a job that names one, or none.
func (all Scrollers) wanted(name string) string {
	if name == "" {
		return all.fallback
	}
	return name
}

func (all Scrollers) find(name string) (Scrollers, error) {
	if inner, ok := all.named[name]; ok {
		return inner, nil
	}
	names := slices.Sorted(maps.Keys(all.named))
	return Scrollers{}, failure.Userf("the scroller '%s' is not defined, there are: %s", name, strings.Join(names, ", "))
}
