// Package pagination holds the scrollers: pure functions from a state and a
// page to the next request or the reason to stop. A scroller is a value, its
// state is a value, and nothing is shared between jobs, so there is nothing to
// reset.
//
// Each method of paging has a file of its own: its settings, its first request,
// its next request. So has each stopper, a rule that can end a job regardless of its
// method. The package sends nothing and reads no responses; what it
// may know of a page is in Page.
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

// PageInfo is what a scroller may know of a page.
type PageInfo struct {
	// Root is the kind of the whole response.
	Root value.Kind
	// Rows is the number of items on the page.
	Rows int
	// Volume is the number of bytes of the response, see response.Page; only
	// when Needs.Volume is set.
	Volume int64
	// IDs are the smallest and largest item id; only when Needs.ItemID is set
	// and there are rows.
	IDs IDs
	// Field is the value at one of the places of Needs.Fields, null when
	// nothing is there. nil is a page with nothing anywhere.
	Field func(response.Path) (value.Value, error)
	// Compared is Field for conditions: it knows also of a large list or object that it
	// is one.
	Compared func(response.Path) (value.Value, error)
	// Header is that of the response, Address what was requested, after redirects; nil
	// where there is none.
	Header  http.Header
	Address *url.URL
	// Now is when the page was processed. With Needs.Time that is after the
	// child jobs of the page.
	Now time.Time
}

// field is the value at one of the places that a scroller needs, and errors
// name the setting that requested it.
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

// header are the values of a header, however its name is spelt.
func (p PageInfo) header(name string) []string {
	var all []string
	for _, spelt := range slices.Sorted(maps.Keys(p.Header)) {
		if strings.EqualFold(spelt, name) {
			all = append(all, p.Header[spelt]...)
		}
	}
	return all
}

// resolve is an address that a page holds, which may be relative to its own.
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
		return "", fmt.Errorf("no address of a page")
	}
	return to.String(), nil
}

// isMissing reports whether a value of a response counts as none. An object never
// does, not even one without members.
func isMissing(v value.Value) bool { return v.Kind() != value.Object && v.Empty() }

// Requirements is what a scroller wants to know of every page.
type Requirements struct {
	Fields []response.Path
	// Header is a header of the response that leads to the next page, "" for none. It is
	// there without being requested.
	Header string
	// ItemID is a path in every item that leads to a number; an empty Text
	// requests none.
	ItemID response.Path
	// Volume requests the size of the response.
	Volume bool
	// Time is set when what comes next depends on when the page was processed.
	Time bool
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
	// Hint is what to check when there are more pages all the same, "" for nothing.
	Hint string
	// Reason is what the rule says about pages that were not requested.
	Reason StopReason
	// Field is where the value that leads to the next page was looked for; only
	// with the reason NoValue.
	Field string
	// Flag is the field of `nextPageFlag`, or of `stopWhen`, that announced more pages
	// all the same, "" for none.
	Flag string
}

// StopReason is what the end of a job says about pages that were not requested.
type StopReason int

// The reasons.
const (
	// Exhausted takes the page for the last one.
	Exhausted StopReason = iota
	// NoValue lacks the value that leads to the next page, which is how the last
	// page is known.
	NoValue
	// NoProgress would send the same request again, after a page without rows.
	NoProgress
	// Deliberate does not request more pages because the configuration, or a flag of
	// the program, does not want them, or because the API says that there are none.
	Deliberate
)

// Scroller decides the first and the next request of a job.
type Scroller interface {
	// Needs is constant.
	Needs() Requirements
	// First is the job's first request and the state after it; now is when it
	// is sent.
	First(job config.RequestSpec, now time.Time) (config.RequestSpec, State)
	// Next is the request after a page and the state after it, or the reason to
	// stop. Errors are user errors: the page lacks what paging needs.
	Next(job config.RequestSpec, s State, p PageInfo) (config.RequestSpec, State, *Stop, error)
	// Describe says in whole sentences what a job requests and what ends it.
	Describe(job config.RequestSpec) []string
}

// singleRequest is not paging: one request.
type singleRequest struct{}

func (singleRequest) Needs() Requirements { return Requirements{} }

func (singleRequest) First(job config.RequestSpec, _ time.Time) (config.RequestSpec, State) {
	return job, nil
}

func (singleRequest) Next(job config.RequestSpec, _ State, _ PageInfo) (config.RequestSpec, State, *Stop, error) {
	return job, nil, &Stop{Rule: "one request without paging"}, nil
}

func (singleRequest) Describe(config.RequestSpec) []string {
	return []string{"Sends one request, without paging."}
}

// Pages reports whether a scroller can request more than one page.
func Pages(s Scroller) bool { return withoutStoppers(s) != Scroller(singleRequest{}) }
