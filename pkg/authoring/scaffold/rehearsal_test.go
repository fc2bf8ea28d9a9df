package scaffold

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
)

// TestRehearse: init runs what it writes on its own example, and reports what came of it.
func TestRehearse(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("id,name\n1,a\n2,b\n")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		url, kind, body string
		key             string
		want            []string
	}{
		"JSON":              {"https://api.example.com/v1/orders", "application/json", `{"items":[{"id":1,"name":"a"},{"id":2,"name":null}]}`, "", []string{"orders: 2 rows, 2 columns"}},
		"a mapping":         {"https://api.example.com/v1/orders", "application/json", `[{"id":1,"owner":"a"},{"id":2,"owner":{"id":7}}]`, "id", []string{"orders: 2 rows, 2 columns"}},
		"mixed values":      {"https://api.example.com/v1/orders", "application/json", `[{"id":1,"owner":"a"},{"id":2,"owner":{"id":7}}]`, "", []string{"orders: 2 rows, 2 columns"}},
		"lists":             {"https://api.example.com/v1/orders", "application/json", `[{"id":1,"lines":[{"sku":"x"},{"sku":"y"}]}]`, "", []string{"orders: 1 row", "orders_lines: 2 rows"}},
		"a next page":       {"https://api.example.com/v1/orders?offset=0&limit=2", "application/json", `{"total":5,"items":[{"id":1},{"id":2}]}`, "", []string{"orders: 2 rows", "Then it requests the next page"}},
		"a missing page":    {"https://api.example.com/v1/orders", "application/json", `{"items":[{"a":1}],"has_more":true}`, "", []string{"The run fails on the example:"}},
		"CSV that is gzip":  {"https://api.example.com/orders.csv.gz", "application/gzip", packed.String(), "", []string{"orders: 2 rows, 2 columns"}},
		"XML":               {"http://api.example.com/orders", "text/xml", `<orders><order id="1"/><order id="2"/></orders>`, "", []string{"orders: 2 rows"}},
		"a port":            {"https://api.example.com:8443/orders", "application/json", `[{"id":1}]`, "", []string{"orders: 1 row, 1 column"}},
		"an empty object":   {"https://api.example.com/orders", "application/json", `{}`, "", []string{"writes no table"}},
		"upper case":        {"HTTPS://API.Example.com/orders", "application/json", `[{"id":1}]`, "", []string{"orders: 1 row, 1 column"}},
		"the usual port":    {"https://api.example.com:443/orders", "application/json", `[{"id":1}]`, "", []string{"orders: 1 row, 1 column"}},
		"a token in front":  {"https://api.example.com/sk4eC39HqLyjWDarjtT1zdp7dc/orders", "application/json", `[{"id":1}]`, "", []string{"orders: 1 row, 1 column"}},
		"another charset":   {"https://api.example.com/orders", "application/json; charset=iso-8859-2", "[{\"id\":\"Plze\xf2\"}]", "", []string{"orders: 1 row, 1 column"}},
		"an empty response": {"https://api.example.com/orders", "application/json", `[]`, "", []string{"contains no data"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := example.Exchange{
				Request: example.Request{Method: "GET", URL: tt.url, Header: http.Header{"Authorization": {"Bearer s3cret-token"}}},
				Status:  200, ResponseHeader: http.Header{"Content-Type": {tt.kind}, "Content-Encoding": {"br"}, "Transfer-Encoding": {"chunked"}}, Response: []byte(tt.body),
			}
			p, err := infer.Infer(x, infer.Choice{PrimaryKey: tt.key})
			if err != nil {
				t.Fatal(err)
			}
			lines, err := rehearse(t.Context(), x, p.Config)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(lines, "\n")
			for _, want := range tt.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in:\n%s\n%s", want, said, p.Config)
				}
			}
			if strings.Contains(said, "fails") != strings.Contains(strings.Join(tt.want, ""), "fails") || strings.Contains(said, "s3cret") {
				t.Errorf("%s", said)
			}
		})
	}
}
