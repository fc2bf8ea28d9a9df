package pagination

import (
	"cmp"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// stopper is a rule that can end a job before its scroller computes the next request.
// Like a scroller it is a value without mutable state.
type stopper interface {
	needs() Requirements
	traits() ruleTraits
	// start returns the state at the first request of the job.
	start(now time.Time) State
	// after returns the state after another page, or the reason to stop.
	after(s State, p PageInfo) (State, *Stop, error)
	// describe returns a sentence about the rule, or "".
	describe() string
}

// ruleTraits are the properties of a stopper.
type ruleTraits struct {
	// counts is true if the rule only counts rows or pages.
	counts bool
	// totals are the paths of totals that the rule reads.
	totals []Total
	// announces returns the field that announces more pages after page p, or "". It may
	// be nil.
	announces func(p PageInfo) string
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

// StopRule is a setting that can end a job.
type StopRule struct {
	Setting field.Setting[config.Section]
	compile func(config.Section) stopper
}

// Stoppers returns all stop rules, the innermost first.
func Stoppers() []StopRule {
	return []StopRule{{StopWhen, compileStopWhen}, {NextPageFlag, compileNextPageFlag}, {ForceStop, compileForceStop}, {LimitStop, compileLimitStop}}
}

// stoppingScroller is a scroller with a stopper around it.
type stoppingScroller struct {
	rule  stopper
	inner Scroller
}

type stoppableState struct{ rule, inner State }

func (g stoppingScroller) Needs() Requirements {
	own, needs := g.rule.needs(), g.inner.Needs()
	needs.Fields = append(needs.Fields, own.Fields...)
	needs.Volume = needs.Volume || own.Volume
	needs.Time = needs.Time || own.Time
	return needs
}

func (g stoppingScroller) First(job config.RequestSpec, now time.Time) (config.RequestSpec, State) {
	request, inner := g.inner.First(job, now)
	return request, stoppableState{g.rule.start(now), inner}
}

func (g stoppingScroller) Next(job config.RequestSpec, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	s := state.(stoppableState)
	rule, stop, err := g.rule.after(s.rule, p)
	if stop != nil || err != nil {
		return job, nil, stop, err
	}
	request, inner, stop, err := g.inner.Next(job, s.inner, p)
	if announces := g.rule.traits().announces; announces != nil && stop != nil {
		stop.Flag = cmp.Or(announces(p), stop.Flag)
	}
	return request, stoppableState{rule, inner}, stop, err
}

func (g stoppingScroller) Describe(job config.RequestSpec) []string {
	all := g.inner.Describe(job)
	if text := g.rule.describe(); text != "" {
		all = append(all, text)
	}
	return all
}

func (g stoppingScroller) Traits() Traits { return g.inner.Traits().around(g.rule) }
