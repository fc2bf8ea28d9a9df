package lint

import (
	"slices"
	"strconv"

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
			Expected: "these scrollers are not used, because the method is not \"multiple\"", Hint: "set \"method\" to \"multiple\""})
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
			continue // it says that one page is wanted, so that there is no paging.unread
		}
		if at.Present() {
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: at.Pointer,
				Expected: "has no effect: without a \"method\" there is no second page", Hint: "choose a \"method\""})
		}
	}
}

// idleParameterSettings finds settings about the parameters of paging where paging sets
// none.
func idleParameterSettings(s settings, found *failure.Problems) {
	for _, own := range append([]config.Section{s.paging}, paging.Named.In(s.paging).Items()...) {
		m, _ := s.Language.Paging.Of(own)
		if len(m.Parameters(own)) > 0 {
			continue
		}
		for _, at := range []config.Section{paging.ParamDelimiter.In(own), paging.ParamsInQuery.In(own)} {
			if at.Present() {
				found.Add(failure.Problem{Code: failure.NoEffect, Pointer: at.Pointer,
					Expected: "has no effect: paging sets no parameters here", Hint: "remove it, or write it beside the \"method\" that sets them"})
			}
		}
	}
}

// foreignPagingSettings finds settings of another method than the one that is chosen.
func foreignPagingSettings(s settings, found *failure.Problems) {
	for _, own := range append([]config.Section{s.paging}, paging.Named.In(s.paging).Items()...) {
		m, ok := s.Language.Paging.Of(own)
		if !ok {
			continue // without a method, idlePaging finds what counts
		}
		for name, methods := range s.Language.Paging.Others(m) {
			at := own.Get(name)
			if !at.Present() {
				continue
			}
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: at.Pointer,
				Expected: "has no effect: the method " + failure.Part(strconv.Quote(m.Name)) + " does not use it; it belongs to " + field.List(methods),
				Hint:     "remove it, or choose the \"method\" it belongs to"})
		}
	}
}

// overwrittenParameters finds parameters of jobs that paging sets itself, from
// the first request on, and values in whose place it puts objects.
func overwrittenParameters(s settings, found *failure.Problems) {
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			m, own := s.methodOf(j)
			for _, path := range m.Parameters(own) {
				param := config.JobParams.In(s.job(j.Job))
				for _, name := range path[:len(path)-1] {
					if param = param.Get(name); param.Value.IsScalar() {
						found.Add(failure.Problem{Code: failure.OverwrittenParameter, Pointer: param.Pointer,
							Expected: "paging puts an object in the place of this value, for " + failure.Part(strconv.Quote(path[len(path)-1])) + " below it (" + failure.Part(own.Pointer) + ")",
							Hint:     "write an object, or choose another name for the parameter"})
					}
				}
			}
			if m.Position == nil {
				continue
			}
			path, hint := m.Position(own)
			param := config.JobParams.In(s.job(j.Job))
			there := len(path) > 0
			for _, name := range path {
				_, ok := param.Value.Get(name)
				there, param = there && ok, param.Get(name)
			}
			if there {
				found.Add(failure.Problem{Code: failure.OverwrittenParameter, Pointer: param.Pointer,
					Expected: "paging sets this parameter itself (" + failure.Part(own.Pointer) + ")", Hint: hint})
			}
		}
	}
}

// idleLookaheads finds what could be requested in advance, but never is because
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
