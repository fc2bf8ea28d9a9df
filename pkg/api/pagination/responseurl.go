package pagination

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// responseURL follows the URL of the next page in each page. A page without a URL is the
// last page.
type responseURL struct {
	next          reference
	includeParams bool
	paramIsQuery  bool
}

// Settings of the methods response.url and zendesk.response.url.
var (
	URLDelimiter = field.Text("delimiter", "Separator", "Separator in `urlKey`.").Default(".").Example(`"#"`)
	URLKey       = field.Text("urlKey", "Path of the next URL", "Path to the URL of the next page in the response.").
			Default("next_page").PartedBy(URLDelimiter).Example(`"links.next"`)
	ParamIsQuery = field.Flag("paramIsQuery", "Value is a query", "The value is only a query string.").Example(`true`)
	// IncludeParams is also a setting of response.param and link.
	IncludeParams = field.Flag("includeParams", "Keep parameters", "Send the job's parameters with later pages too.").Example(`true`)
)

func responseURLMethod() Method {
	return Method{
		Name:       "response.url",
		AlsoCalled: []string{"nexturl", "nextlink", "links", "url", "hateoas", "jsonlink"},
		Settings:   []field.Declaration{URLKey, URLDelimiter, Next, IncludeParams, ParamIsQuery},
		Compile:    func(s config.Section) Scroller { return newResponseURL(s, nextOf(s, URLKey, separator(s))).scroller() },
	}
}

// separator returns `delimiter`. Unlike other settings, "0" is not an empty text.
func separator(s config.Section) string {
	if text := URLDelimiter.In(s).Value.Text(); text != "" {
		return text
	}
	return URLDelimiter.Of(s)
}

func newResponseURL(s config.Section, next reference) responseURL {
	return responseURL{next: next, includeParams: IncludeParams.Of(s), paramIsQuery: ParamIsQuery.Of(s)}
}

func (r responseURL) scroller() Scroller {
	return Scroller{Needs: Requirements{Fields: r.next.needs(), Header: r.next.header}, Next: r.nextRequest, Describe: r.describe}
}

func (r responseURL) nextRequest(job config.RequestSpec, _ State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	address, stop, err := r.address(p)
	if stop != nil || err != nil {
		return job, nil, stop, err
	}
	return r.request(job, address), nil, nil, nil
}

// address returns the URL of the next page, or its query.
func (r responseURL) address(p PageInfo) (string, *Stop, error) {
	v, err := r.next.value(p)
	switch {
	case err != nil:
		return "", nil, err
	case isMissing(v):
		return "", r.next.missing(p), nil
	case v.Kind() != value.String:
		return "", nil, failure.Userf("the URL of the next page at '%s' of the response must be a string, found %s", r.next.path.Text, v.Kind()).At(r.next.pointer)
	}
	return v.Raw(), nil, nil
}

// request builds the request for a URL. Parameters of the job replace parameters in the
// URL, because they are set when the request is built. They do not replace parameters of
// a query without a URL.
func (r responseURL) request(job config.RequestSpec, address string) config.RequestSpec {
	if !r.includeParams {
		job.Params = value.OfMembers()
	}
	if r.paramIsQuery {
		return config.RequestSpec{Params: parseQuery(strings.TrimLeft(address, "?"))}.Over(job)
	}
	job.Endpoint = address
	return job
}

func (r responseURL) describe(config.RequestSpec) []string {
	what := "goes to the URL"
	if r.paramIsQuery {
		what = "has the parameters"
	}
	text := fmt.Sprintf("Each request after the first %s that the previous page has %s, until a page has none.", what, r.next.describe())
	return []string{text, jobParams(r.includeParams)}
}

// jobParams describes the effect of `includeParams`.
func jobParams(included bool) string {
	if included {
		return "The parameters of the job are sent each time."
	}
	return "The parameters of the job are sent with the first request only."
}
