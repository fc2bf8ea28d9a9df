package pagination

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// responseParam sends a value of each page as a parameter of the next request. A page
// without this value is the last page. Every later request is built from the job, never
// from the request before it.
type responseParam struct {
	from          reference
	to            parameter
	includeParams bool
	scroll        config.RequestSpec // differences of later requests from the job
	scrolled      scrolledParts
}

// Settings that only the method response.param has.
var (
	ResponseParam = field.Text("responseParam", "Path of the value", "Path to the value for the next page in the response; required without `next`.").
			As(field.Path).Example(`"meta.next_token"`)
	QueryParam = field.Text("queryParam", "Parameter", "Parameter that carries the value; required unless the job places it with `{\"paging\": \"next\"}`.").
			As(field.Parameter).Example(`"token"`)
	scrollRequest = field.Of("scrollRequest", "Later requests", "How requests after the first differ from the job.",
		field.Object("scrollRequest", "Request for later pages", "Replaces parts of the job for every page after the first: parameters and headers name by name, the endpoint, the method and the body as a whole.",
			scrollEndpoint, scrollMethod, scrollParams, scrollHeaders, config.ScrollBody))
	scrollEndpoint = field.Text("endpoint", "Endpoint", "Endpoint of later pages.").Typed(config.EndpointType).Example(`"scroll"`).Also("url", "uri", "path", "resource")
	scrollMethod   = field.Text("method", "Method", "Method of later pages.").Typed(config.MethodType).
			EmptyMeans("GET").NullMeans("GET").Example(`"GET"`).Also("verb", "type")
	scrollParams = field.Of("params", "Parameters", "Parameters of later pages. Expressions refer to the job.", config.ParamsType).
			Example(`{"scroll": "1m"}`).Also("query").Evaluated(expr.InShared)
	scrollHeaders = field.Of("headers", "Headers", "Headers of later pages. Expressions refer to the job.", config.ExpressionsType).
			As(field.Headers).Example(`{"X-Scroll": "1"}`).Evaluated(expr.InShared)
)

func responseParamMethod() Method {
	return Method{
		Name:       "response.param",
		AlsoCalled: []string{"token", "nexttoken", "pagetoken", "nextpagetoken", "continuationtoken", "cursorpagination"},
		Settings:   []field.Declaration{ResponseParam, Next, QueryParam, IncludeParams, scrollRequest},
		Values:     []RequestValue{{nextValue, QueryParam}},
		Compile:    compileResponseParam,
	}
}

func compileResponseParam(s config.Section) Scroller {
	if !ResponseParam.In(s).Present() && !Next.In(s).Present() {
		missingKey(s, failure.Text(fmt.Sprintf("expected the key %q or the key %q, one of which the method response.param needs", ResponseParam.Name, Next.Name)))
	}
	scroll, scrolled := compileScrollRequest(scrollRequest.In(s))
	return responseParam{
		from:          nextOf(s, ResponseParam, "."),
		to:            parameterOf(s, RequestValue{nextValue, QueryParam}),
		includeParams: IncludeParams.Of(s),
		scroll:        scroll,
		scrolled:      scrolled,
	}.scroller()
}

// LaterBodies returns the bodies of later pages in a section and in its named scrollers.
func LaterBodies(s config.Section) []config.Section {
	var all []config.Section
	if body := config.ScrollBody.In(scrollRequest.In(s)); body.Present() {
		all = append(all, body)
	}
	for _, one := range Named.In(s).Items() {
		all = append(all, LaterBodies(one)...)
	}
	return all
}

// scrolledParts are the parts of the request for later pages that contain expressions.
type scrolledParts struct{ params, headers, body config.Section }

// compileScrollRequest compiles `scrollRequest`. The method evaluated evaluates its
// expressions.
func compileScrollRequest(s config.Section) (r config.RequestSpec, parts scrolledParts) {
	s, ok := object(s)
	if !ok {
		return r, parts
	}
	r = config.RequestSpec{Endpoint: scrollEndpoint.Of(s), Method: scrollMethod.Of(s)}
	parts = scrolledParts{params: scrollParams.In(s), headers: scrollHeaders.In(s), body: config.ScrollBody.In(s)}
	if headers, ok := object(parts.headers); ok {
		r.Headers = headers.Value
	}
	if parts.params.Value.Kind() == value.Array {
		r.Params = parts.params.Value
	} else if params, ok := object(parts.params); ok {
		r.Params = params.Value
	}
	return r, parts
}

func (r responseParam) scroller() Scroller {
	return Scroller{
		Needs:    Requirements{Fields: r.from.needs(), Header: r.from.header},
		Next:     r.next,
		Describe: r.describe,
		Traits: Traits{
			IsLast: r.isLast, Parameter: r.to.phrase(), Place: r.place,
			Expressions: []config.Section{r.scrolled.params, r.scrolled.headers}, Evaluate: r.evaluate,
			Body: r.scrolled.body, Method: r.scroll.Method,
		},
	}
}

func (r responseParam) evaluate(values []value.Value) Scroller {
	r.scroll.Params, r.scroll.Headers = values[0], values[1]
	return r.scroller()
}

func (r responseParam) next(job config.RequestSpec, _ State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	v, err := r.from.value(p)
	if err != nil {
		return job, nil, nil, err
	}
	if isMissing(v) {
		return job, nil, r.from.missing(p), nil
	}
	return r.to.set(r.request(job), v), nil, nil, nil
}

func (r responseParam) request(job config.RequestSpec) config.RequestSpec {
	if !r.includeParams {
		job.Params = value.OfMembers()
	}
	return r.scroll.Over(job)
}

func (r responseParam) describe(config.RequestSpec) []string {
	all := []string{
		fmt.Sprintf("Each request after the first has %s = the value that the previous page has %s, until a page has no value there.", r.to, r.from.describe()),
		jobParams(r.includeParams),
	}
	if r.scroll.Method+r.scroll.Endpoint != "" || !r.scroll.Params.Empty() || !r.scroll.Headers.Empty() || r.scrolled.body.Present() {
		all = append(all, "Later requests differ from the first as \"scrollRequest\" defines.")
	}
	return all
}

// isLast implements Traits.IsLast: the value for the next page is empty at every depth.
func (r responseParam) isLast(p PageInfo) bool {
	v, err := r.from.value(p)
	return err == nil && isDeepEmpty(v)
}

func (r responseParam) place(names []string) Scroller {
	r.to = r.to.withPlacedValues(names)
	return r.scroller()
}

// isDeepEmpty reports whether a value is empty at every depth, such as the variables of a
// GraphQL query without a cursor.
func isDeepEmpty(v value.Value) bool {
	for _, m := range v.Members() {
		if !isDeepEmpty(m.Value) {
			return false
		}
	}
	for _, item := range v.Items() {
		if !isDeepEmpty(item) {
			return false
		}
	}
	return v.Len() > 0 || v.Empty()
}
