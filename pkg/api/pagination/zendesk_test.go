package pagination

import (
	"fmt"
	"testing"
	"time"
)

func TestZendesk(t *testing.T) {
	limit := start.Add(-6 * time.Minute).Unix()
	next := func(query string, args ...any) string {
		return `{"next_page":"https://h/api?` + fmt.Sprintf(query, args...) + `"}`
	}
	const none = "the response has no value at 'next_page'"
	testSequences(t, []sequence{
		{name: "to a page without an address", settings: `{"method":"zendesk.response.url"}`, job: `{"endpoint":"t","params":{"a":1}}`,
			responses: []string{next("start_time=5"), `{"next_page":null}`},
			sent:      []string{`t {"a":1}`, `https://h/api?start_time=5`}, rule: none, pointer: "/method"},
		{name: "another place, parameters kept", settings: `{"method":"zendesk.response.url","urlKey":"l.n","includeParams":true}`, job: `{"endpoint":"t","params":{"a":1}}`,
			responses: []string{`{"l":{"n":"x"}}`},
			sent:      []string{`t {"a":1}`, `x {"a":1}`}},
		{name: "no other separator", settings: `{"method":"zendesk.response.url","urlKey":"l.n","delimiter":"#"}`,
			responses: []string{`{"l":{"n":"x"}}`},
			sent:      []string{`t`, `x`}},
		{name: "a second too recent", settings: `{"method":"zendesk.response.url"}`,
			responses: []string{next("x=1&start_time=%d", limit+1)},
			sent:      []string{`t`}, rule: "the start_time of the next page (2026-01-02 02:58:06 UTC) is too recent", pointer: "/method"},
		{name: "just old enough", settings: `{"method":"zendesk.response.url"}`,
			responses: []string{next("start_time=%d", limit)},
			sent:      []string{`t`, fmt.Sprintf("https://h/api?start_time=%d", limit)}},
		{name: "the time of the page counts", settings: `{"method":"zendesk.response.url"}`, every: time.Second,
			responses: []string{next("start_time=%d", limit+1), next("start_time=%d", limit+3)},
			sent:      []string{`t`, fmt.Sprintf("https://h/api?start_time=%d", limit+1)}, rule: "the start_time of the next page (2026-01-02 02:58:08 UTC) is too recent", pointer: "/method"},
		{name: "fractions of a second of the clock", settings: `{"method":"zendesk.response.url"}`, every: time.Second / 2,
			responses: []string{next("start_time=%d", limit), next("start_time=%d", limit+1), next("start_time=%d", limit+2)},
			sent:      []string{`t`, fmt.Sprintf("https://h/api?start_time=%d", limit), fmt.Sprintf("https://h/api?start_time=%d", limit+1)},
			rule:      "the start_time of the next page (2026-01-02 02:58:07 UTC) is too recent", pointer: "/method"},
		{name: "far in the future", settings: `{"method":"zendesk.response.url"}`,
			responses: []string{next("start_time=4102444800")},
			sent:      []string{`t`}, rule: "the start_time of the next page (2100-01-01 00:00:00 UTC) is too recent", pointer: "/method"},
		{name: "a fragment is no part of the time", settings: `{"method":"zendesk.response.url"}`,
			responses: []string{next("start_time=4102444800#top")},
			sent:      []string{`t`}, rule: "the start_time of the next page (2100-01-01 00:00:00 UTC) is too recent", pointer: "/method"},
		{name: "no number, no time, twice", settings: `{"method":"zendesk.response.url"}`,
			responses: []string{next("start_time=soon"), next("start_time="), next("a#start_time=4102444800"), next("start_time=4102444800&start_time=4102444800")},
			sent:      []string{`t`, `https://h/api?start_time=soon`, `https://h/api?start_time=`, `https://h/api?a#start_time=4102444800`, `https://h/api?start_time=4102444800&start_time=4102444800`}},
		{name: "an address where a query is expected", settings: `{"method":"zendesk.response.url","paramIsQuery":true}`,
			responses: []string{next("x=1&start_time=4102444800#top")},
			sent:      []string{`t`}, rule: "the start_time of the next page (2100-01-01 00:00:00 UTC) is too recent", pointer: "/method"},
		{name: "a query without its mark", settings: `{"method":"zendesk.response.url","paramIsQuery":true}`,
			responses: []string{`{"next_page":"start_time=5&x=1"}`, `{"next_page":"x=1&start_time=4102444800"}`},
			sent:      []string{`t`, `t {"start_time":"5","x":"1"}`}, rule: "the start_time of the next page (2100-01-01 00:00:00 UTC) is too recent", pointer: "/method"},
		{name: "the value is a query", settings: `{"method":"zendesk.response.url","paramIsQuery":true}`,
			responses: []string{`{"next_page":"?start_time=5"}`, `{"next_page":"?start_time=4102444800"}`},
			sent:      []string{`t`, `t {"start_time":"5"}`}, rule: "the start_time of the next page (2100-01-01 00:00:00 UTC) is too recent", pointer: "/method"},
	})
}
