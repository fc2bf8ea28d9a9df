package pagination

import (
	"cmp"
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
	all := Scrollers{single: singleRequest{}}
	if s.Value.Kind() != value.Object {
		return all
	}
	if Multiple(s) {
		all.compileNamed(s, methods)
	} else if m, ok := methods.Of(s); ok {
		require(s, m)
		all.single = m.Compile(s)
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
	all.fallback = NameFor(s, "")
	if _, err := all.find(all.fallback); err != nil && all.fallback != "" {
		fallbackName.In(s).Fault(failure.UnknownScroller, failure.Part(err.Error()), "")
		all.fallback = ""
	}
}

// NameFor is the name of the scroller of a job that names one, or none (""), among
// those of a section with the method multiple; "" is not paging. A scroller that is
// called default serves the jobs that name none.
func NameFor(s config.Section, named string) string {
	if named == "" {
		named = fallbackName.Of(s)
	}
	if _, ok := Named.In(s).Value.Get(namelessServed); ok && named == "" {
		return namelessServed
	}
	return named
}

// ServedBy is the section of the scroller that serves a job which names one, or
// none. Among the scrollers of a scroller the name is looked up again.
func ServedBy(s config.Section, named string) config.Section {
	name := NameFor(s, named)
	if _, ok := Named.In(s).Value.Get(name); ok && Multiple(s) {
		return ServedBy(Named.In(s).Get(name), named)
	}
	return s
}

// checkPages looks at a setting of an older version, which has no effect: what
// is not a number shows that something else was meant.
func checkPages(pages config.Section) {
	v := pages.Value
	digits := v.Kind() == value.String && strings.Trim(v.Raw(), "0123456789") == ""
	if pages.Present() && !v.IsInteger() && !digits {
		pages.Fault(failure.WrongType, "expected an integer", "")
	}
}

// For is the scroller of a job that names one in `scroller`, or none ("").
// Among the scrollers of a scroller, which has the method multiple again, the
// name is looked up again.
func (all Scrollers) For(name string) (Scroller, error) {
	chosen, err := all.choose(name)
	if err != nil {
		return nil, err
	}
	for _, rule := range all.stoppers {
		chosen = stoppingScroller{rule: rule, inner: chosen}
	}
	return chosen, nil
}

func (all Scrollers) choose(name string) (Scroller, error) {
	if all.named == nil {
		return all.single, nil
	}
	wanted := cmp.Or(name, all.fallback)
	if wanted == "" {
		return singleRequest{}, nil
	}
	inner, err := all.find(wanted)
	if err != nil {
		return nil, err
	}
	return inner.For(name)
}

func (all Scrollers) find(name string) (Scrollers, error) {
	if inner, ok := all.named[name]; ok {
		return inner, nil
	}
	names := slices.Sorted(maps.Keys(all.named))
	return Scrollers{}, failure.Userf("the scroller '%s' is not defined, there are: %s", name, strings.Join(names, ", "))
}
