package pagination

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestResponseURL(t *testing.T) {
	const none = "the response has no value at 'next_page'"
	const job = `{"endpoint":"t?z=1","params":{"a":1},"headers":{"X":"1"}}`
	tests := []sequence{
		{name: "parameters are kept", settings: `{"method":"response.url","includeParams":true}`, job: job,
			responses: []string{`{"next_page":"?page=2&a=9"}`, `{}`},
			sent:      []string{`t?z=1 {"a":1} {"X":"1"}`, `?page=2&a=9 {"a":1} {"X":"1"}`}, rule: none},
		{name: "the value is a query", settings: `{"method":"response.url","paramIsQuery":true}`, job: job,
			responses: []string{`{"next_page":"??page=2&q=a%20b+c"}`, `{}`},
			sent:      []string{`t?z=1 {"a":1} {"X":"1"}`, `t?z=1 {"page":"2","q":"a b c"} {"X":"1"}`}, rule: none},
		{name: "the value is a query that wins over kept parameters", settings: `{"method":"response.url","paramIsQuery":true,"includeParams":true}`,
			job: `{"endpoint":"t","params":{"b":0,"a":1}}`, responses: []string{`{"next_page":"a=2&page=2"}`, `{}`},
			sent: []string{`t {"b":0,"a":1}`, `t {"b":0,"a":"2","page":"2"}`}, rule: none},
		{name: "a query over a list of parameters", settings: `{"method":"response.url","paramIsQuery":true,"includeParams":true}`,
			job: `{"endpoint":"t","params":["p","q"]}`, responses: []string{`{"next_page":"1=x"}`, `{}`},
			sent: []string{`t ["p","q"]`, `t {"0":"p","1":"x"}`}, rule: none},
		{name: "a separator that is empty in other places", settings: `{"method":"response.url","urlKey":"a0b","delimiter":"0"}`,
			responses: []string{`{"a":{"b":"n"}}`, `{"a0c":"m"}`},
			sent:      []string{`t`, `n`}, rule: "the response has no value at 'a0b'"},
		{name: "indexes of lists", settings: `{"method":"response.url","urlKey":"links.1.href"}`,
			responses: []string{`{"links":[{"href":"a"},{"href":"b"}]}`, `{"links":[]}`},
			sent:      []string{`t`, `b`}, rule: "the response has no value at 'links.1.href'"},
		{name: "the last item, a chosen one, and a name with dots", settings: `{"method":"response.url","urlKey":"links.[rel=next].href"}`,
			responses: []string{`{"links":[{"rel":"self","href":"a"},{"rel":"next","href":"b"}]}`, `{"links.[rel=next].href":"c"}`, `{"links":[{"rel":"self","href":"a"}]}`},
			sent:      []string{`t`, `b`, `c`}, rule: "the response has no value at 'links.[rel=next].href'"},
	}
	for i := range tests {
		tests[i].pointer = placed(tests[i].settings, "urlKey")
	}
	testSequences(t, tests)
}

func TestResponseURLNeedsStrings(t *testing.T) {
	const secret = "5417"
	for _, settings := range []string{
		`{"method":"response.url","urlKey":"a.next"}`,
		`{"method":"response.url","urlKey":"a.next","paramIsQuery":true}`,
		`{"method":"zendesk.response.url","urlKey":"a.next"}`,
	} {
		for kind, next := range map[string]string{"number": secret, "boolean": "true", "array": "[" + secret + "]", "object": "{}"} {
			_, stop, err := walk(t, scroller(t, settings, ""), request(t, ""), 0, `{"a":{"next":`+next+`}}`)
			if stop != nil || failure.KindOf(err) != failure.User || failure.PointerOf(err) != "/api/pagination/urlKey" {
				t.Fatalf("%s: got %v, %v", next, stop, err)
			}
			if got := err.Error(); !strings.HasPrefix(got, "the URL of the next page at 'a.next' of the response must be a string, found "+kind) || strings.Contains(got, secret) {
				t.Errorf("%s: got %s", next, got)
			}
		}
	}
}

func TestFieldsThatAreTooLargeNameTheirSetting(t *testing.T) {
	tests := []struct{ settings, pointer string }{
		{`{"method":"response.url","urlKey":"f"}`, "/api/pagination/urlKey"},
		{`{"method":"zendesk.response.url","urlKey":"f"}`, "/api/pagination/urlKey"},
		{`{"method":"response.param","responseParam":"f","queryParam":"q"}`, "/api/pagination/responseParam"},
		{`{"nextPageFlag":{"field":"f","stopOn":true}}`, "/api/pagination/nextPageFlag/stopOn"},
		{`{"limitStop":{"field":"f"}}`, "/api/pagination/limitStop/field"},
	}
	response := `{"f":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, tt := range tests {
		_, _, err := walk(t, scroller(t, tt.settings, ""), request(t, ""), 0, response)
		if failure.KindOf(err) != failure.User || failure.PointerOf(err) != tt.pointer {
			t.Errorf("%s: got %v", tt.settings, err)
		}
	}
}
