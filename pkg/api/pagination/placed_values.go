package pagination

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Names of the values that methods send to request a page. Expressions of a job can refer
// to them, see expr.Paging.
const (
	offsetValue = "offset"
	limitValue  = "limit"
	pageValue   = "page"
	cursorValue = "cursor"
	nextValue   = "next"
)

// RequestValue is a value that a method sends to request a page, with the setting that
// names its parameter. The value is placed if expressions of a job refer to it: the job
// then sends the value in its own request, and the method sets no parameter.
type RequestValue struct {
	Name  string
	Param field.Setting[string]
}

// Values returns the names of the values that pagination has for a job. pagination is the
// section `api.pagination`, scroller the name of the scroller in the job. Without the
// setting `limit` there is no value limit.
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

// ValueNames returns the distinct names of the values of all methods.
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

// BaseRequest is the job's own request. The requests for all pages are built from it.
type BaseRequest struct {
	config.RequestSpec
	// WithValues builds the own request with pagination values: an object, or null. It is
	// nil for a job without placed values.
	WithValues func(values value.Value) (config.RequestSpec, error)
	// LaterBody builds the body of a request after the first, with pagination values. It is
	// nil if `scrollRequest` has no body.
	LaterBody func(values value.Value) (*config.RequestBody, error)
}

// CheckParameters reports missing names of parameters, unless the value is placed by the
// body of later pages, or by all jobs with the scroller. placed returns the names of such values for the pointer of a
// scroller.
func CheckParameters(s config.Section, methods Methods, placed func(pointer string) []string) {
	m, _ := methods.Of(s)
	later := config.BodyValues.In(config.ScrollBody.In(scrollRequest.In(s)))
	names := append(placed(s.Pointer), expr.AllReferences().Names(later.Value, true, expr.Paging)...)
	for _, v := range m.Values {
		if v.Param.Field.Default.IsNull() && !v.Param.In(s).Present() && !slices.Contains(names, v.Name) {
			missingKey(s, failure.Text(fmt.Sprintf("expected the key %q, which the method %s needs", v.Param.Name, m.Name)))
		}
	}
	if Multiple(s) {
		for _, one := range Named.In(s).Items() {
			CheckParameters(one, methods, placed)
		}
	}
}

// CheckPlaced reports a reference to the value "next" in the parameters of a job, if later
// requests are sent without these parameters. s is the section of the scroller. names are
// the pagination values that the parameters refer to.
func CheckPlaced(s config.Section, names []string) {
	if !slices.Contains(names, nextValue) || IncludeParams.Of(s) {
		return
	}
	s.Problems().Add(failure.Problem{Code: failure.MissingKey, Pointer: s.Pointer,
		Expected: failure.Text(fmt.Sprintf("expected %q: true, because a job has {%q: %q} in its parameters, which later requests are sent without", IncludeParams.Name, expr.Paging, nextValue))})
}

// Next is Scroller.Next for a job that may have placed values. For such a job it calls
// the scroller twice: the first call computes the values, and the second call builds the
// request from the own request with these values.
func (job BaseRequest) Next(s Scroller, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	request, after, stop, err := s.Next(job.RequestSpec, state, p)
	if stop != nil || err != nil {
		return request, after, stop, err
	}
	if job.WithValues != nil {
		own, err := job.WithValues(request.Paging)
		if err != nil {
			return request, after, nil, err
		}
		if request, _, stop, err = s.Next(own, state, p); err != nil || stop != nil {
			return request, after, stop, err
		}
		request.Own = own.Params
	}
	if job.LaterBody != nil {
		request.Body, err = job.LaterBody(request.Paging)
	}
	return request, after, nil, err
}
