package infer

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestFormats: how a response is written is found, and only what is not usual is written.
func TestFormats(t *testing.T) {
	const rows = "id,name\n1,Cap\n2,Mug\n"
	pack := func(text string, wrappers ...string) string { return string(wrapped(t, []byte(text), wrappers...)) }
	tests := []struct {
		name, body string
		header     string // of the response
		response   string
		confidence confidence
		data       string // dataField
		items      int
		evidence   string // a part of it
	}{
		{"stated CSV", rows, "Content-Type: text/csv", `{"format":"csv"}`, likely, `"."`, 2, "the Content-Type is text/csv; a comma divides 3 of the first 3 records into 2 fields; the first record has neither a number nor a date"},
		{"CSV that nothing states", rows, "", `{"format":"csv"}`, likely, `"."`, 2, "a comma divides"},
		{"CSV by the name of the file", rows, `Content-Disposition: attachment; filename="x.csv"`, `{"format":"csv"}`, likely, `"."`, 2, "a file name ends with .csv"},
		{"semicolons", "id;name\n1;\"a,b\"\n2;1,5\n", "Content-Type: text/csv", `{"format":"csv","delimiter":";"}`, likely, `"."`, 2, "a semicolon"},
		{"tabs", "id\tname\n1\tx\n", "Content-Type: text/tab-separated-values", `{"format":"csv","delimiter":"\t"}`, likely, `"."`, 1, "a tab"},
		{"bars", "id|name\n1|x\n", "", `{"format":"csv","delimiter":"|"}`, likely, `"."`, 1, "a vertical bar"},
		{"no header", "1,Cap\n2,Mug\n", "", `{"format":"csv","header":false}`, likely, `"."`, 2, "the first record has a number or a date"},
		{"a header that is stated", "1,2\n3,4\n", "Content-Type: text/csv; header=present", `{"format":"csv"}`, likely, `"."`, 1, "according to the Content-Type, a header is present"},
		{"a title above", "Sales, all of them\nMay\n\nid;a;b\n1;2,5;3\n2;4,5;5\n", "Content-Type: text/csv", `{"format":"csv","delimiter":";","skip":2}`, likely, `"."`, 2, "above its records 2 lines"},
		{"a short record", "id,a,b\n1,2,3\n2,3,4\n3\n", "Content-Type: text/csv", `{"format":"csv"}`, likely, `"."`, 3, "3 of the first 4"},
		{"one column", "id\na\nb\n", "Content-Type: text/csv", `{"format":"csv"}`, likely, `"."`, 2, "one column"},
		{"line feeds in quotes", "id,text\n1,\"a\nb;c;d\"\n2,x\n", "", `{"format":"csv"}`, likely, `"."`, 2, "3 of the first 3"},
		{"a quote that is not one", "id,text\n1,\"a\n2,x\n", "Content-Type: text/csv", `{"format":"csv","quote":false}`, likely, `"."`, 2, "its quotes"},
		{"long CSV", "id,text\n" + strings.Repeat("1,\"a\nb\"\n", 20_000), "", `{"format":"csv"}`, likely, `"."`, 20_000, "a comma"},
		{"a stated character set", "id,name\n1,\x8eilina\n", "Content-Type: text/csv; charset=Windows-1250", `{"format":"csv","encoding":"windows-1250"}`, likely, `"."`, 1, "names the character set windows-1250"},
		{"a character set that is not stated", "id,name\n1,\x8eilina\n", "Content-Type: text/csv", `{"format":"csv","encoding":"windows-1252"}`, unsure, `"."`, 1, ""},
		{"a character set that is stated wrongly", "id,name\n1,Žilina\n", "Content-Type: text/csv; charset=iso-8859-1", `{"format":"csv"}`, likely, `"."`, 1, ""},
		{"JSON in a stated character set", "{\"items\":[{\"id\":\"Plze\xf2\"}]}", "Content-Type: application/json; charset=iso-8859-2", `null`, "", `"items"`, 1, ""},
		{"JSON in a character set that is not stated", "{\"items\":[{\"id\":\"caf\xe9\"}]}", "", `{"encoding":"windows-1252"}`, unsure, `"items"`, 1, ""},
		{"the usual character set", rows, "Content-Type: text/csv; charset=UTF-8", `{"format":"csv"}`, likely, `"."`, 2, ""},
		{"UTF-16 with a mark", "\xff\xfea\x00,\x00b\x00\n\x00c\x00,\x00d\x00\n\x00", "", `{"format":"csv"}`, likely, `"."`, 1, ""},
		{"stated lines", `{"id":1}`, "Content-Type: application/x-ndjson", `{"format":"jsonl"}`, sure, `"."`, 1, "the Content-Type is application/x-ndjson"},
		{"lines", "{\"id\":1}\n\n{\"id\":2}\n", "Content-Type: application/json", `{"format":"jsonl"}`, sure, `"."`, 2, "each line is a JSON value"},
		{"XML", `<a><b><c><i x="1"/><i x="2"/></c></b></a>`, "Content-Type: application/xml", `{"format":"xml"}`, sure, `"b.c.i"`, 2, "the Content-Type is application/xml"},
		{"XML below the root", `<?xml version="1.0" encoding="iso-8859-1"?><a><i x="1">` + "\xe9" + `</i><i x="2"/></a>`, "", `{"format":"xml"}`, sure, `"i"`, 2, "it begins like XML"},
		{"a feed", `<feed xmlns="x"><title>t</title><entry><id>1</id></entry><entry><id>2</id></entry></feed>`, "Content-Type: application/atom+xml", `{"format":"xml"}`, sure, `"entry"`, 2, "the Content-Type is application/atom+xml"},
		{"one element of many", `<a><total>1</total><products n="1"><product><id>1</id><tag>a</tag><tag>b</tag></product></products></a>`, "", `{"format":"xml"}`, sure, `"products.product"`, 1, ""},
		{"one element below the root", `<a><product><id>1</id><name>b</name></product></a>`, "", `{"format":"xml"}`, sure, `"product"`, 1, ""},
		{"one record of XML", `<order><id>1</id><name>b</name></order>`, "", `{"format":"xml"}`, sure, `"."`, 1, ""},
		{"packed JSON", pack(`{"items":[{"id":1},{"id":2}]}`, "gzip"), "Content-Type: application/gzip", `{"unpack":"gzip"}`, sure, `"items"`, 2, "it begins like a file compressed by gzip"},
		{"packed CSV", pack(rows, "zstd"), "Content-Type: text/csv", `{"format":"csv","unpack":"zstd"}`, likely, `"."`, 2, "it begins like a file compressed by zstd; the Content-Type is text/csv"},
		{"packed twice", pack(rows, "gzip", "zstd"), "", `{"format":"csv","unpack":["gzip","zstd"]}`, likely, `"."`, 2, "in that, it begins like a file compressed by zstd"},
		{"an archive of one kind", pack("-- b.csv --\nid,a\n1,2\n-- a.csv --\nid,a\n3,4\n", "zip"), "", `{"format":"csv","unpack":"zip"}`, likely, `"."`, 2, "a file name ends with .csv"},
		{"an archive of more kinds", pack("-- read.me --\nHello\n-- meta.json --\n{}\n-- x/B.csv --\nid,a\n1,2\n", "zip"), "", `{"format":"csv","unpack":"zip","member":"*.csv"}`, likely, `"."`, 1, "the files that match '*.csv' are used (1 of 3)"},
		{"an archive of packed files", pack("-- a.json.gz --\n{}\n-- b.jsonl.gz --\n{\"id\":1}\n", "zip", "gzip"), "", `{"format":"jsonl","unpack":["zip","gzip"],"member":"*.jsonl.gz"}`, sure, `"."`, 1, ""},
		{"JSON with another type", `[{"id":1}]`, "Content-Type: text/csv", `null`, "", `"."`, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if tt.header != "" {
				headers = []string{tt.header}
			}
			p, v := proposed(t, of(t, "https://api.example.com/v1/orders", tt.body, headers...), Choice{})
			job := v.Field("config").Field("jobs").Items()[0]
			if got := job.Field("response").JSON(); got != tt.response {
				t.Errorf("response %s\nwant %s", got, tt.response)
			}
			if got := job.Field("dataField").JSON(); got != tt.data || p.Items != tt.items {
				t.Errorf("%d items at %s, want %d at %s", p.Items, got, tt.items, tt.data)
			}
			at := slices.IndexFunc(p.Guesses, func(g Inference) bool { return g.Subject == "format" })
			if at < 0 {
				if tt.confidence != "" {
					t.Fatal("no guess about the format")
				}
				return
			}
			if g := p.Guesses[at]; g.Confidence != tt.confidence || !strings.Contains(g.Evidence, tt.evidence) {
				t.Errorf("%s: %s\nwant %s: %s", g.Confidence, g.Evidence, tt.confidence, tt.evidence)
			}
		})
	}
}

// TestAccept: what the format requests by itself is not written.
func TestAccept(t *testing.T) {
	for _, tt := range []struct{ name, accept, response, want string }{
		{"that of CSV", "text/csv", "a,b\nc,d\n", "null"},
		{"one of those of XML", "text/xml;q=0.9", "<a><b/><b/></a>", "null"},
		{"another", "application/vnd.report", "a,b\nc,d\n", `{"Accept":"application/vnd.report"}`},
		{"that of JSON for CSV", "application/json", "a,b\nc,d\n", `{"Accept":"application/json"}`},
		{"a type and a packed response", "text/csv", string(wrapped(t, []byte("a,b\nc,d\n"), "gzip")), `{"Accept":"text/csv"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, v := proposed(t, of(t, "https://h.example/x -H 'Accept: "+tt.accept+"'", tt.response), Choice{})
			if got := v.Field("api").Field("http").Field("headers").JSON(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestRefusedPacked: what no configuration can read is said.
func TestRefusedPacked(t *testing.T) {
	for want, body := range map[string][]byte{
		"an office document":                                     wrapped(t, []byte("-- [Content_Types].xml --\n<a/>\n"), "zip"),
		"more than 32 MiB when it is unpacked":                   wrapped(t, make([]byte, maxUnpacked+1), "gzip"),
		"returned an empty file":                                 wrapped(t, nil, "gzip"),
		"JSON lines, CSV or XML (no Content-Type): line 1":       wrapped(t, []byte("hello"), "zstd"),
		"of the response is not valid CSV: the record at line 3": wrapped(t, []byte("-- a.csv --\na,b\nc,d\n-- b.csv --\na,b\nc,d\ne,f,g\n"), "zip"),
	} {
		if _, err := Infer(of(t, "https://h.example/x", string(body)), Choice{}); failure.KindOf(err) != failure.User || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
