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

// Scrollers are the scrollers of one configuration: one scroller for all jobs, or several
// named scrollers with the method multiple.
type Scrollers struct {
	stoppers  []stopper
	startOver *startOver // nil if jobs do not start over
	// single is the scroller of all jobs if there are no named scrollers.
	single Scroller
	named  map[string]Scrollers
	// fallback is the name of the scroller for jobs that do not name a scroller. If it is
	// "", these jobs have no pagination.
	fallback string
}

// Compile compiles `api.pagination`. A missing or empty section means no pagination.
func Compile(s config.Section, methods Methods) Scrollers {
	all := Scrollers{single: singleRequest()}
	if s.Value.Kind() != value.Object {
		return all
	}
	if Multiple(s) {
		all.compileNamed(s, methods)
	} else if m, ok := methods.Of(s); ok {
		checkRequired(s, m)
		all.single = m.Compile(s).complete()
	}
	all.stoppers, all.startOver = compileStoppers(s), compileStartOver(s)
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

// NameFor returns the name of the scroller of a job in section s, which has the method
// multiple. named is the name in the job, or "". A scroller with the name default serves
// jobs without a name. The result "" means no pagination.
func NameFor(s config.Section, named string) string {
	if named == "" {
		named = fallbackName.Of(s)
	}
	if _, ok := Named.In(s).Value.Get(defaultScroller); ok && named == "" {
		return defaultScroller
	}
	return named
}

// ServedBy returns the section of the scroller of a job. named is the name in the job, or
// "". If the scroller has the method multiple itself, the name is looked up in it again.
func ServedBy(s config.Section, named string) config.Section {
	name := NameFor(s, named)
	if _, ok := Named.In(s).Value.Get(name); ok && Multiple(s) {
		return ServedBy(Named.In(s).Get(name), named)
	}
	return s
}

// checkPages checks `pages`, an old setting without effect. A value that is not a number
// indicates that a different setting was meant.
func checkPages(pages config.Section) {
	v := pages.Value
	digits := v.Kind() == value.String && strings.Trim(v.Raw(), "0123456789") == ""
	if pages.Present() && !v.IsInteger() && !digits {
		pages.Fault(failure.WrongType, "expected an integer", "")
	}
}

// For returns the scroller of a job. name is the name in the job, or "". If the scroller
// has the method multiple itself, the name is looked up in it again. With an error, For
// returns the scroller that sends one request.
func (all Scrollers) For(name string) (Scroller, error) {
	chosen, err := all.choose(name)
	if err != nil {
		return singleRequest(), err
	}
	if all.startOver == nil {
		for _, rule := range all.stoppers {
			chosen = rule.around(chosen)
		}
		return chosen, nil
	}
	for _, rule := range all.stoppers {
		if rule.ofRound {
			chosen = rule.around(chosen)
		}
	}
	chosen = all.startOver.around(chosen)
	for _, rule := range all.stoppers {
		if !rule.ofRound {
			chosen = rule.around(chosen)
		}
	}
	return chosen, nil
}

// ReadsBody reports whether the scroller needs values of the body of each response, which
// a response that is a file does not have.
func (s Scroller) ReadsBody() bool { return len(s.Needs.Fields) > 0 || s.Needs.ItemID.Text != "" }

// OneRequest returns the scroller of a job without pagination.
func OneRequest() Scroller { return singleRequest() }

func (all Scrollers) choose(name string) (Scroller, error) {
	if all.named == nil {
		return all.single, nil
	}
	scroller := cmp.Or(name, all.fallback)
	if scroller == "" {
		return singleRequest(), nil
	}
	inner, err := all.find(scroller)
	if err != nil {
		return Scroller{}, err
	}
	return inner.For(name)
}

func (all Scrollers) find(name string) (Scrollers, error) {
	if inner, ok := all.named[name]; ok {
		return inner, nil
	}
	names := slices.Sorted(maps.Keys(all.named))
	return Scrollers{}, failure.Userf("the scroller '%s' is not defined; the defined scrollers are: %s", name, strings.Join(names, ", "))
}
