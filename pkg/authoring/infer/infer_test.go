package infer

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// of is an exchange: a curl command and a successful response. headers are lines
// of the response.
func of(t *testing.T, command, response string, headers ...string) example.Exchange {
	t.Helper()
	r, err := example.FromCurl("curl "+command, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	x := example.Exchange{Request: r, Status: 200, ResponseHeader: http.Header{}, Response: []byte(response)}
	for _, line := range headers {
		name, text, _ := strings.Cut(line, ": ")
		x.ResponseHeader.Add(name, text)
	}
	return x
}

// ids is a list of objects with these ids.
func ids(ids ...int) string {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = fmt.Sprintf(`{"id":%d}`, id)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestKeyOfOneItem(t *testing.T) {
	p, err := Infer(of(t, "https://h.example/orders", ids(1)), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a candidate, but the example has only one item; "; !strings.HasPrefix(p.PrimaryKeys[1].Evidence, want) {
		t.Errorf("got %+v, want %s", p.PrimaryKeys, want)
	}
	if want := "'id' is a candidate, but the example has only one item. To make it the primary key, in a mapping, use --primary-key id."; !slices.Contains(p.Notes, want) {
		t.Errorf("got %q, want %q", p.Notes, want)
	}
}

func TestOneRecord(t *testing.T) {
	p, err := Infer(of(t, "https://h.example/orders.csv", "id,name,city\n", "Content-Type: text/csv"), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "a comma divides the only record into 3 fields"
	if !slices.ContainsFunc(p.Guesses, func(g Inference) bool { return strings.Contains(g.Evidence, want) }) {
		t.Errorf("got %+v, want %s", p.Guesses, want)
	}
}

func proposed(t *testing.T, x example.Exchange, c Choice) (*Result, value.Value) {
	t.Helper()
	p, err := Infer(x, c)
	if err != nil {
		t.Fatal(err)
	}
	check(t, p)
	v, err := value.Parse(p.Config)
	if err != nil {
		t.Fatal(err)
	}
	return p, v.Field("parameters")
}

// check is what every proposal promises: nothing to warn of, each guess is what
// is in the document, and a run that lacks data fails.
func check(t *testing.T, p *Result) {
	t.Helper()
	if got := pointed(t, p.Config, "/parameters/config/onIncomplete").Raw(); got != "fail" {
		t.Errorf("config.onIncomplete is %q", got)
	}
	for _, f := range diagnostic.Check(t.Context(), "config.json", p.Config, load.Options{Strict: true}).Findings {
		if f.Code == failure.ExampleValue { // an example may have one, too
			continue
		}
		t.Errorf("%s %s at %s: %s %s\n%s", f.Severity, f.Code, f.Pointer, f.Message, f.Hint, p.Config)
	}
	for _, g := range p.Guesses {
		if g.Subject == "" || g.Evidence == "" || g.Confidence == "" {
			t.Errorf("not complete: %+v", g)
		}
		if at := pointed(t, p.Config, g.Pointer); g.Value != `"none"` && at.JSON() != g.Value {
			t.Errorf("%s: the guess %s is not what is there: %s", g.Pointer, g.Value, at.JSON())
		}
	}
}

// pointed is the value at a pointer.
func pointed(t *testing.T, text []byte, pointer string) value.Value {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if v.Kind() == value.Array {
			v, _ = v.At(token, "/")
		} else {
			v = v.Field(token)
		}
	}
	return v
}

func TestData(t *testing.T) {
	tests := []struct {
		name, response, want string
		confidence           confidence
		others               string
	}{
		{"the response itself", ids(1, 2), `"."`, sure, ""},
		{"the only list", `{"items":[{"id":1}],"total":1}`, `"items"`, sure, ""},
		{"deeper", `{"response":{"data":{"orders":[{"id":1}]}}}`, `"response.data.orders"`, sure, ""},
		{"the longer of two", `{"a":[{"id":1}],"b":[{"id":1},{"id":2}]}`, `"b"`, likely, "a"},
		{"objects before scalars", `{"tags":["a","b","c"],"b":[{"id":1}]}`, `"b"`, likely, "tags"},
		{"not what is included", `{"data":[{"id":1}],"included":[{"id":1},{"id":2}]}`, `"data"`, likely, "included"},
		{"not the errors", `{"errors":[{"code":1},{"code":2}],"rows":[{"id":1}]}`, `"rows"`, likely, "errors"},
		{"of equals, the one at the root", `{"a":{"b":[{"id":1}]},"c":[{"id":1}]}`, `"c"`, likely, "a.b"},
		{"an empty list", `{"items":[]}`, `"items"`, sure, ""},
		{"only scalars", `{"names":["a","b"]}`, `"names"`, sure, ""},
		{"a name with a dot", `{"a.b":{"items":[{"id":1}]}}`, `{"path":"a.b/items","delimiter":"/"}`, sure, ""},
		{"one object", `{"id":1,"name":"x"}`, `"."`, likely, ""},
		{"one object in an envelope", `{"data":{"id":1,"name":"x"}}`, `"data"`, likely, ""},
		{"a byte order mark", "\ufeff" + `[{"id":1}]`, `"."`, sure, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, v := proposed(t, of(t, "https://api.example.com/v1/orders", tt.response), Choice{})
			if got := v.Field("config").Field("jobs").Items()[0].Field("dataField").JSON(); got != tt.want {
				t.Errorf("dataField %s, want %s", got, tt.want)
			}
			if g := p.Guesses[0]; g.Subject != "data" || g.Confidence != tt.confidence {
				t.Errorf("%+v, want %s", g, tt.confidence)
			}
			var others []string
			for _, o := range p.DataFields[1:] {
				others = append(others, o.Name)
			}
			if got := strings.Join(others, " "); got != tt.others {
				t.Errorf("others %q, want %q", got, tt.others)
			}
		})
	}
}

func TestPaging(t *testing.T) {
	const base = "'https://api.example.com/v1/orders?state=open"
	ten := ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	tests := []struct {
		name, command, response, header string
		want                            string // of the pagination; "" for none
		confidence                      confidence
		params                          string // of the job
	}{
		{"offset and limit", base + "&offset=0&limit=10'", `{"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"offset","limit":10,"limitParam":"limit"}`, sure, `{"state":"open"}`},
		{"in the middle", base + "&start=20&rows=10'", `{"total":99,"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"start","limit":10,"limitParam":"rows","limitStop":{"field":"total"}}`, sure, `{"state":"open"}`},
		{"an offset from 1", base + "&startIndex=1&count=10'", `{"totalResults":99,"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"startIndex","offsetFromJob":true,"limit":10,"limitParam":"count","limitStop":{"field":"totalResults"}}`, sure, `{"state":"open","startIndex":1}`},
		{"the limit the API allows", base + "&offset=0&limit=1000'", `{"meta":{"limit":10,"total":99},"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"offset","limit":10,"limitParam":"limit","limitStop":{"field":"meta.total"}}`, sure, `{"state":"open"}`},
		{"the limit the API keeps to itself", base + "&offset=0&limit=1000'", `{"total":99,"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"offset","limit":10,"limitParam":"limit","limitStop":{"field":"total"}}`, sure, `{"state":"open"}`},
		{"fewer than the limit, and no total", base + "&offset=0&limit=1000'", `{"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"offset","limit":1000,"limitParam":"limit","lastPage":"empty"}`, sure, `{"state":"open"}`},
		{"fewer than the page size, and no total", base + "&page=1&per_page=100'", ten, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":100,"limitParam":"per_page","lastPage":"empty"}`, sure, `{"state":"open"}`},
		{"fewer than the page size, and a flag", base + "&page=1&per_page=100'", `{"more":false,"items":` + ten + `}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":100,"limitParam":"per_page","lastPage":"empty","nextPageFlag":{"field":"more","stopOn":false}}`, sure, `{"state":"open"}`},
		{"no items at all", base + "&page=1&per_page=100'", `{"items":[]}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":100,"limitParam":"per_page","lastPage":"empty"}`, sure, `{"state":"open"}`},
		{"an offset stated by the response", base + "'", `{"startAt":0,"maxResults":10,"total":99,"items":` + ten + `}`, "", `{"method":"offset","offsetParam":"startAt","limit":10,"limitParam":"maxResults","limitStop":{"field":"total"}}`, likely, `{"state":"open"}`},
		{"page and size", base + "&page=1&per_page=10'", ten, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":10,"limitParam":"per_page"}`, sure, `{"state":"open"}`},
		{"pages from 0", base + "&page=0&size=10'", `{"content":` + ten + `,"totalElements":99,"last":false}`, "", `{"method":"pagenum","firstPage":0,"pageParam":"page","limit":10,"limitParam":"size","limitStop":{"field":"totalElements"},"nextPageFlag":{"field":"last","stopOn":true}}`, sure, `{"state":"open"}`},
		{"a page of JSON:API", base + "&page%5Bnumber%5D=3&page%5Bsize%5D=10'", `{"data":` + ten + `}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page[number]","limit":10,"limitParam":"page[size]"}`, sure, `{"state":"open"}`},
		{"a page stated by the response", base + "'", `{"data":` + ten + `,"meta":{"current_page":1,"per_page":10,"last_page":3,"total":25}}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":10,"limitParam":"per_page","limitStop":{"field":"meta.total"}}`, likely, `{"state":"open"}`},
		{"a page in a body", "https://api.example.com/search -d '{\"page\":1,\"pageSize\":10,\"q\":\"x\"}' -H 'Content-Type: application/json'", `{"hits":` + ten + `}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":10,"limitParam":"pageSize"}`, sure, `{"q":"x"}`},
		{"count is that of the page", base + "&page=1'", `{"count":2,"results":` + ids(1, 2) + `}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page"}`, sure, `{"state":"open"}`},
		{"a next address", base + "'", `{"links":{"next":"https://api.example.com/v1/orders?state=open&page=2"},"data":` + ten + `}`, "", `{"method":"response.url","urlKey":"links.next"}`, sure, `{"state":"open"}`},
		{"a next address without the parameters", base + "'", `{"next":"/v1/orders?page=2","data":` + ten + `}`, "", `{"method":"response.url","urlKey":"next","includeParams":true}`, sure, `{"state":"open"}`},
		{"a next query", base + "'", `{"nextPage":"?state=open&page=2","data":` + ten + `}`, "", `{"method":"response.url","urlKey":"nextPage","paramIsQuery":true}`, sure, `{"state":"open"}`},
		{"a next address that knows better", base + "&page=1'", `{"next":"https://api.example.com/v1/orders?page=2","data":` + ten + `}`, "", `{"method":"response.url","urlKey":"next"}`, sure, `{"state":"open","page":"1"}`},
		{"OData", base + "'", `{"value":` + ten + `,"@odata.nextLink":"https://api.example.com/v1/orders?state=open&$skip=10"}`, "", `{"method":"response.url","urlKey":"@odata.nextLink","delimiter":"/"}`, sure, `{"state":"open"}`},
		{"HAL", base + "'", `{"_links":{"self":{"href":"/a"},"next":{"href":"https://api.example.com/v1/orders?state=open&p=2"}},"_embedded":{"orders":` + ten + `}}`, "", `{"method":"response.url","urlKey":"_links.next.href"}`, sure, `{"state":"open"}`},
		{"the last page of a next address", base + "'", `{"count":10,"next":null,"previous":null,"results":` + ten + `}`, "", `{"method":"response.url","urlKey":"next"}`, likely, `{"state":"open"}`},
		{"Zendesk", "'https://x.zendesk.com/api/v2/incremental/tickets.json?start_time=1'", `{"tickets":` + ten + `,"next_page":"https://x.zendesk.com/api/v2/incremental/tickets.json?start_time=99","end_time":99,"count":10}`, "", `{"method":"zendesk.response.url","urlKey":"next_page"}`, sure, `{"start_time":"1"}`},
		{"a token", base + "'", `{"nextPageToken":"abc","items":` + ten + `}`, "", `{"method":"response.param","responseParam":"nextPageToken","queryParam":"pageToken","includeParams":true}`, likely, `{"state":"open"}`},
		{"a token and its parameter", base + "&start_cursor=xyz'", `{"next_cursor":"abc","has_more":true,"results":` + ten + `}`, "", `{"method":"response.param","responseParam":"next_cursor","queryParam":"start_cursor","includeParams":true,"nextPageFlag":{"field":"has_more","stopOn":false}}`, sure, `{"state":"open"}`},
		{"a token without other parameters", "https://api.example.com/v1/orders", `{"paging":{"next":{"after":"10"}},"results":` + ten + `}`, "", `{"method":"response.param","responseParam":"paging.next.after","queryParam":"after"}`, likely, `null`},
		{"Airtable", "https://api.example.com/v0/app/Orders", `{"records":` + ten + `,"offset":"itrX/recY"}`, "", `{"method":"response.param","responseParam":"offset","queryParam":"offset"}`, likely, `null`},
		{"an echo is not a token", base + "&cursor=abc'", `{"cursor":"abc","next_cursor":"def","items":` + ten + `}`, "", `{"method":"response.param","responseParam":"next_cursor","queryParam":"cursor","includeParams":true}`, sure, `{"state":"open"}`},
		{"a page info", base + "'", `{"pageInfo":{"endCursor":"abc"},"nodes":` + ten + `}`, "", `{"method":"response.param","responseParam":"pageInfo.endCursor","queryParam":"after","includeParams":true}`, likely, `{"state":"open"}`},
		{"a token that keeps its name", base + "'", `{"NextToken":"abc","nodes":` + ten + `}`, "", `{"method":"response.param","responseParam":"NextToken","queryParam":"NextToken","includeParams":true}`, likely, `{"state":"open"}`},
		{"a token below its name", base + "'", `{"meta":{"cursor":{"next":"abc"}},"nodes":` + ten + `}`, "", `{"method":"response.param","responseParam":"meta.cursor.next","queryParam":"cursor","includeParams":true}`, likely, `{"state":"open"}`},
		{"a token called next", base + "'", `{"next":"abc","nodes":` + ten + `}`, "", `{"method":"response.param","responseParam":"next","queryParam":"cursor","includeParams":true}`, likely, `{"state":"open"}`},
		{"a bookmark", base + "'", `{"bookmark":"abc","nodes":` + ten + `}`, "", `{"method":"response.param","responseParam":"bookmark","queryParam":"bookmark","includeParams":true}`, likely, `{"state":"open"}`},
		{"the number of the next page", base + "'", `{"next_page":2,"items":` + ten + `}`, "", `{"method":"response.param","responseParam":"next_page","queryParam":"page","includeParams":true}`, likely, `{"state":"open"}`},
		{"the last page of tokens", base + "'", `{"next_cursor":null,"items":` + ten + `}`, "", `{"method":"response.param","responseParam":"next_cursor","queryParam":"cursor","includeParams":true}`, likely, `{"state":"open"}`},
		{"by id, upwards", base + "&since_id=0'", `{"items":` + ten + `}`, "", `{"method":"cursor","idKey":"id","param":"since_id"}`, likely, `{"state":"open","since_id":"0"}`},
		{"by id, downwards", base + "&max_id=99'", `{"items":` + ids(9, 8) + `}`, "", `{"method":"cursor","idKey":"id","param":"max_id","reverse":true,"increment":-1}`, likely, `{"state":"open","max_id":"99"}`},
		{"newest first", base + "&count=3'", `{"items":` + ids(9, 8, 7) + `}`, "", `{"method":"cursor","idKey":"id","param":"max_id","reverse":true,"increment":-1}`, unsure, `{"state":"open","count":"3"}`},
		{"the header Link", base + "'", ten, `Link: <https://api.example.com/v1/orders?page=9>; rel="last", <https://api.example.com/v1/orders?state=open&page=2>; rel="prefetch next"; title="a, b"`, `{"method":"link"}`, sure, `{"state":"open"}`},
		{"the header Link and a page number", base + "&page=1&per_page=10'", ten, `Link: </v1/orders?state=open&page=2&per_page=10>; rel=next`, `{"method":"link"}`, sure, `{"state":"open","page":"1","per_page":"10"}`},
		{"the header Link with a token", base + "'", ten, `Link: <https://api.example.com/v1/orders?after=x>; rel="next"`, `{"method":"link"}`, sure, `{"state":"open"}`},
		{"the header Link of a POST", `https://api.example.com/search --json '{"q":"x"}'`, ten, `Link: </search?after=x>; rel="next"`, `{"method":"link","includeParams":true}`, sure, `{"q":"x"}`},
		{"a header Link about something else", base + "'", `{"items":` + ten + `}`, `Link: </v1/x>; rel=next; anchor="/v1/y"`, ``, likely, `{"state":"open"}`},
		{"a page number in a header", base + "&page=1'", ten, `X-Next-Page: 2`, `{"method":"response.param","next":{"responseHeader":"X-Next-Page"},"queryParam":"page","includeParams":true}`, sure, `{"state":"open"}`},
		{"a token in a header", "https://api.example.com/v1/orders", ten, `X-Next-Page-Token: abc`, `{"method":"response.param","next":{"responseHeader":"X-Next-Page-Token"},"queryParam":"page_token"}`, likely, `null`},
		{"a token in a header and its parameter", base + "&pageToken='", ten, `X-Continuation-Token: abc`, `{"method":"response.param","next":{"responseHeader":"X-Continuation-Token"},"queryParam":"pageToken","includeParams":true}`, sure, `{"state":"open"}`},
		{"a total in a header", base + "&page=1&per_page=5'", ids(1, 2, 3, 4, 5), `X-Total-Count: 12`, `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":5,"limitParam":"per_page","total":{"responseHeader":"X-Total-Count"}}`, sure, `{"state":"open"}`},
		{"a total in a header that is less than the page", base + "&page=1&per_page=10'", ten, `X-Total-Count: 9`, `{"method":"pagenum","firstPage":1,"pageParam":"page","limit":10,"limitParam":"per_page"}`, sure, `{"state":"open"}`},
		{"a total in a header that is empty", base + "&offset=0&limit=10'", ten, `X-Total: `, `{"method":"offset","offsetParam":"offset","limit":10,"limitParam":"limit"}`, sure, `{"state":"open"}`},
		{"an empty header on the last page", base + "'", ten, `X-Next-Cursor: `, `{"method":"response.param","next":{"responseHeader":"X-Next-Cursor"},"queryParam":"cursor","includeParams":true}`, likely, `{"state":"open"}`},
		{"an address in a header", base + "'", ten, `X-Next-Url: https://api.example.com/v1/orders?state=open&c=2`, `{"method":"response.url","next":{"responseHeader":"X-Next-Url"}}`, sure, `{"state":"open"}`},
		{"another header with next", base + "'", ten, `X-Next-Reset: 60`, ``, likely, `{"state":"open"}`},
		{"Stripe", "'https://api.example.com/v1/customers?limit=2'", `{"object":"list","data":[{"id":"cus_b"},{"id":"cus_a"}],"has_more":true,"url":"/v1/customers"}`, "", `{"method":"cursor","idKey":"id","param":"starting_after","idType":"text","nextPageFlag":{"field":"has_more","stopOn":false}}`, likely, `{"limit":"2"}`},
		{"Stripe, the last page", "https://api.example.com/v1/customers", `{"object":"list","data":[{"id":"cus_b"},{"id":"cus_a"}],"has_more":false}`, "", `{"method":"cursor","idKey":"id","param":"starting_after","idType":"text","nextPageFlag":{"field":"has_more","stopOn":false}}`, likely, `null`},
		{"the id of a text and its parameter", "'https://api.example.com/v1/customers?ending_before=cus_c'", `{"data":[{"id":"cus_b"},{"id":"cus_a"}],"paging":{"has_more":true}}`, "", `{"method":"cursor","idKey":"id","param":"ending_before","idType":"text","reverse":true,"nextPageFlag":{"field":"paging.has_more","stopOn":false}}`, likely, `{"ending_before":"cus_c"}`},
		{"more, and ids", base + "'", `{"items":[{"uuid":"b"},{"uuid":"a"}],"meta":{"hasMore":true}}`, "", `{"method":"cursor","idKey":"uuid","param":"starting_after","idType":"text","nextPageFlag":{"field":"meta.hasMore","stopOn":false}}`, unsure, `{"state":"open"}`},
		{"more, and no ids", base + "'", `{"items":[{"name":"b"},{"name":"a"}],"has_more":true}`, "", ``, likely, `{"state":"open"}`},
		{"a flag below the root", base + "&page=1'", `{"meta":{"has_next":true},"data":` + ten + `}`, "", `{"method":"pagenum","firstPage":1,"pageParam":"page","nextPageFlag":{"field":"meta.has_next","stopOn":false}}`, sure, `{"state":"open"}`},
		{"GraphQL", `https://h.example/graphql --json '{"query":"query($s:String,$c:String){orders(status:$s, after: $c){nodes{id} pageInfo{hasNextPage endCursor}}}","variables":{"s":"PAID"}}'`,
			`{"data":{"orders":{"nodes":[{"id":1}],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}}`, "",
			`{"method":"response.param","responseParam":"data.orders.pageInfo.endCursor","queryParam":"variables.c","paramDelimiter":".","includeParams":true,"nextPageFlag":{"field":"data.orders.pageInfo.hasNextPage","stopOn":false}}`, sure,
			`{"query":"query($s:String,$c:String){orders(status:$s, after: $c){nodes{id} pageInfo{hasNextPage endCursor}}}","variables":{"s":"PAID"}}`},
		{"GraphQL, in the middle", `https://h.example/graphql --json '{"query":"{ a }","variables":{"first":2,"after":"w"}}'`,
			`{"data":{"a":{"edges":[{"node":{"id":1}}],"pageInfo":{"endCursor":"x"}}}}`, "",
			`{"method":"response.param","responseParam":"data.a.pageInfo.endCursor","queryParam":"variables.after","paramDelimiter":".","includeParams":true}`, sure, `{"query":"{ a }","variables":{"first":2,"after":null}}`},
		{"GraphQL without a variable", `https://h.example/graphql --json '{"query":"{ a }"}'`, `{"data":{"a":{"nodes":[{"id":1}],"pageInfo":{"endCursor":"x","hasNextPage":true}}}}`, "", ``, likely, `{"query":"{ a }"}`},
		{"another key with next", base + "'", `{"next_delivery_at":"2026-01-01","nextSteps":"x","items":` + ten + `}`, "", ``, likely, `{"state":"open"}`},
		{"nothing", base + "'", ten, "", ``, likely, `{"state":"open"}`},
		{"a time is not an offset", base + "&from=1700000000'", ten, "", ``, likely, `{"state":"open","from":"1700000000"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if tt.header != "" {
				headers = []string{tt.header}
			}
			p, v := proposed(t, of(t, tt.command, tt.response, headers...), Choice{})
			got := v.Field("api").Field("pagination")
			if text := got.JSON(); text != tt.want && !(got.IsNull() && tt.want == "") {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
			at := slices.IndexFunc(p.Guesses, func(g Inference) bool { return g.Subject == "paging" })
			if g := p.Guesses[at]; g.Confidence != tt.confidence {
				t.Errorf("%+v, want %s", g, tt.confidence)
			}
			if got := v.Field("config").Field("jobs").Items()[0].Field("params").JSON(); got != tt.params {
				t.Errorf("params %s, want %s", got, tt.params)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	const address = "'https://api.example.com/v1/orders"
	const bearer = `{"Authorization":{"function":"concat","args":["Bearer ",{"attr":"#token"}]}}`
	tests := []struct {
		name, command string
		auth, headers string // of api
		attributes    string // of config
		params        string
		notes         string // a part of one
	}{
		{name: "none", command: address + "'"},
		{name: "a bearer token", command: address + "' -H 'Authorization: Bearer t0ken'", headers: bearer, attributes: `{"#token":"t0ken"}`},
		{name: "another scheme", command: address + "' -H 'Authorization: Token token=abc'", headers: strings.Replace(bearer, "Bearer", "Token", 1), attributes: `{"#token":"token=abc"}`},
		{name: "no scheme", command: address + "' -H 'Authorization: abcdef'", headers: `{"Authorization":{"attr":"#authorization"}}`, attributes: `{"#authorization":"abcdef"}`},
		{name: "basic", command: address + "' -u ann:s3cret", auth: `{"type":"basic"}`, attributes: `{"username":"ann","#password":"s3cret"}`},
		{name: "basic in the address", command: "https://ann:s3%20cret@api.example.com/v1/orders", auth: `{"type":"basic"}`, attributes: `{"username":"ann","#password":"s3 cret"}`},
		{name: "basic without a password", command: address + "' -u sk_live_1:", headers: `{"Authorization":{"function":"concat","args":["Basic ",{"function":"base64_encode","args":[{"attr":"#credentials"}]}]}}`, attributes: `{"#credentials":"sk_live_1:"}`},
		{name: "a header", command: address + "' -H 'X-API-Key: k3yk3y'", headers: `{"X-Api-Key":{"attr":"#apiKey"}}`, attributes: `{"#apiKey":"k3yk3y"}`},
		{name: "two headers", command: address + "' -H 'X-Auth-Email: a@example.com' -H 'X-Auth-Key: k3yk3y' -H 'X-Auth-Token: t0k0'", headers: `{"X-Auth-Key":{"attr":"#authKey"},"X-Auth-Token":{"attr":"#authToken"},"X-Auth-Email":"a@example.com"}`, attributes: `{"#authKey":"k3yk3y","#authToken":"t0k0"}`},
		{name: "the query", command: address + "?state=open&api_key=k3yk3y'", auth: `{"type":"query","query":{"api_key":{"attr":"#apiKey"}}}`, attributes: `{"#apiKey":"k3yk3y"}`, params: `{"state":"open"}`},
		{name: "the query and basic", command: address + "?api_key=k3yk3y' -u a:b0", auth: `{"type":"query","query":{"api_key":{"attr":"#apiKey"}}}`, headers: `{"Authorization":{"function":"concat","args":["Basic ",{"function":"base64_encode","args":[{"attr":"#credentials"}]}]}}`, attributes: `{"#apiKey":"k3yk3y","#credentials":"a:b0"}`},
		{name: "a short key is not a credential", command: address + "?key=abc'", params: `{"key":"abc"}`},
		{name: "a long one is", command: address + "?key=abcdefgh'", auth: `{"type":"query","query":{"key":{"attr":"#key"}}}`, attributes: `{"#key":"abcdefgh"}`},
		{name: "a body", command: "https://api.example.com/v1/orders --json '{\"apiKey\":\"k3yk3y\",\"q\":1}'", attributes: `{"#apiKey":"k3yk3y"}`, params: `{"apiKey":{"attr":"#apiKey"},"q":1}`},
		{name: "cookies", command: address + "' -b 'session=abc; theme=dark'", headers: `{"Cookie":{"attr":"#cookie"}}`, attributes: `{"#cookie":"session=abc; theme=dark"}`, notes: "a session that will end"},
		{name: "cookies beside a token", command: address + "' -b 'session=abc' -H 'Authorization: Bearer t0ken'", headers: bearer, attributes: `{"#token":"t0ken"}`, notes: "cookies of the example are left out"},
		{name: "a signature", command: address + "' -H 'Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=y'", notes: "computed for each request"},
		{name: "a token that ends", command: address + "' -H 'Authorization: Bearer aa.bb.cc'", headers: bearer, attributes: `{"#token":"aa.bb.cc"}`, notes: "one that expires"},
		{name: "a masked token", command: address + "' -H 'Authorization: Bearer [hidden]'", headers: bearer, attributes: `{"#token":"[hidden]"}`, notes: "write it under '#token'"},
		{name: "what browsers send", command: address + "' -H 'User-Agent: Mozilla' -H 'Sec-Fetch-Mode: cors' -H 'Accept: */*' -H 'X-Tenant: 7'", headers: `{"X-Tenant":"7"}`, notes: "Left out, because they only describe the program that sent the example: Sec-Fetch-Mode, User-Agent."},
		{name: "headers of a client that no browser sends", command: address + "' -H 'X-Client-Id: 42' -H 'X-Client-Data-Center: eu' -H 'X-Client-Data: CIa2' -H 'X-Client-Secret: k3yk3y'", headers: `{"X-Client-Secret":{"attr":"#clientSecret"},"X-Client-Data-Center":"eu","X-Client-Id":"42"}`, attributes: `{"#clientSecret":"k3yk3y"}`, notes: "Left out, because they only describe the program that sent the example: X-Client-Data."},
		{name: "a media type of its own", command: address + "' -H 'Accept: application/vnd.api+json'", headers: `{"Accept":"application/vnd.api+json"}`},
		{name: "an unchecked certificate", command: address + "' -k", notes: "api.caCertificate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, v := proposed(t, of(t, tt.command, ids(1)), Choice{})
			config := v.Field("config")
			for _, part := range []struct {
				what string
				got  value.Value
				want string
			}{
				{"authentication", v.Field("api").Field("authentication"), tt.auth},
				{"headers", v.Field("api").Field("http").Field("headers"), tt.headers},
				{"attributes", config.Without("outputBucket", "onIncomplete", "jobs"), tt.attributes},
				{"params", config.Field("jobs").Items()[0].Field("params"), tt.params},
			} {
				if part.want == "" && part.got.Len() == 0 {
					continue
				}
				if got := part.got.JSON(); got != part.want {
					t.Errorf("%s\ngot  %s\nwant %s", part.what, got, part.want)
				}
			}
			if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, tt.notes) {
				t.Errorf("no note with %q:\n%s", tt.notes, notes)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	tests := []struct{ name, command, base, endpoint, table, bucket string }{
		{"a version", "https://api.example.com/v1/orders", "https://api.example.com/v1", "orders", "orders", "example"},
		{"two marks", "https://jira.example.co.uk/rest/api/3/search -G -d fields=1", "https://jira.example.co.uk/rest/api/3", "search", "data", "example"},
		{"no version", "https://shop.example.com/orders", "https://shop.example.com", "orders", "orders", "example"},
		{"deeper", "https://api.example.com/v2/users/12/orders", "https://api.example.com/v2", "users/12/orders", "orders", "example"},
		{"an id at the end", "https://api.example.com/v2/orders/0123456789abcdef0123", "https://api.example.com/v2", "orders/0123456789abcdef0123", "orders", "example"},
		{"a slash at the end", "https://api.example.com/v1/orders/", "https://api.example.com/v1", "orders/", "orders", "example"},
		{"an extension", "https://x.zendesk.com/api/v2/tickets.json", "https://x.zendesk.com/api/v2", "tickets.json", "tickets", "zendesk"},
		{"only the host", "http://localhost:8080", "http://localhost:8080", "/", "data", "local"},
		{"an IP address", "http://[::1]:8080/orders", "http://[::1]:8080", "orders", "orders", "local"},
		{"the version last", "https://api.example.com/v1", "https://api.example.com", "v1", "data", "example"},
		{"two slashes", "https://api.example.com//v1//orders", "https://api.example.com", "https://api.example.com//v1//orders", "orders", "example"},
		{"a colon", "https://api.example.com/http:x/orders", "https://api.example.com", "https://api.example.com/http:x/orders", "orders", "example"},
		{"escapes", "https://api.example.com/v1/a%2Fb/c%20d", "https://api.example.com/v1", "a%2Fb/c%20d", "c_d", "example"},
		{"a POST with a query", "'https://api.example.com/v1/search/orders?expand=all' --json '{}'", "https://api.example.com/v1", "search/orders?expand=all", "orders", "example"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, v := proposed(t, of(t, tt.command, `{"data":{"items":[{"id":1}]}}`), Choice{})
			job := v.Field("config").Field("jobs").Items()[0]
			got := []string{v.Field("api").Field("baseUrl").Raw(), job.Field("endpoint").Raw(), p.Table, v.Field("config").Field("outputBucket").Raw()}
			if want := []string{tt.base, tt.endpoint, tt.table, tt.bucket}; !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestChoices(t *testing.T) {
	x := of(t, "'https://api.example.com/v1/orders?page=1&limit=2'", `{"next":"https://api.example.com/v1/orders?page=2&limit=2","total":4,"few":[{"id":7,"tags":["a"],"c":{"n":1}}],"many":[{"id":1},{"id":2}]}`)
	p, v := proposed(t, x, Choice{DataField: "few", Paging: "pagenum", PrimaryKey: "id"})
	if got := v.Field("config").Field("mappings").JSON(); got != `{"orders":{"id":{"mapping":{"destination":"id","primaryKey":true}},"tags":{"mapping":{"destination":"tags"},"forceType":true},"c.n":"c_n"}}` {
		t.Errorf("mappings %s", got)
	}
	if got := v.Field("api").Field("pagination").Field("method").Raw(); got != "pagenum" {
		t.Errorf("paging by %s", got)
	}
	for what, options := range map[string][]Option{"few many": p.DataFields, "pagenum response.url none": p.Pagings, "id none": p.PrimaryKeys} {
		var names []string
		for _, o := range options {
			names = append(names, o.Name)
		}
		if got := strings.Join(names, " "); got != what {
			t.Errorf("options %q, want %q", got, what)
		}
	}
	_, v = proposed(t, x, Choice{Paging: None})
	if !v.Field("api").Field("pagination").IsNull() {
		t.Error("paging although none was chosen")
	}
	for _, c := range []Choice{{DataField: "none"}, {Paging: "cursor"}, {PrimaryKey: "name"}} {
		if _, err := Infer(x, c); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "expected one of") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRefused(t *testing.T) {
	tests := []struct{ name, command, response, want string }{
		{"no JSON", "https://h.example/x?token=s3cret", "<html>", "h.example did not return JSON, JSON lines, CSV or XML (Content-Type text/html): it is an HTML page"},
		{"broken JSON", "https://h.example/x", "{\"a\": 1,\n \"b\": 2,\n \"c\": 3,\n", "JSON lines, CSV or XML (Content-Type text/html): "},
		{"prose", "https://h.example/x", "Hello s3cret", "JSON lines, CSV or XML (Content-Type text/html): "},
		{"a cut file in gzip", "https://h.example/x", "\x1f\x8b\x08", "the response of h.example cannot be read: the response is not valid gzip: it ends too early"},
		{"broken XML", "https://h.example/x", "<a><b></a>", "the response of h.example cannot be read: the response is not valid XML: "},
		{"nothing", "https://h.example/x", " ", "returned no body"},
		{"a scalar", "https://h.example/x", "1", "returned a number"},
		{"HEAD", "https://h.example/x -X HEAD", "[]", "the method of the example cannot be sent"},
		{"a GET with a body", "https://h.example/x -X GET -d a=b", "[]", "a GET with a body"},
		{"a text", "https://h.example/x -d hello -H 'Content-Type: text/plain'", "[]", "neither a JSON object nor a form"},
		{"a list", "https://h.example/x --json '[1]'", "[]", "the body of the example is a list"},
		{"an expression", "https://h.example/x --json '{\"a\":{\"function\":\"s3cret\"}}'", "[]", "cannot make a configuration from this example: expected the name of a function"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Infer(of(t, "'"+strings.Replace(tt.command, " ", "' ", 1)+strings.Repeat("'", 1-min(1, strings.Count(tt.command, " "))), tt.response, "Content-Type: text/html"), Choice{})
			if failure.KindOf(err) != failure.User || !strings.Contains(fmt.Sprint(err), tt.want) || strings.Contains(fmt.Sprint(err), "s3cret") {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	for status, want := range map[int]string{401: "it wants credentials", 500: "status 500"} {
		x := of(t, "https://h.example/x", "[]")
		x.Status = status
		if _, err := Infer(x, Choice{}); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), want) {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestSecrets(t *testing.T) {
	tests := []struct{ name, command, want string }{
		{"none", "https://h/x?state=open", ""},
		{"a parameter", "'https://h/x?api_key=a%20b&state=open'", "a b"},
		{"a header", "https://h/x -H 'Authorization: Bearer t0k'", "Bearer t0k|t0k"},
		{"user and password", "https://h/x -u ann:pw", "Basic YW5uOnB3|YW5uOnB3|pw"},
		{"a user alone", "https://h/x -u sk_live:", "Basic c2tfbGl2ZTo=|c2tfbGl2ZTo=|sk_live"},
		{"in the address", "https://ann:pw@h/x", "pw"},
		{"a user alone in the address", "https://sk_live:@h/x", "sk_live"},
		{"a form", "https://h/x -d user=ann -d password=pw", "pw"},
		{"a body", `https://h/x --json '{"a":[{"clientSecret":"pw"}],"token":""}'`, "pw"},
		{"cookies", "https://h/x -b 'a=1; b=2'", "a=1; b=2|b=2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(Secrets(of(t, tt.command, "").Request), "|"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNotesAboutHeaders(t *testing.T) {
	for header, want := range map[string]string{
		`Link: <x?c=1>; rel="next"`:                        "The URL of the next page lacks 'state' of the request.",
		`Link: <http://other.example/x?state=1>; rel=next`: `{"trustedOrigins": ["http://other.example"]}`,
		`X-Next: https://h.example/orders?c=1`:             "The URL of the next page lacks 'state' of the request.",
		`Link: <?page=2&state=1>; rel=next`:                "'link' was chosen, because the API itself returns the URL of the next page, and none after the last page. To choose another one, use --paging: 'pagenum'.",
	} {
		p, err := Infer(of(t, "'https://h.example/orders?state=1'", ids(1), header), Choice{})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("%s: no note with %q:\n%s", header, want, notes)
		}
	}
	p, _ := proposed(t, of(t, "'https://h.example/orders?state=1'", ids(1), `Link: <?page=2&state=1>; rel=next`), Choice{Paging: "pagenum"})
	if notes := strings.Join(p.Notes, "\n"); strings.Contains(notes, "more than one way") || p.Pagings[0].Name != "pagenum" {
		t.Errorf("chosen: %v\n%s", p.Pagings, notes)
	}
}

func TestNotes(t *testing.T) {
	tests := []struct{ name, command, response, want string }{
		{"lists", "https://h.example/orders", `[{"id":1,"lines":[{"a":1}]}]`, "each becomes a separate table, orders_lines"},
		{"a time in the request", "'https://h.example/orders?updated_since=2026-01-01'", ids(1), "'updated_since' is fixed at 2026-01-01"},
		{"a time in the items", "https://h.example/orders", `[{"id":1,"updatedAt":"2026-01-01T00:00:00Z"}]`, "last change (updatedAt)"},
		{"a parameter twice", "'https://h.example/orders?a=1&a=2'", ids(1), "'a' more than once"},
		{"a full page", "'https://h.example/orders?limit=2'", ids(1, 2), "The page is full (2 items)"},
		{"a next page without TLS", "https://h.example/orders", `{"next":"http://h.example/orders?page=2","items":` + ids(1) + `}`, `{"trustedOrigins": ["http://h.example"]}`},
		{"GraphQL without a variable", `https://h.example/graphql --json '{"query":"{ a }","variables":{"x":null}}'`, `{"data":{"a":{"nodes":[{"id":1}],"pageInfo":{"endCursor":"x","hasNextPage":true}}}}`, "no variable of the query accepts a cursor"},
		{"GraphQL without a cursor", `https://h.example/graphql --json '{"query":"{ a }","variables":{"after":null}}'`, `{"data":{"a":{"nodes":[{"id":1}],"pageInfo":{"hasNextPage":true}}}}`, "Add endCursor"},
		{"GraphQL without a flag", `https://h.example/graphql --json '{"query":"{ a }","variables":{"after":null}}'`, `{"data":{"a":{"nodes":[{"id":1}],"pageInfo":{"endCursor":"x"}}}}`, "request hasNextPage, too"},
		{"more than one way", "'https://h.example/orders?page=1'", `{"next":"https://h.example/orders?page=2","items":` + ids(1) + `}`, "There is more than one way to the next page. 'response.url' was chosen, because the API itself returns the URL of the next page, and none after the last page. To choose another one, use --paging: 'pagenum'."},
		{"more, and nothing that leads on", "https://h.example/orders", `{"items":[{"a":1}],"has_more":true}`, "The response shows that there are more pages ('has_more' is true). Nothing in the example shows how to request the next page"},
		{"a total, and nothing that leads on", "https://h.example/orders", `{"items":[{"a":1}],"total":7}`, "The response shows that there are more items ('total' is 7, the page has 1 item). Nothing in the example"},
		{"a primary key", "https://h.example/orders", ids(1, 2), "--primary-key id"},
		{"another type of body", `https://h.example/orders -d '{"a":1}' -H 'Content-Type: application/vnd.api+json'`, ids(1), "another Content-Type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := Infer(of(t, tt.command, tt.response), Choice{})
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, tt.want) {
				t.Errorf("no note with %q:\n%s", tt.want, notes)
			}
		})
	}
}
