package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unusedScrollers finds scrollers that no job uses, by name or as the default.
func unusedScrollers(s settings, found *failure.Problems) {
	scrollers := pagination.Named.In(s.paging)
	if !scrollers.Present() {
		return
	}
	if !pagination.Multiple(s.paging) {
		found.Add(failure.Problem{Code: failure.UnusedScroller, Pointer: scrollers.Pointer,
			Expected: "these scrollers are not used, because the method is not \"multiple\"", Hint: "set \"method\" to \"multiple\""})
		return
	}
	var used []string
	for _, j := range s.jobs() {
		used = append(used, pagination.NameFor(s.paging, j.Scroller))
	}
	for _, one := range scrollers.Items() {
		if !slices.Contains(used, name(one)) {
			found.Add(failure.Problem{Code: failure.UnusedScroller, Pointer: one.Pointer,
				Expected: "no job uses this scroller", Hint: "name it in \"scroller\" of a job, or remove it"})
		}
	}
}

func (s settings) methodOf(j jobChain) (pagination.Method, config.Section) {
	own := pagination.ServedBy(s.paging, j.Scroller)
	m, _ := s.Language.Paging.Of(own)
	return m, own
}

// idlePaging finds scrollers of jobs and stoppers that have no effect, because there is
// no pagination.
func idlePaging(s settings, found *failure.Problems) {
	if !pagination.Multiple(s.paging) {
		for _, j := range s.jobs() {
			if j.Scroller != "" {
				found.Add(failure.Problem{Code: failure.NoEffect, Pointer: config.JobScroller.In(s.job(j.Job)).Pointer,
					Expected: "has no effect: the method of \"pagination\" is not \"multiple\"", Hint: "remove it, or define the scroller in \"scrollers\""})
			}
		}
	}
	if pagination.MethodName.In(s.paging).Present() || pagination.StartOver.In(s.paging).Present() {
		return
	}
	for _, rule := range pagination.Stoppers() {
		at := rule.Setting.In(s.paging)
		if rule.Setting.Field == pagination.ForceStop.Field && pagination.ForceStopPages.Of(at) == 1 {
			continue // `forceStop` with one page is useful without a method: it prevents the finding paging.unread
		}
		if at.Present() {
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: at.Pointer,
				Expected: "has no effect: without a \"method\" there is no second page", Hint: "choose a \"method\""})
		}
	}
}

// idleParameterSettings finds settings for pagination parameters if pagination sets no
// parameters.
func idleParameterSettings(s settings, found *failure.Problems) {
	for _, own := range append([]config.Section{s.paging}, pagination.Named.In(s.paging).Items()...) {
		m, _ := s.Language.Paging.Of(own)
		if len(m.Parameters(own)) > 0 {
			continue
		}
		for _, at := range []config.Section{pagination.ParamDelimiter.In(own), pagination.ParamsInQuery.In(own)} {
			if at.Present() {
				found.Add(failure.Problem{Code: failure.NoEffect, Pointer: at.Pointer,
					Expected: "has no effect: pagination sets no parameters here", Hint: "remove it, or write it beside the \"method\" that sets them"})
			}
		}
	}
}

// foreignPagingSettings finds settings of another method than the chosen method.
func foreignPagingSettings(s settings, found *failure.Problems) {
	for _, own := range append([]config.Section{s.paging}, pagination.Named.In(s.paging).Items()...) {
		m, ok := s.Language.Paging.Of(own)
		if !ok {
			continue // idlePaging checks sections without a method
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

// overwrittenParameters finds parameters of jobs that pagination sets itself from the
// first request, and scalars that it replaces by objects.
func overwrittenParameters(s settings, found *failure.Problems) {
	for _, j := range s.jobs() {
		m, own := s.methodOf(j)
		for _, path := range m.Parameters(own, j.Placed()...) {
			param := config.JobParams.In(s.job(j.Job))
			for _, name := range path[:len(path)-1] {
				if param = param.Get(name); param.Value.IsScalar() {
					found.Add(failure.Problem{Code: failure.OverwrittenParameter, Pointer: param.Pointer,
						Expected: "pagination replaces this value by an object, to set " + failure.Part(strconv.Quote(path[len(path)-1])) + " below it (" + failure.Part(own.Pointer) + ")",
						Hint:     "write an object, or choose another name for the parameter"})
				}
			}
		}
		if m.Position == nil {
			continue
		}
		path, hint := m.Position(own)
		if !slices.ContainsFunc(m.Parameters(own, j.Placed()...), func(set []string) bool { return slices.Equal(set, path) }) {
			continue // the method sets no such parameter
		}
		param := config.JobParams.In(s.job(j.Job))
		there := len(path) > 0
		for _, name := range path {
			_, ok := param.Value.Get(name)
			there, param = there && ok, param.Get(name)
		}
		if there {
			found.Add(failure.Problem{Code: failure.OverwrittenParameter, Pointer: param.Pointer,
				Expected: "pagination sets this parameter itself (" + failure.Part(own.Pointer) + ")", Hint: hint})
		}
	}
}

// idleLookaheads finds `lookahead` settings without effect, because requests are not
// concurrent.
func idleLookaheads(s settings, found *failure.Problems) {
	if s.Compiled.API.Concurrency > 1 {
		return
	}
	for _, f := range s.fields(field.LookaheadRole) {
		if f.at.Present() {
			found.Add(failure.Problem{Code: failure.IdleLookahead, Pointer: f.at.Pointer,
				Expected: "this has no effect while \"api.http.concurrency\" is 1", Hint: "set \"concurrency\" to 2 or more, or remove this"})
		}
	}
}

// unknownPagingValues finds references to a pagination value that the method of the job
// does not have, or in settings where pagination values are not available. Such objects
// are sent unchanged.
func unknownPagingValues(s settings, found *failure.Problems) {
	all := s.Language.Paging.ValueNames()
	report := func(at config.Section, here []string) {
		expr.AllReferences().Walk(at.Value, at.Pointer, true, func(f expr.Form, pointer string) {
			name := f.Name.Text()
			if !f.Is(expr.Paging) || f.Name.Kind() != value.String || slices.Contains(here, name) {
				return
			}
			hint := failure.Text("only \"params\", \"headers\", \"body\" and \"endpoint\" of a job can use such values")
			near, misspelt := failure.Nearest(name, here)
			switch {
			case misspelt:
				hint = "did you mean " + failure.Part(strconv.Quote(near)) + "?"
			case !slices.Contains(all, name):
				return // the object is data
			case name == pagination.Limit.Name && len(here) > 0:
				hint = "set \"limit\" in \"pagination\""
			case len(here) > 0:
				hint = "its paging has " + field.List(here)
			case here != nil:
				hint = "choose a \"method\" of \"pagination\" that has it"
			}
			found.Add(failure.Problem{Code: failure.UnevaluatedExpression, Pointer: pointer, Found: failure.Part(strconv.Quote(name)),
				Expected: "pagination has no such value here, so the object is sent unchanged", Hint: hint})
		})
	}
	for _, j := range s.jobs() {
		job, here := s.job(j.Job), append([]string{}, j.Family.Paging...)
		for _, f := range field.Fields(config.JobEndpoint, config.JobParams, config.JobHeaders, config.JobBody) {
			for _, entry := range entriesOf(f, job.Get(f.Name)) {
				report(entry, here)
			}
		}
		for _, column := range config.JobUserData.In(job).Items() {
			report(column, nil)
		}
	}
	options := config.DefaultOptionsSetting.In(config.HTTPSection.In(s.api))
	outside := s.paging // settings of requests for later pages
	for _, body := range pagination.LaterBodies(s.paging) {
		for _, entry := range config.BodyValues.In(body).Items() {
			report(entry, all)
		}
		outside.Value = without(outside.Value, failure.PointerSplit(strings.TrimPrefix(body.Pointer, s.paging.Pointer)))
	}
	report(outside, nil)
	for _, group := range []config.Section{config.DefaultParams.In(options), config.DefaultHeaders.In(options)} {
		for _, entry := range group.Items() {
			report(entry, nil)
		}
	}
}

// without removes the member at a path from an object.
func without(v value.Value, path []string) value.Value {
	if len(path) == 1 {
		return v.Without(path[0])
	}
	return v.With(path[0], without(v.Field(path[0]), path[1:]))
}

// entriesOf returns the expressions in a setting of a job. An endpoint is a single
// expression. Other settings have an expression in each entry, and a body in each of its
// values.
func entriesOf(f *field.Field, s config.Section) []config.Section {
	if f.Name == config.JobEndpoint.Name {
		return []config.Section{s}
	}
	if f.Name == config.JobBody.Name {
		s = config.BodyValues.In(s)
	}
	return s.Items()
}
