// Package pagination holds the scrollers: pure functions from a state and a
// page to the next request or the reason to stop. A scroller is a value, its
// state is a value, and nothing is shared between jobs, so there is nothing to
// reset.
//
// Each method of paging has a file of its own: its settings, its first request,
// its next request. The package sends nothing and reads no responses; what it
// may know of a page is in Page.
package pagination

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Page is what a scroller may know of a page.
type Page struct {
	// Rows is the number of items on the page.
	Rows int
	// IDs are the smallest and largest item id; only when Needs.ItemID is set
	// and there are rows.
	IDs IDs
	// Field is the value at one of the places of Needs.Fields, null when
	// nothing is there.
	Field func(response.Path) (value.Value, error)
	// Now is when the page was processed.
	Now time.Time
}

// Needs is what a scroller wants to know of every page.
type Needs struct {
	Fields []response.Path
	// ItemID is a path in every item that leads to a number; an empty Text
	// asks for none.
	ItemID response.Path
}

// State is what a scroller remembers between two pages of one job run. Only
// the scroller that made it looks inside.
type State any

// Stop says which rule ended a job.
type Stop struct {
	// Rule in words, e.g. "the page has 1 row, fewer than the limit of 2".
	Rule string
	// Pointer to the setting behind the rule.
	Pointer string
}

// Scroller decides the first and the next request of a job.
type Scroller interface {
	// Needs is constant.
	Needs() Needs
	// First is the job's first request and the state after it; now is when it
	// is sent.
	First(job config.Request, now time.Time) (config.Request, State)
	// Next is the request after a page and the state after it, or the reason to
	// stop. Errors are user errors: the page lacks what paging needs.
	Next(job config.Request, s State, p Page) (config.Request, State, *Stop, error)
}

// compile reads the settings of one method. Problems go to the section; the
// scroller is usable all the same.
type compile func(config.Section) Scroller

// methods are the methods of paging by their names.
func methods() map[string]compile {
	return map[string]compile{
		"offset": compileOffset,
		"cursor": compileCursor,
	}
}

// Scrollers are the scrollers of one configuration.
type Scrollers struct {
	pointer  string
	fallback Scroller
	named    map[string]Scroller // only with the method multiple
	multiple bool
}

// Compile reads `api.pagination`. An absent or empty section means: no paging.
func Compile(s config.Section) Scrollers {
	all := Scrollers{pointer: s.Pointer, fallback: none{}}
	if !s.Present() || s.Value.Kind() != value.Object {
		return all
	}
	method := s.Text("method", "")
	if method != "multiple" {
		all.fallback = compileOne(s, method)
		return all
	}
	all.multiple = true
	all.compileNamed(s)
	return all
}

func (all *Scrollers) compileNamed(s config.Section) {
	scrollers := s.Get("scrollers")
	if !scrollers.Present() {
		scrollers.Problem("the method multiple needs at least one scroller", "")
		return
	}
	all.named = map[string]Scroller{}
	for _, m := range scrollers.Value.Members() {
		one := scrollers.Get(m.Name)
		if one.Value.Kind() != value.Object {
			one.Problem("expected an object with the settings of a scroller", "")
			continue
		}
		all.named[m.Name] = compileOne(one, one.Text("method", ""))
	}
	name := s.Text("default", "")
	if name == "" {
		// A scroller that is called default serves the jobs that name none.
		if scroller, ok := all.named["default"]; ok {
			all.fallback = scroller
		}
		return
	}
	scroller, err := all.find(name)
	if err != nil {
		s.Get("default").Problem(err.Error(), "")
		return
	}
	all.fallback = scroller
}

func compileOne(s config.Section, method string) Scroller {
	if method == "" {
		return none{}
	}
	known := methods()
	compile, ok := known[method]
	if !ok {
		names := append(slices.Sorted(maps.Keys(known)), "multiple")
		s.Get("method").Problem("expected a method of paging: "+strings.Join(names, ", "), "")
		return none{}
	}
	return compile(s)
}

// For is the scroller of a job that names one in `scroller`, or none ("").
func (all Scrollers) For(name string) (Scroller, error) {
	if name == "" || !all.multiple {
		return all.fallback, nil
	}
	return all.find(name)
}

func (all Scrollers) find(name string) (Scroller, error) {
	if scroller, ok := all.named[name]; ok {
		return scroller, nil
	}
	names := slices.Sorted(maps.Keys(all.named))
	return none{}, failure.Userf("the scroller '%s' is not defined, there are: %s", name, strings.Join(names, ", "))
}

// none is no paging: one request.
type none struct{}

func (none) Needs() Needs { return Needs{} }

func (none) First(job config.Request, _ time.Time) (config.Request, State) { return job, nil }

func (none) Next(config.Request, State, Page) (config.Request, State, *Stop, error) {
	return config.Request{}, nil, &Stop{Rule: "one request without paging"}, nil
}
