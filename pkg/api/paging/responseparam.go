package paging

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// responseParam sends a value of each page as a parameter with the next
// request. A page without that value is the last one. Every later request is
// built from the job, never from the request before it.
type responseParam struct {
	from          answer.Path
	to            string
	includeParams bool
	scroll        config.Request // what differs from the job in later requests
	fromPointer   string
}

// The settings of the method response.param alone.
var (
	ResponseParam = field.Text("responseParam", "Path of the value", "Where the answer holds the value for the next page.").
			As(field.Path).Example(`"meta.next_token"`)
	QueryParam = field.Text("queryParam", "Parameter", "Parameter that carries the value.").
			As(field.Parameter).Example(`"token"`)
	scrollRequest = field.Of("scrollRequest", "Later requests", "What differs from the job in requests after the first.",
		field.Object("scrollRequest", "Request for later pages", "Laid over the job for every page after the first.",
			scrollEndpoint, scrollMethod, scrollParams, scrollHeaders))
	scrollEndpoint = field.Text("endpoint", "Endpoint", "Endpoint of later pages.").Typed(config.EndpointType).Example(`"scroll"`).Also("url", "uri", "path", "resource")
	scrollMethod   = field.Text("method", "Method", "Method of later pages.").Typed(config.MethodType).
			EmptyMeans("GET").NullMeans("GET").Example(`"GET"`).Also("verb", "type")
	scrollParams = field.Of("params", "Parameters", "Parameters of later pages; functions are not evaluated here.", config.LiteralParams).
			As(field.Literal).Example(`{"scroll": "1m"}`).Also("query")
	scrollHeaders = field.Of("headers", "Headers", "Headers of later pages.", field.Literals).
			As(field.Literal).Example(`{"X-Scroll": "1"}`)
)

func responseParamMethod() Method {
	return Method{
		Name:       "response.param",
		AlsoCalled: []string{"token", "nexttoken", "pagetoken", "nextpagetoken", "continuationtoken", "cursorpagination"},
		Settings:   []field.Declared{ResponseParam, QueryParam, IncludeParams, scrollRequest},
		Needed:     []field.Declared{ResponseParam, QueryParam},
		Compile:    compileResponseParam,
	}
}

func compileResponseParam(s config.Section) Scroller {
	return responseParam{
		from:          answer.Path{Text: ResponseParam.Of(s), Separator: "."},
		to:            QueryParam.Of(s),
		includeParams: IncludeParams.Of(s),
		scroll:        compileScrollRequest(scrollRequest.In(s)),
		fromPointer:   ResponseParam.In(s).Pointer,
	}
}

// compileScrollRequest reads a part of a request. Nothing in it is evaluated.
func compileScrollRequest(s config.Section) config.Request {
	s, ok := object(s)
	if !ok {
		return config.Request{}
	}
	r := config.Request{Endpoint: scrollEndpoint.Of(s), Method: scrollMethod.Of(s)}
	if headers, ok := object(scrollHeaders.In(s)); ok {
		r.Headers = headers.Value
	}
	if params := scrollParams.In(s); params.Value.Kind() == value.Array {
		r.Params = params.Value
	} else if params, ok := object(params); ok {
		r.Params = params.Value
	}
	return r
}

func (r responseParam) Needs() Needs { return Needs{Fields: []answer.Path{r.from}} }

func (responseParam) First(job config.Request, _ time.Time) (config.Request, State) { return job, nil }

func (r responseParam) Next(job config.Request, _ State, p Page) (config.Request, State, *Stop, error) {
	v, err := p.field(r.from, r.fromPointer)
	if err != nil {
		return job, nil, nil, err
	}
	if missing(v) {
		return job, nil, noValue(r.from, r.fromPointer), nil
	}
	return r.request(job).WithParam(r.to, v), nil, nil, nil
}

func (r responseParam) request(job config.Request) config.Request {
	if !r.includeParams {
		job.Params = value.OfMembers()
	}
	return r.scroll.Over(job)
}

func (r responseParam) Describe(config.Request) []string {
	all := []string{
		fmt.Sprintf("Each request after the first has %s = what the page before holds at %q, until a page holds nothing there.", r.to, r.from.Text),
		jobParams(r.includeParams),
	}
	if r.scroll.Method+r.scroll.Endpoint != "" || !r.scroll.Params.Empty() || !r.scroll.Headers.Empty() {
		all = append(all, "Later requests differ from the first as \"scrollRequest\" says.")
	}
	return all
}

// endsByRepeating implements repeating: the page before led to none.
func (r responseParam) endsByRepeating(repeat Repeat) bool {
	v, err := repeat.Before.field(r.from, r.fromPointer)
	return err == nil && hollow(v)
}

func (r responseParam) parameter() string { return r.to }

// hollow reports whether there is nothing in a value, however deep: the variables
// of a GraphQL query without a cursor.
func hollow(v value.Value) bool {
	for _, m := range v.Members() {
		if !hollow(m.Value) {
			return false
		}
	}
	for _, item := range v.Items() {
		if !hollow(item) {
			return false
		}
	}
	return v.Len() > 0 || v.Empty()
}
