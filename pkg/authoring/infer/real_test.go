package infer

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestErrorsAreNoData: what an API says about a mistake is not data, although it has the
// status of a success.
func TestErrorsAreNoData(t *testing.T) {
	for name, tt := range map[string]struct{ response, want string }{
		"success is false":      {`{"success":false,"errors":[{"code":10,"message":"Invalid key"}]}`, `'success' is false, 'errors' is [{"code":10,"message":"Invalid key"}]`},
		"Slack":                 {`{"ok":false,"error":"invalid_auth"}`, `'ok' is false, 'error' is "invalid_auth"`},
		"status":                {`{"status":"error","message":"no such account"}`, `'status' is "error"`},
		"only errors":           {`{"errors":[{"title":"Forbidden"}],"jsonapi":{"version":"1.0"}}`, `'errors' is [{"title":"Forbidden"}]`},
		"GraphQL":               {`{"data":null,"errors":[{"message":"Field 'x' doesn't exist"}]}`, `'errors' is `},
		"an empty list of data": {`{"success":false,"data":[],"error":{"message":"expired"}}`, `'success' is false, 'error' is {"message":"expired"}`},
		"equal lists":           {`{"success":false,"errors":["a"],"codes":[1]}`, `'success' is false, 'errors' is ["a"]`},
		"an object":             {`{"error":{"code":400,"message":"bad","details":[{"field":"a"}]}}`, `'error' is {"code":400`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Infer(of(t, "https://h.example/v1/orders", tt.response), Choice{})
			if failure.KindOf(err) != failure.User || err == nil || !strings.Contains(err.Error(), "h.example returned status 200, but the response reports an error and has no data: "+tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
	for name, response := range map[string]string{
		"success":            `{"success":true,"errors":[],"data":[{"id":1}]}`,
		"no error":           `{"error":null,"items":[{"id":1}]}`,
		"an error that is 0": `{"error":0,"items":[{"id":1}]}`,
		"the status of data": `{"status":"failed","id":7,"steps":[{"id":1}]}`,
		"a word":             `{"status":"ok","result":"success","items":[{"id":1}]}`,
		"one object":         `{"id":1,"name":"a"}`,
		"a build":            `{"id":7,"state":"failed","message":"fix it"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Infer(of(t, "https://h.example/v1/orders", response), Choice{}); err != nil {
				t.Error(err)
			}
		})
	}
	errors := `{"errors":[{"id":1,"message":"boom"}],"total":1}`
	for address, c := range map[string]Choice{"https://h.example/v1/errors": {}, "https://h.example/v1/log": {DataField: "errors"}} {
		p, _ := proposed(t, of(t, address, errors), c)
		if p.DataFields[0].Name != "errors" || strings.Contains(strings.Join(p.Notes, ""), "errors too") {
			t.Errorf("%s: data %s, notes %q", address, p.DataFields[0].Name, p.Notes)
		}
	}
	p, _ := proposed(t, of(t, "https://h.example/v1/orders", `{"items":[{"id":1}],"errors":[{"message":"one shard failed"}]}`), Choice{})
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "reports errors too") || p.DataFields[0].Name != "items" {
		t.Errorf("data %s, notes %s", p.DataFields[0].Name, notes)
	}
}

// TestKeysOfRealAPIs: the key is unique and named like an id of the item itself.
func TestKeysOfRealAPIs(t *testing.T) {
	for name, tt := range map[string]struct{ address, item, want string }{
		"ServiceNow":         {"api/now/table/incident", `{"number":"INC%d","sys_id":"a%d"}`, "sys_id"},
		"a number only":      {"orders", `{"number":"A%d","customer_id":%d}`, "number"},
		"its own name":       {"orders", `{"number":"A%d","order_id":%d}`, "order_id"},
		"id before all":      {"orders", `{"sys_id":"a%d","id":%d}`, "id"},
		"a key and a uuid":   {"issues", `{"key":"K-%d","uuid":"u%d"}`, "uuid"},
		"of something else":  {"orders", `{"customerId":"a%d","note":"%d"}`, "customerId"},
		"its own, camelCase": {"invoices", `{"code":"A%d","invoiceId":"%d"}`, "invoiceId"},
	} {
		t.Run(name, func(t *testing.T) {
			items := "[" + strings.ReplaceAll(tt.item, "%d", "1") + "," + strings.ReplaceAll(tt.item, "%d", "2") + "]"
			p, _ := proposed(t, of(t, "https://h.example/"+tt.address, items), Choice{})
			if len(p.PrimaryKeys) < 2 || p.PrimaryKeys[1].Name != tt.want {
				t.Errorf("got %+v, want %s", p.PrimaryKeys, tt.want)
			}
		})
	}
}

// TestPagingOfRealAPIs are tokens at their places in well-known APIs.
func TestPagingOfRealAPIs(t *testing.T) {
	for name, tt := range map[string]struct{ response, path, param string }{
		"Intercom":     {`{"type":"list","data":[{"id":"1"}],"pages":{"type":"pages","next":{"page":2,"starting_after":"WzE2ODU="},"page":1,"per_page":1,"total_pages":9}}`, "pages.next.starting_after", "starting_after"},
		"Pipedrive":    {`{"success":true,"data":[{"id":1}],"additional_data":{"next_cursor":"eyJmaWVsZCI6ImlkIn0"}}`, "additional_data.next_cursor", "cursor"},
		"Pipedrive v1": {`{"success":true,"data":[{"id":1}],"additional_data":{"pagination":{"start":0,"limit":1,"more_items_in_collection":true,"next_start":1}}}`, "additional_data.pagination.next_start", "start"},
		"HubSpot":      {`{"results":[{"id":"1"}],"paging":{"next":{"after":"MTA"}}}`, "paging.next.after", "after"},
		"Notion":       {`{"object":"list","results":[{"id":"a"}],"next_cursor":"fe2cc560","has_more":true}`, "next_cursor", "cursor"},
		"Slack":        {`{"ok":true,"members":[{"id":"U1"}],"response_metadata":{"next_cursor":"dXNlcjpV"}}`, "response_metadata.next_cursor", "cursor"},
		"Square":       {`{"cursor":"CAASE","customers":[{"id":"a"}]}`, "cursor", "cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, settings := proposed(t, of(t, "https://h.example/v1/orders", tt.response), Choice{})
			paging := settings.Field("api").Field("pagination")
			if paging.Field("method").Raw() != "response.param" || paging.Field("responseParam").Raw() != tt.path || paging.Field("queryParam").Raw() != tt.param {
				t.Errorf("%s", paging.JSON())
			}
		})
	}
}

// TestListsAmongItems: no path leads to an item that is itself a list.
func TestListsAmongItems(t *testing.T) {
	p, err := Infer(of(t, "https://h.example/v1/orders", `[{"a":1},[{"a":1},"x"],"s",null]`), Choice{})
	if err != nil || strings.Contains(string(p.Config), "responseFilter") {
		t.Errorf("%v\n%s", err, p.Config)
	}
}

// TestMixedValues: a mapping of an example takes each of its items, regardless of what one
// place holds in them.
func TestMixedValues(t *testing.T) {
	for name, owner := range map[string][]string{
		"a text and an object":            {`"ada"`, `{"id":1,"name":"Ada"}`},
		"an object and a text":            {`{"id":1,"name":"Ada"}`, `"ada"`},
		"null and an object":              {`null`, `{"id":1}`},
		"an empty text and an object":     {`""`, `{"id":1}`},
		"an empty list as PHP has it":     {`[]`, `{"id":1}`},
		"an empty object and an object":   {`{}`, `{"id":1}`},
		"a list and an object":            {`[{"id":1}]`, `{"id":1}`},
		"false and an object":             {`false`, `{"id":1}`},
		"zero and an object":              {`0`, `{"id":1}`},
		"a text and a list":               {`"a"`, `["a"]`},
		"a text and an object, deep":      {`{"of":{"it":"a"}}`, `{"of":{"it":{"id":1}}}`},
		"an object and a text above it":   {`{"of":"a"}`, `{"of":{"it":{"id":1}}}`},
		"a number, a list and an object":  {`1`, `[1]`, `{"id":1}`},
		"null, an object and a text":      {`null`, `{"id":1}`, `"a"`},
		"a text and an object in a list":  {`[{"x":"a"}]`, `[{"x":{"id":1}}]`},
		"texts and objects in a list":     {`["a",{"id":1}]`, `null`},
		"a list of texts and an object":   {`["a"]`, `{"id":1}`},
		"null and a list of mixed values": {`null`, `[{"x":[{"y":"a"},{"y":{"z":1}}]}]`},
		"nothing and objects with others": {`{"id":1}`, `{"name":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var items []string
			for i, o := range owner {
				items = append(items, strings.ReplaceAll(`{"id":N,"owner":`+o+`}`, "N", string(rune('1'+i))))
			}
			x := of(t, "https://api.example.com/v1/orders", "["+strings.Join(items, ",")+"]")
			for _, key := range []string{"id", None} {
				p, _ := proposed(t, x, Choice{PrimaryKey: key})
				if rows := runRows(t, p, []example.Exchange{x}); rows != len(owner) {
					t.Errorf("%s: %d rows\n%s", key, rows, p.Config)
				}
			}
		})
	}
}
