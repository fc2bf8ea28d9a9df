package pagination

import (
	"slices"
	"testing"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	const (
		jobParams   = "The parameters of the job are sent each time."
		noJobParams = "The parameters of the job are sent with the first request only."
	)
	tests := []struct {
		name, settings, job string
		want                []string
	}{
		{"none", `{}`, "", []string{"Sends one request, without pagination."}},
		{"offset", `{"method":"offset","limit":100}`, "", []string{"Sends offset = 0, 100, 200, … and limit = 100, until a page is empty or has fewer than 100 rows."}},
		{"offset, limit and start of the job", `{"method":"offset","limit":100,"offsetParam":"skip","limitParam":"take","offsetFromJob":true}`, `{"endpoint":"t","params":{"take":20,"skip":40}}`,
			[]string{"Sends skip = 40, 60, 80, … and take = 20, until a page is empty or has fewer than 20 rows."}},
		{"offset of one row", `{"method":"offset","limit":1}`, "", []string{"Sends offset = 0, 1, 2, … and limit = 1, until a page is empty."}},
		{"offset without limit", `{"method":"offset","firstPageParams":false}`, "", []string{
			"Sends offset = 0, then advances by the number of rows on the first page, until a page is empty or has fewer rows than that.",
			"The first request is sent without these parameters."}},
		{"long numbers", `{"method":"offset","limit":123456789012345}`, "", []string{"Sends offset = 0, each time 123456789012345 more, and limit = 123456789012345, until a page is empty or has fewer than 123456789012345 rows."}},
		{"pagenum of one row", `{"method":"pagenum","limit":1}`, "", []string{"Sends page = 1, 2, 3, … and limit = 1, until a page is empty."}},
		{"pagenum", `{"method":"pagenum"}`, "", []string{"Sends page = 1, 2, 3, …, until a page is empty."}},
		{"pagenum with limit", `{"method":"pagenum","firstPage":0,"limit":50,"limitParam":"per","firstPageParams":false}`, "", []string{
			"Sends page = 0, 1, 2, … and per = 50, until a page is empty or has fewer than 50 rows.",
			"The first request is sent without these parameters."}},
		{"cursor", `{"method":"cursor","idKey":"id","param":"after","increment":1}`, "", []string{`Each request after the first has after = the largest "id" of all rows so far plus 1, until a page is empty.`}},
		{"cursor, reverse", `{"method":"cursor","idKey":"meta.id","param":"max_id","increment":-1,"reverse":true}`, "", []string{`Each request after the first has max_id = the smallest "meta.id" of all rows so far minus 1, until a page is empty.`}},
		{"response.url", `{"method":"response.url","urlKey":"links.next"}`, "", []string{`Each request after the first goes to the URL that the previous page has at "links.next", until a page has none.`, noJobParams}},
		{"response.url, a query", `{"method":"response.url","paramIsQuery":true,"includeParams":true}`, "", []string{`Each request after the first has the parameters that the previous page has at "next_page", until a page has none.`, jobParams}},
		{"zendesk", `{"method":"zendesk.response.url"}`, "", []string{`Each request after the first goes to the URL that the previous page has at "next_page", until a page has none.`, noJobParams,
			"Also stops before a page whose start_time is less than 6 minutes ago."}},
		{"response.param", `{"method":"response.param","responseParam":"next","queryParam":"cursor"}`, "", []string{`Each request after the first has cursor = the value that the previous page has at "next", until a page has no value there.`, noJobParams}},
		{"response.param, other requests", `{"method":"response.param","responseParam":"next","queryParam":"cursor","includeParams":true,"scrollRequest":{"endpoint":"more"}}`, "", []string{
			`Each request after the first has cursor = the value that the previous page has at "next", until a page has no value there.`, jobParams, `Later requests differ from the first as "scrollRequest" defines.`}},
		{"response.url, a header", `{"method":"response.url","next":{"responseHeader":"X-Next"}}`, "", []string{`Each request after the first goes to the URL that the previous page has in the header X-Next, until a page has none.`, noJobParams}},
		{"response.param, nested", `{"method":"response.param","next":{"response":"pageInfo.endCursor"},"queryParam":"variables.after","paramDelimiter":".","includeParams":true}`, "", []string{
			`Each request after the first has variables.after = the value that the previous page has at "pageInfo.endCursor", until a page has no value there.`, jobParams}},
		{"link", `{"method":"link","includeParams":true}`, "", []string{`Each request after the first goes to the URL with the relation "next" in the header Link of the previous page, until a page has none.`, jobParams}},
		{"cursor of texts", `{"method":"cursor","idKey":"id","param":"after","idType":"text"}`, "", []string{`Each request after the first has after = "id" of the last row of the previous page, until a page is empty.`}},
		{"cursor of texts, reverse", `{"method":"cursor","idKey":"id","param":"before","idType":"text","reverse":true}`, "", []string{`Each request after the first has before = "id" of the first row of the previous page, until a page is empty.`}},
		{"a condition", `{"method":"pagenum","stopWhen":"status==done"}`, "", []string{"Sends page = 1, 2, 3, …, until a page is empty.", `Stops after a page that satisfies "status==done".`}},
		{"every stopper", `{"method":"pagenum","nextPageFlag":{"field":"has_more","stopOn":false},"forceStop":{"pages":5,"time":"1 hour","volume":1000},"limitStop":{"count":200}}`, "", []string{
			"Sends page = 1, 2, 3, …, until a page is empty.",
			`Stops after a page whose field "has_more" is false, or missing.`,
			"Stops after page 5, or after the page that arrives 3600 seconds or more after the first request, or after the page that brings the responses to more than 1000 bytes.",
			"Stops after the page that brings the number of rows to 200 or more."}},
		{"stoppers of the response", `{"method":"pagenum","nextPageFlag":{"field":"done","stopOn":true,"ifNotSet":false},"forceStop":{},"limitStop":{"field":"total"}}`, "", []string{
			"Sends page = 1, 2, 3, …, until a page is empty.",
			`Stops after a page whose field "done" is true; a missing field lets it continue.`,
			`Stops after the page that brings the number of rows to its total at "total".`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := scroller(t, tt.settings, "").Describe(request(t, tt.job)); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
		})
	}
}
