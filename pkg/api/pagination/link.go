package pagination

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// link follows the URL of each page in the header Link with a given relation (RFC 8288).
// A page without this relation is the last page.
type link struct {
	responseURL
	rel string
}

// relation is a setting of the method link.
var relation = field.Text("rel", "Relation", "What the header `Link` calls the next page.").Default("next").Example(`"older"`)

func linkMethod() Method {
	return Method{
		Name:       "link",
		AlsoCalled: []string{"linkheader", "headerlink", "weblinking", "rfc8288", "rfc5988"},
		Settings:   []field.Declaration{relation, IncludeParams},
		Compile: func(s config.Section) Scroller {
			l := link{
				rel:         relation.Of(s),
				responseURL: responseURL{includeParams: IncludeParams.Of(s), next: reference{header: "Link", pointer: pointerOf(s, relation)}},
			}
			return Scroller{Needs: Requirements{Header: l.next.header}, Next: l.nextRequest, Describe: l.describe}
		},
	}
}

func (l link) nextRequest(job config.RequestSpec, _ State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	target, ok := LinkTo(l.rel, p.headerValues("Link"), p.Address)
	if !ok {
		stop := l.next.missing(p)
		stop.Rule = fmt.Sprintf("the header Link of the response has no URL with the relation '%s'", l.rel)
		if _, next := LinkTo("next", p.headerValues("Link"), p.Address); next {
			stop.Rule += ", but it has one with the relation 'next'"
			stop.Hint = "remove 'rel' if 'next' is the next page"
		}
		return job, nil, stop, nil
	}
	address, err := p.resolve(target)
	if err != nil {
		return job, nil, nil, failure.Userf("the URL of the next page in the header Link is not valid: expected an http or https URL, absolute or relative").At(l.next.pointer)
	}
	return l.request(job, address), nil, nil, nil
}

func (l link) describe(config.RequestSpec) []string {
	text := fmt.Sprintf("Each request after the first goes to the URL with the relation %q in the header Link of the previous page, until a page has none.", l.rel)
	return []string{text, jobParams(l.includeParams)}
}
