package pagination

import (
	"cmp"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// stopper is a rule that can end a job before its scroller computes the next request.
// Like a scroller it has no mutable state.
type stopper struct {
	needs Requirements
	// counts is true if the rule only counts rows or pages.
	counts bool
	// ofRound is true if the responses decide, so that the rule begins again with each round
	// of a scroller that starts over.
	ofRound bool
	// totals are the paths of totals that the rule reads.
	totals []Total
	// announces returns the field that announces more pages after page p, or "". It may
	// be nil.
	announces func(p PageInfo) string
	// start returns the state at the first request of the job. Nil means no state.
	start func(now time.Time) State
	// after returns the state after another page, or the reason to stop.
	after func(s State, p PageInfo) (State, *Stop, error)
	// describe is a sentence about the rule, or "".
	describe string
}

// compileStoppers compiles the stoppers in the settings of a scroller, the innermost
// first. `limitStop` is checked first, then `forceStop`, `nextPageFlag` and `stopWhen`.
func compileStoppers(s config.Section) []stopper {
	var all []stopper
	for _, rule := range Stoppers() {
		settings := rule.Setting.In(s)
		ok := settings.Present()
		if rule.Setting.Type.Kinds[0] == "object" {
			settings, ok = object(settings)
		}
		if ok {
			all = append(all, rule.compile(settings))
		}
	}
	return all
}

// stopRule is a setting that can end a job.
type stopRule struct {
	Setting field.Setting[config.Section]
	compile func(config.Section) stopper
}

// Stoppers returns all stop rules, the innermost first.
func Stoppers() []stopRule {
	return []stopRule{{stopWhenSetting, compileStopWhen}, {NextPageFlag, compileNextPageFlag}, {ForceStop, compileForceStop}, {LimitStop, compileLimitStop}}
}

// stoppableState is the state of a scroller with a stopper around it.
type stoppableState struct{ rule, inner State }

// around returns a scroller with the stopper around it.
func (rule stopper) around(inner Scroller) Scroller {
	s := inner
	s.Needs.Fields = slices.Concat(inner.Needs.Fields, rule.needs.Fields)
	s.Needs.Volume = inner.Needs.Volume || rule.needs.Volume
	s.Needs.Time = inner.Needs.Time || rule.needs.Time
	s.First = func(job config.RequestSpec, now time.Time) (config.RequestSpec, State) {
		request, state := inner.First(job, now)
		if rule.start == nil {
			return request, stoppableState{nil, state}
		}
		return request, stoppableState{rule.start(now), state}
	}
	s.Next = func(job config.RequestSpec, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
		before := state.(stoppableState)
		after, stop, err := rule.after(before.rule, p)
		if stop != nil || err != nil {
			if stop != nil {
				stop.Limit = !rule.ofRound
			}
			return job, nil, stop, err
		}
		request, next, stop, err := inner.Next(job, before.inner, p)
		if rule.announces != nil && stop != nil {
			stop.Flag = cmp.Or(rule.announces(p), stop.Flag)
		}
		return request, stoppableState{after, next}, stop, err
	}
	s.NextRound = func(job config.RequestSpec, state State, now time.Time) (config.RequestSpec, State) {
		before := state.(stoppableState)
		request, next := inner.NextRound(job, before.inner, now)
		return request, stoppableState{before.rule, next}
	}
	s.Describe = func(job config.RequestSpec) []string {
		if rule.describe == "" {
			return inner.Describe(job)
		}
		return append(inner.Describe(job), rule.describe)
	}
	s.Totals = slices.Concat(inner.Totals, rule.totals)
	if rule.announces != nil {
		s.Announces = func(p PageInfo) string { return cmp.Or(rule.announces(p), inner.Announces(p)) }
	}
	if inner.Full != nil {
		s.Full = func(job config.RequestSpec, state State, last PageInfo) int {
			return inner.Full(job, state.(stoppableState).inner, last)
		}
		s.Exists = func(job config.RequestSpec, state State, last PageInfo) bool {
			return rule.counts && inner.Exists(job, state.(stoppableState).inner, last)
		}
	}
	s.Evaluate = func(values []value.Value) Scroller { return rule.around(inner.Evaluate(values)) }
	s.Place = func(names []string) Scroller { return rule.around(inner.Place(names)) }
	return s
}
