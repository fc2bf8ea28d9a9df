package lint

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unusedScrollers finds scrollers that no job names and that are not the one
// of jobs that name none.
func unusedScrollers(s settings, found *failure.Problems) {
	paging := s.section("api", "pagination")
	scrollers := paging.get("scrollers")
	if scrollers.Empty() {
		return
	}
	if paging.Field("method").Raw() != "multiple" {
		found.Add(failure.Problem{Code: failure.UnusedScroller, Pointer: scrollers.pointer,
			Expected: "nobody uses these scrollers, for the method is not \"multiple\"", Hint: "set \"method\" to \"multiple\""})
		return
	}
	var used []string
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			used = append(used, scrollerOf(paging, j.Job))
		}
	}
	for _, one := range scrollers.below() {
		if !slices.Contains(used, one.name()) {
			found.Add(failure.Problem{Code: failure.UnusedScroller, Pointer: one.pointer,
				Expected: "no job uses this scroller", Hint: "name it in \"scroller\" of a job, or remove it"})
		}
	}
}

// scrollerOf is the name of the scroller that a job gets with the method
// multiple, "" for none.
func scrollerOf(paging place, j config.Job) string {
	if j.Scroller != "" {
		return j.Scroller
	}
	if name := paging.Field("default").Text(); name != "" {
		return name
	}
	if _, ok := paging.Field("scrollers").Get("default"); ok {
		return "default"
	}
	return ""
}

// scrollerFor is the scroller that pages a job.
func (s settings) scrollerFor(j config.Job) place {
	own := s.section("api", "pagination")
	for depth := 0; own.Field("method").Raw() == "multiple" && depth < 10; depth++ {
		own = own.get("scrollers").get(scrollerOf(own, j))
	}
	return own
}

// idlePaging finds settings of paging where nothing is paged: scrollers of
// jobs, and rules that stop it.
func idlePaging(s settings, found *failure.Problems) {
	paging := s.section("api", "pagination")
	if paging.Field("method").Raw() != "multiple" {
		for _, it := range s.iterations {
			for _, j := range it.jobs {
				if j.Scroller != "" {
					found.Add(failure.Problem{Code: failure.NoEffect, Pointer: j.Pointer + "/scroller",
						Expected: "has no effect: the method of \"pagination\" is not \"multiple\"", Hint: "remove it, or define the scroller in \"scrollers\""})
				}
			}
		}
	}
	if !paging.Field("method").Empty() {
		return
	}
	for _, rule := range []string{"nextPageFlag", "forceStop", "limitStop"} {
		if pages, _ := paging.Field(rule).Field("pages").Int(); rule == "forceStop" && pages == 1 {
			continue // it says that one page is wanted, so that no paging.unread is given
		}
		if !paging.Field(rule).Empty() {
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: paging.get(rule).pointer,
				Expected: "has no effect: without a \"method\" there is no second page", Hint: "choose a \"method\""})
		}
	}
}

// overwrittenParameters finds parameters of jobs that paging sets itself, from
// the first request on.
func overwrittenParameters(s settings, found *failure.Problems) {
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			own := s.scrollerFor(j.Job)
			name, setting := positionParam(own)
			params := s.at(j.Pointer).get("params")
			if _, ok := params.Get(name); name == "" || !ok {
				continue
			}
			p := failure.Problem{Code: failure.OverwrittenParameter, Pointer: params.get(name).pointer,
				Expected: "paging sets this parameter itself (" + failure.Part(setting) + ")", Hint: "remove it here"}
			if own.Field("method").Raw() == "offset" {
				p.Hint = "remove it here, or set \"offsetFromJob\" to begin at it"
			}
			found.Add(p)
		}
	}
}

// positionParam is the parameter that a scroller sets in every request, and
// the pointer of the scroller; the page size is the job's own when it has one.
func positionParam(scroller place) (name, pointer string) {
	if first, ok := scroller.Get("firstPageParams"); ok && !first.IsNull() && first.Empty() {
		return "", ""
	}
	switch scroller.Field("method").Raw() {
	case "offset":
		if scroller.Field("offsetFromJob").Empty() {
			return or(scroller.Field("offsetParam"), "offset"), scroller.pointer
		}
	case "pagenum":
		return or(scroller.Field("pageParam"), "page"), scroller.pointer
	}
	return "", ""
}

func or(v value.Value, fallback string) string {
	if text := v.Text(); text != "" {
		return text
	}
	return fallback
}

// idleLookaheads finds what could be asked for in advance, but never is because
// requests are sent one after another.
func idleLookaheads(s settings, found *failure.Problems) {
	if s.Compiled.API.Concurrency > 1 {
		return
	}
	idle := func(p place) {
		if !p.Empty() {
			found.Add(failure.Problem{Code: failure.IdleLookahead, Pointer: p.pointer,
				Expected: "this has no effect while \"api.http.concurrency\" is 1", Hint: "set \"concurrency\" to 2 or more, or remove this"})
		}
	}
	idle(s.section("api", "http", "lookahead"))
	var scrollers func(place)
	scrollers = func(p place) {
		idle(p.get("total"))
		idle(p.get("totalPages"))
		for _, one := range p.get("scrollers").below() {
			scrollers(one)
		}
	}
	scrollers(s.section("api", "pagination"))
}
