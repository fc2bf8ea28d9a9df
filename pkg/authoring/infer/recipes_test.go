package infer

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/ianaindex"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// recipes is where complete configurations and the APIs they were written for
// are.
const recipes = "../../gallery/recipes"

// learnt is what a proposal is expected to find in one exchange of a recipe.
type learnt struct {
	exchange   int // the first one that is not a login
	data       string
	paging     string
	credential string // where the first credential goes, "none"
	// table of the recipe that the run must give as many rows as; "" where the
	// run cannot succeed, see why.
	table, why string
}

// TestRecipes: of the first exchange of each recipe the proposal finds where
// the data is, how the API pages and what the credential is; and run against the
// recipe's API, it gives the rows of the recipe.
func TestRecipes(t *testing.T) {
	query, header, none := "/parameters/api/authentication", "/parameters/api/http/headers/Authorization", "none"
	expected := map[string]learnt{
		"api-key":            {1, "stations", "none", query, "weather.stations", ""},
		"client-credentials": {2, "items", "pagenum", header, "billing.invoices", "the login is another exchange: its token is taken"},
		"csv-report":         {1, ".", "none", none, "shop.sales", ""},
		"xml-feed":           {1, "products.product", "response.url", none, "shop.products", ""},
		"zipped-lines":       {1, ".", "none", none, "shop.events", ""},
		"cursor-token":       {1, "messages", "response.param", none, "chat.messages", ""},
		"graphql":            {1, "data.orders.nodes", "response.param", header, "shop.orders", ""},
		"incremental":        {1, "shipments", "offset", none, "warehouse.shipments", ""},
		"last-id":            {1, "data", "cursor", header, "payments.customers", ""},
		"link-header":        {1, ".", "link", header, "forge.repositories", ""},
		"newest-first":       {1, "posts", "cursor", none, "social.posts", ""},
		"next-url":           {1, "data", "response.url", header, "helpdesk.tickets", ""},
		"offset":             {1, "orders", "offset", none, "shop.orders", ""},
		"page-number":        {1, ".", "pagenum", none, "tracker.issues", ""},
		"parent-children":    {1, "projects", "offset", none, "planner.projects", "children are not guessed"},
		"refresh-token":      {2, "contacts", "offset", header, "", "the token of the example is good for one request only"},
		"signed-requests":    {1, "trades", "offset", query, "", "the signature of the example is that of one request"},
	}
	for _, r := range gallery.Recipes() {
		want, ok := expected[r.Name]
		if !ok {
			t.Errorf("nothing is expected of the recipe %s", r.Name)
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			all := exchangesOf(t, r.Name)
			if !ok {
				return
			}
			p, err := Infer(all[want.exchange-1], Choice{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, p)
			credential := none
			for _, g := range p.Guesses {
				if g.Subject == "authentication" && g.Value != `"none"` && credential == none {
					credential = g.Pointer
				}
			}
			if got := (learnt{want.exchange, p.DataFields[0].Name, p.Pagings[0].Name, credential, want.table, want.why}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if want.table == "" {
				return
			}
			rows, expected := runRows(t, p, all), records(t, filepath.Join(recipes, r.Name, "expected", "tables", want.table))
			if rows != expected {
				t.Errorf("%d rows, the recipe has %d", rows, expected)
			}
		})
	}
}

// exchangesOf are the exchanges of the recipe's API.
func exchangesOf(t *testing.T, name string) []example.Exchange {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(recipes, name, "api", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no API (%v)", name, err)
	}
	var all []example.Exchange
	for i := range paths {
		text, err := os.ReadFile(filepath.Join(recipes, name, "api", strconv.Itoa(i+1)+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		request, response, _ := strings.Cut(string(text), "\n---\n")
		head, body, _ := strings.Cut(request, "\n\n")
		lines := strings.Split(strings.TrimSpace(head), "\n")
		method, target, _ := strings.Cut(lines[0], " ")
		x := example.Exchange{Status: 200, ResponseHeader: http.Header{}}
		x.Request = example.Request{Method: method, URL: "https://api.example.com" + target, Header: http.Header{}, Body: []byte(body)}
		for _, line := range lines[1:] {
			name, text, _ := strings.Cut(line, ": ")
			x.Header.Set(name, text)
		}
		head, response, _ = strings.Cut(response, "\n\n")
		status, rest, _ := strings.Cut(head, "\n")
		for line := range strings.Lines(rest) {
			line = strings.TrimSuffix(line, "\n")
			name, text, _ := strings.Cut(line, ": ")
			x.ResponseHeader.Add(name, text)
		}
		x.Response = sent(t, status, []byte(strings.TrimSuffix(response, "\n")))
		all = append(all, x)
	}
	return all
}

// sent is a body as the first line of a response says that it is sent.
func sent(t *testing.T, status string, body []byte) []byte {
	t.Helper()
	for _, word := range strings.Fields(status)[1:] { // after the number
		name, text, _ := strings.Cut(word, "=")
		switch name {
		case "charset":
			charset, err := ianaindex.IANA.Encoding(text)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = charset.NewEncoder().Bytes(body); err != nil {
				t.Fatal(err)
			}
		case "pack":
			body = wrapped(t, body, strings.Split(text, ",")...)
		}
	}
	return body
}

// wrapped wraps a body, a zip from the text form of its files (txtar). The outermost
// wrapper is the first.
func wrapped(t *testing.T, body []byte, wrappers ...string) []byte {
	t.Helper()
	if len(wrappers) == 0 {
		return body
	}
	var b bytes.Buffer
	var err error
	switch wrappers[0] {
	case "zip":
		z := zip.NewWriter(&b)
		for _, f := range txtar.Parse(body).Files {
			w, failed := z.Create(f.Name)
			if failed != nil {
				t.Fatal(failed)
			}
			_, failed = w.Write(wrapped(t, f.Data, wrappers[1:]...))
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, z.Close())
	case "gzip":
		z := gzip.NewWriter(&b)
		_, err = z.Write(wrapped(t, body, wrappers[1:]...))
		err = errors.Join(err, z.Close())
	case "zstd":
		z, failed := zstd.NewWriter(&b)
		if failed != nil {
			t.Fatal(failed)
		}
		_, err = z.Write(wrapped(t, body, wrappers[1:]...))
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// runRows runs the proposal against the exchanges and counts the rows of its
// table. A request that is none of them gets 404.
func runRows(t *testing.T, p *Result, all []example.Exchange) int {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		at := slices.IndexFunc(all, func(x example.Exchange) bool {
			return x.Method == r.Method && strings.TrimPrefix(x.URL, "https://api.example.com") == r.RequestURI &&
				string(bytes.TrimSpace(x.Body)) == string(body) && x.Header.Get("Authorization") == r.Header.Get("Authorization")
		})
		if at < 0 {
			http.Error(w, "no exchange of the recipe is "+r.Method+" "+r.RequestURI, http.StatusNotFound)
			return
		}
		for name, lines := range all[at].ResponseHeader {
			for _, line := range lines {
				w.Header().Add(name, string(plain([]byte(line))))
			}
		}
		// A failed write means that the run has gone.
		_, _ = w.Write(plain(all[at].Response))
	}))
	defer api.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), plain(p.Config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	exit := app.Run(t.Context(), app.Options{
		DataDir: dir, Stdout: &out, Stderr: &out,
		Run: env.Run{
			Getenv: func(string) string { return "" },
			Now:    func() time.Time { return time.Unix(1767323045, 0) },
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, api.Listener.Addr().String())
			}},
	})
	if exit != 0 {
		t.Fatalf("exit code %d\n%s\n%s", exit, &out, p.Config)
	}
	return records(t, filepath.Join(dir, "out", "tables", "example."+p.Table))
}

// plain takes TLS out of addresses: the API of a test has no certificate.
func plain(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("https://"), []byte("http://"))
}

// records are the lines of a table without its header.
func records(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n")) - 1
}
