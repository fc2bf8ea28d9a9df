package lint

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// unusedScrollers finds scrollers that no job names and that are not the one
// of jobs that name none.
func unusedScrollers(s settings, found *failure.Problems) {
	scrollers := paging.Named.In(s.paging)
	if !scrollers.Present() {
		return
	}
	if !paging.Multiple(s.paging) {
		found.Add(failure.Problem{Code: failure.UnusedScroller, Pointer: scrollers.Pointer,
			Expected: "nobody uses these scrollers, for the method is not \"multiple\"", Hint: "set \"method\" to \"multiple\""})
		return
	}
	var used []string
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			used = append(used, paging.NameFor(s.paging, j.Scroller))
		}
	}
	for _, one := range scrollers.Items() {
		if !slices.Contains(used, name(one)) {
			found.Add(failure.Problem{Code: failure.UnusedScroller, Pointer: one.Pointer,
				Expected: "no job uses this scroller", Hint: "name it in \"scroller\" of a job, or remove it"})
		}
	}
}

// methodOf is the method that pages a job, and its settings.
func (s settings) methodOf(j family) (paging.Method, config.Section) {
	own := paging.ServedBy(s.paging, j.Scroller)
	m, _ := s.Language.Paging.Of(own)
	return m, own
}

// idlePaging finds settings of paging where nothing is paged: scrollers of
// jobs, and rules that stop it.
func idlePaging(s settings, found *failure.Problems) {
	if !paging.Multiple(s.paging) {
		for _, it := range s.iterations {
			for _, j := range it.jobs {
				if j.Scroller != "" {
					found.Add(failure.Problem{Code: failure.NoEffect, Pointer: config.JobScroller.In(s.job(j.Job)).Pointer,
						Expected: "has no effect: the method of \"pagination\" is not \"multiple\"", Hint: "remove it, or define the scroller in \"scrollers\""})
				}
			}
		}
	}
	if paging.MethodName.In(s.paging).Present() {
		return
	}
	for _, rule := range paging.Stoppers() {
		at := rule.Setting.In(s.paging)
		if rule.Setting.Field == paging.ForceStop.Field && paging.ForceStopPages.Of(at) == 1 {
			continue // it says that one page is wanted, so that no paging.unread is given
		}
		if at.Present() {
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: at.Pointer,
				Expected: "has no effect: without a \"method\" there is no second page", Hint: "choose a \"method\""})
		}
	}
}

// overwrittenParameters finds parameters of jobs that paging sets itself, from
// the first request on.
func overwrittenParameters(s settings, found *failure.Problems) {
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			m, own := s.methodOf(j)
			if m.Position == nil {
				continue
			}
			name, hint := m.Position(own)
			params := config.JobParams.In(s.job(j.Job))
			if _, ok := params.Value.Get(name); name != "" && ok {
				found.Add(failure.Problem{Code: failure.OverwrittenParameter, Pointer: params.Get(name).Pointer,
					Expected: "paging sets this parameter itself (" + failure.Part(own.Pointer) + ")", Hint: hint})
			}
		}
	}
}

// idleLookaheads finds what could be asked for in advance, but never is because
// requests are sent one after another.
func idleLookaheads(s settings, found *failure.Problems) {
	if s.Compiled.API.Concurrency > 1 {
		return
	}
	for _, f := range s.fields(field.InAdvance, field.PathInAdvance) {
		if f.at.Present() {
			found.Add(failure.Problem{Code: failure.IdleLookahead, Pointer: f.at.Pointer,
				Expected: "this has no effect while \"api.http.concurrency\" is 1", Hint: "set \"concurrency\" to 2 or more, or remove this"})
		}
	}
}
