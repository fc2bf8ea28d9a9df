// Package pagination contains the scrollers: pure functions from a state and a page to
// the next request or the reason to stop. Scrollers and states are values, and jobs share
// no data, so there is no state to reset.
//
// Each method of pagination has its own file with its settings, its first request and its
// next request. Each stopper, a rule that can end a job regardless of its method, has a
// file, too. The package sends no requests and reads no responses. PageInfo contains the
// facts about a page that scrollers can use.
package pagination

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// PageInfo contains the facts about a page that a scroller can use.
type PageInfo struct {
	// Root is the kind of the whole response.
	Root value.Kind
	// Rows is the number of items on the page.
	Rows int
	// Volume is the size of the response in bytes, see response.Page. It is set only with
	// Requirements.Volume.
	Volume int64
	// IDs are the item ids of the page. They are set only with Requirements.ItemID, if
	// there are rows.
	IDs IDs
	// Field returns the value at a path of Requirements.Fields, or null. It is nil if
	// there is no page.
	Field func(response.Path) (value.Value, error)
	// Compared is Field for conditions. It also returns a list or object that is too
	// large for Field, without its items or members.
	Compared func(response.Path) (value.Value, error)
	// Header is the header of the response, or nil.
	Header http.Header
	// Address is the requested URL after redirects, or nil.
	Address *url.URL
	// Now is the time of processing the page. With Requirements.Time it is after the
	// child jobs of the page.
	Now time.Time
}

// field returns the value at a required path. Its errors have the pointer of the setting
// that needs the value.
func (p PageInfo) field(path response.Path, pointer string) (value.Value, error) {
	return valueAt(p.Field, path, pointer)
}

// compared is field for a condition.
func (p PageInfo) compared(path response.Path, pointer string) (value.Value, error) {
	return valueAt(p.Compared, path, pointer)
}

func valueAt(at func(response.Path) (value.Value, error), path response.Path, pointer string) (value.Value, error) {
	if at == nil {
		return value.Value{}, nil
	}
	v, err := at(path)
	if e, ok := errors.AsType[*failure.Error](err); ok {
		return value.Value{}, e.At(pointer)
	}
	return v, err
}

// headerValues returns the values of a header, regardless of letter case.
func (p PageInfo) headerValues(name string) []string {
	var all []string
	for _, spelt := range slices.Sorted(maps.Keys(p.Header)) {
		if strings.EqualFold(spelt, name) {
			all = append(all, p.Header[spelt]...)
		}
	}
	return all
}

// resolve returns the complete URL for a link in a page. A relative link is resolved with
// the URL of the page.
func (p PageInfo) resolve(target string) (string, error) {
	base := p.Address
	if base == nil {
		base = &url.URL{}
	}
	to, err := base.Parse(target)
	if err != nil {
		return "", err
	}
	if to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" {
		return "", fmt.Errorf("not the URL of a page")
	}
	return to.String(), nil
}

// isMissing reports whether a value of a response counts as missing. An object does not
// count as missing, even if it has no members.
func isMissing(v value.Value) bool { return v.Kind() != value.Object && v.Empty() }

// Requirements are the facts about every page that a scroller needs.
type Requirements struct {
	Fields []response.Path
	// Header is the name of the header that leads to the next page, or "".
	// PageInfo.Header has all headers anyway.
	Header string
	// ItemID is the path of the id in every item. An empty Text requires no ids.
	ItemID response.Path
	// Volume requires the size of the response.
	Volume bool
	// Time is true if the next request depends on PageInfo.Now.
	Time bool
}

// State is the state of a scroller between two pages of one job run. Only the scroller
// that created the state reads it.
type State any

// Stop describes the end of a job.
type Stop struct {
	// Rule is the reason in words, for example "the page has 1 row, fewer than the limit
	// of 2".
	Rule string
	// Pointer is the JSON pointer of the setting behind the rule.
	Pointer string
	// Hint suggests a check in case that there are more pages, or is "".
	Hint string
	// Reason classifies the end of the job.
	Reason StopReason
	// Field is the source of the value that leads to the next page. It is set only with
	// the reason NoValue.
	Field string
	// Limit is true if a limit of the configuration or of the run ended the job, so that the
	// page need not be the last one.
	Limit bool
	// Short is true if the page has fewer rows than the page size.
	Short bool
	// StartOver is true if the job does not end, but begins again with NextRound.
	StartOver bool
	// Stated is the end that the response states at the number after which the scroller
	// starts over, or nil. It is set only with StartOver.
	Stated *Stop
	// Flag is the field of `nextPageFlag` or `stopWhen` that announced more pages
	// nevertheless, or "".
	Flag string
}

// StopReason indicates whether there may be pages that were not requested.
type StopReason int

// The reasons.
const (
	// Exhausted means that the page is considered the last page.
	Exhausted StopReason = iota
	// NoValue means that the page has no value that leads to the next page, as is usual
	// for the last page.
	NoValue
	// NoProgress means that the next request would equal the last request, after a page
	// without rows.
	NoProgress
	// Deliberate means that no more pages were wanted by the configuration or a flag of
	// the program, or that the API denied that there are more.
	Deliberate
)

// Scroller decides the first and the next request of a job. A method of pagination sets
// Next and Describe. It sets other fields if the zero value does not describe it. Compile
// replaces nil functions by defaults.
type Scroller struct {
	Needs Requirements
	// First returns the first request of the job, which is sent at now, and the state
	// after it. By default it returns the request of the job and no state.
	First func(job config.RequestSpec, now time.Time) (config.RequestSpec, State)
	// NextRound returns the first request of the next round of a scroller that starts over,
	// and the state after it. s is the state that Next returned together with
	// Stop.StartOver. Limits of the configuration continue to count.
	NextRound func(job config.RequestSpec, s State, now time.Time) (config.RequestSpec, State)
	// Next returns the request after a page and the state after it, or the reason to
	// stop. Errors are user errors: the page lacks a value that the scroller needs.
	Next func(job config.RequestSpec, s State, p PageInfo) (config.RequestSpec, State, *Stop, error)
	// Describe returns sentences that describe the requests of a job and its end.
	Describe func(job config.RequestSpec) []string
	Traits
}

// complete replaces nil functions by their defaults, except Full and Exists.
func (s Scroller) complete() Scroller {
	if s.First == nil {
		s.First = func(job config.RequestSpec, _ time.Time) (config.RequestSpec, State) { return job, nil }
	}
	if s.NextRound == nil {
		first := s.First
		s.NextRound = func(job config.RequestSpec, _ State, now time.Time) (config.RequestSpec, State) {
			return first(job, now)
		}
	}
	if s.FromStart == nil {
		s.FromStart = func(config.RequestSpec) bool { return true }
	}
	if s.Announces == nil {
		s.Announces = func(PageInfo) string { return "" }
	}
	if s.IsLast == nil {
		s.IsLast = func(PageInfo) bool { return false }
	}
	if s.AfterLast == nil {
		s.AfterLast = func(config.RequestSpec, int, PageInfo, int) *Stop { return nil }
	}
	evaluate, place := s.Evaluate, s.Place
	s.Evaluate = func(values []value.Value) Scroller {
		if evaluate == nil {
			return s
		}
		return evaluate(values).complete()
	}
	s.Place = func(names []string) Scroller {
		if place == nil {
			return s
		}
		return place(names).complete()
	}
	return s
}

// singleRequest returns the scroller without pagination. It sends one request.
func singleRequest() Scroller {
	return Scroller{
		Next: func(job config.RequestSpec, _ State, _ PageInfo) (config.RequestSpec, State, *Stop, error) {
			return job, nil, &Stop{Rule: "one request without pagination"}, nil
		},
		Describe: func(config.RequestSpec) []string { return []string{"Sends one request, without pagination."} },
		Traits:   Traits{Single: true},
	}.complete()
}
