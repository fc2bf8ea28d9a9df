package pagination

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// tooRecent is the age below which the incremental exports of Zendesk have no complete
// data.
const tooRecent = 6 * time.Minute

// zendesk is responseURL for the incremental exports of Zendesk. They always have a next
// page. A next page that starts less than tooRecent ago is not requested.
type zendesk struct {
	responseURL
	methodPointer string
}

func zendeskMethod() Method {
	return Method{
		Name:     "zendesk.response.url",
		Settings: []field.Declaration{URLKey, IncludeParams, ParamIsQuery},
		Compile: func(s config.Section) Scroller {
			z := zendesk{responseURL: newResponseURL(s, reference{path: response.Path{Text: URLKey.Of(s), Separator: "."}, pointer: pointerOf(s, URLKey)}), methodPointer: MethodName.In(s).Pointer}
			all := z.scroller()
			all.Needs.Time, all.Next, all.Describe = true, z.nextRequest, z.describe
			return all
		},
	}
}

func (z zendesk) nextRequest(job config.RequestSpec, _ State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	address, stop, err := z.address(p)
	if stop != nil || err != nil {
		return job, nil, stop, err
	}
	start, err := strconv.ParseInt(parseQuery(z.queryOf(address)).Field("start_time").Raw(), 10, 64)
	if err == nil && start > p.Now.Add(-tooRecent).Unix() {
		rule := fmt.Sprintf("the start_time of the next page (%s UTC) is too recent", time.Unix(start, 0).UTC().Format(time.DateTime))
		return job, nil, &Stop{Rule: rule, Pointer: z.methodPointer, Reason: Deliberate}, nil
	}
	return z.request(job, address), nil, nil, nil
}

// queryOf returns the query of a URL. With paramIsQuery the text may be only a query.
func (z zendesk) queryOf(address string) string {
	address, _, _ = strings.Cut(address, "#")
	_, query, ok := strings.Cut(address, "?")
	if !ok && z.paramIsQuery {
		return address
	}
	return query
}

func (z zendesk) describe(job config.RequestSpec) []string {
	return append(z.responseURL.describe(job),
		fmt.Sprintf("Also stops before a page whose start_time is less than %d minutes ago.", int(tooRecent.Minutes())))
}
