package pagination

import (
	"fmt"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The names of the values with which methods request a page. The expressions of a job
// may refer to them; see expr.Paging.
const (
	offsetValue = "offset"
	limitValue  = "limit"
	pageValue   = "page"
	cursorValue = "cursor"
	nextValue   = "next"
)

// RequestValue is a value with which a method requests a page, and the setting that names the
// parameter for it. A job whose expressions refer to it places it itself, and no
// parameter is set.
type RequestValue struct {
	Name  string
	Param field.Setting[string]
}

// Values are the names of the values that paging has for a job, by the section
// `api.pagination` and the scroller that the job names. Without the setting `limit` there
// is no limit.
func (all Methods) Values(pagination config.Section, scroller string) []string {
	s := ServedBy(pagination, scroller)
	m, _ := all.Of(s)
	var names []string
	for _, v := range m.Values {
		if v.Name != limitValue || Limit.In(s).Present() {
			names = append(names, v.Name)
		}
	}
	return names
}

// ValueNames are the names of the values of all methods, each once.
func (all Methods) ValueNames() []string {
	var names []string
	for _, m := range all {
		for _, v := range m.Values {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// valuePlacer is a scroller with parameters.
type valuePlacer interface {
	// withPlacedValues is the scroller of a job that places the values with these names.
	withPlacedValues(names []string) Scroller
}

// WithPlacedValues is the scroller of a job that places the values with these names itself.
func WithPlacedValues(s Scroller, names []string) Scroller {
	if g, ok := s.(stoppingScroller); ok {
		g.inner = WithPlacedValues(g.inner, names)
		return g
	}
	if p, ok := s.(valuePlacer); ok {
		return p.withPlacedValues(names)
	}
	return s
}

// BaseRequest is what the pages of a job are requested with: its own request, as it is for the
// first page.
type BaseRequest struct {
	config.RequestSpec
	// WithValues is the own request with values of paging: an object, or null for none.
	// nil is a job that places none.
	WithValues func(values value.Value) (config.RequestSpec, error)
}

// CheckParameters reports parameters without a name, for values that not every job
// places: placed are the names of those that all jobs place whose scroller is at a place.
func CheckParameters(s config.Section, methods Methods, placed func(pointer string) []string) {
	m, _ := methods.Of(s)
	for _, v := range m.Values {
		if v.Param.Field.Default.IsNull() && !v.Param.In(s).Present() && !slices.Contains(placed(s.Pointer), v.Name) {
			fault(s, failure.Text(fmt.Sprintf("expected the key %q, which the method %s needs", v.Param.Name, m.Name)))
		}
	}
	if Multiple(s) {
		for _, one := range Named.In(s).Items() {
			CheckParameters(one, methods, placed)
		}
	}
}

// CheckPlaced reports a value in parameters of a job (names are those in its parameters)
// that the requests which have the value are sent without. s are the settings of its
// scroller.
func CheckPlaced(s config.Section, names []string) {
	if !slices.Contains(names, nextValue) || IncludeParams.Of(s) {
		return
	}
	s.Problems().Add(failure.Problem{Code: failure.MissingKey, Pointer: s.Pointer,
		Expected: failure.Text(fmt.Sprintf("expected %q: true, because a job has {%q: %q} in its parameters, which later requests are sent without", IncludeParams.Name, expr.Paging, nextValue))})
}

// FirstValues are the values of paging with which a job requests its first page: an
// object, or null for none.
func FirstValues(s Scroller) value.Value {
	first, _ := s.First(config.RequestSpec{}, time.Time{})
	return first.Paging
}

// Next is as that of Scroller. The request of a job that places values is made twice: the
// first one has the values, and the second one is made of the job's own request with them.
func (job BaseRequest) Next(s Scroller, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	request, after, stop, err := s.Next(job.RequestSpec, state, p)
	if job.WithValues == nil || stop != nil || err != nil {
		return request, after, stop, err
	}
	own, err := job.WithValues(request.Paging)
	if err != nil {
		return request, after, nil, err
	}
	request, _, stop, err = s.Next(own, state, p)
	request.Own = own.Params
	return request, after, stop, err
}
