package scaffold

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// shop responds with orders to requests with the key, and with two lists.
func shop(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("api_key") != "s3cret-key" {
			http.Error(w, "no key: "+r.URL.RawQuery, http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"total":4,"facets":[{"name":"a"}],"orders":[{"id":1,"lines":[{"sku":"x"}]},{"id":2}],"next":"/orders?page=2"}`)
	}))
	t.Cleanup(server.Close)
	return server
}

// outcome is the result of Example.
type outcome struct {
	stdout, stderr, file string
	err                  error
}

func (o outcome) String() string {
	return fmt.Sprintf("error: %v\nstdout:\n%s\nstderr:\n%s\nfile:\n%s", o.err, o.stdout, o.stderr, o.file)
}

// try runs Example in a directory. answers are typed on a terminal; "" is not a terminal.
func try(t *testing.T, o Options, responses string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o.Stdin, o.Stdout, o.Stderr, o.Ask = strings.NewReader(responses), &stdout, &stderr, responses != ""
	o.Getenv = func(string) string { return "" }
	err := Example(t.Context(), o)
	text, _ := os.ReadFile(o.Out) // "" without a file
	return outcome{stdout.String(), stderr.String(), string(text), err}
}

func TestExample(t *testing.T) {
	address := shop(t).URL + "/orders?page=1&limit=2&api_key=s3cret-key"
	t.Run("to a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "new dir", "config.json")
		got := try(t, Options{URL: address, Out: file}, "")
		if got.err != nil || got.stderr != "" {
			t.Fatal(got)
		}
		for _, text := range []string{`"#apiKey": "s3cret-key"`, `"onIncomplete": "fail"`, `"dataField": "orders"`, `"method": "response.url"`} {
			if !strings.Contains(got.file, text) {
				t.Errorf("the file lacks %s\n%s", text, got)
			}
		}
		for _, text := range []string{"paging (sure): {", "evidence: 'next' of the response has the URL of the next page", "at /parameters/api/pagination", "\nA run fails if a response shows that data is missing; set \"onIncomplete\" to \"warn\" to get a warning instead.\n", "\n  extractor run '" + filepath.Dir(file) + "'\n"} {
			if !strings.Contains(got.stdout, text) {
				t.Errorf("the explanation lacks %q\n%s", text, got)
			}
		}
		if strings.Contains(got.stdout, "s3cret") {
			t.Errorf("the explanation shows the key\n%s", got)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others may read it: %v, %v", info, err)
		}
		again := try(t, Options{URL: "http://127.0.0.1:1", Out: file}, "")
		if failure.KindOf(again.err) != failure.User || !strings.Contains(again.err.Error(), "already exists") || again.file != got.file {
			t.Errorf("a file that is there: %s", again)
		}
	})
	t.Run("printed", func(t *testing.T) {
		got := try(t, Options{URL: address}, "")
		if got.err != nil || !strings.Contains(got.stdout, `"#apiKey": "[hidden]"`) || strings.Contains(got.stdout+got.stderr, "s3cret") || !strings.Contains(got.stderr, "add --out FILE") {
			t.Error(got)
		}
	})
	t.Run("a short key, printed", func(t *testing.T) {
		got := try(t, Options{Curl: "curl -H 'X-Api-Key: k3y' '" + address + "'"}, "")
		if got.err != nil || strings.Count(got.stdout, `"[hidden]"`) != 2 || strings.Contains(got.stdout+got.stderr, "k3y") {
			t.Error(got)
		}
	})
	t.Run("choices", func(t *testing.T) {
		got := try(t, Options{URL: address, Choice: infer.Choice{DataField: "facets", Paging: infer.None}}, "")
		if got.err != nil || !strings.Contains(got.stdout, `"dataField": "facets"`) || strings.Contains(got.stdout, "pagination") {
			t.Error(got)
		}
	})
	t.Run("by curl", func(t *testing.T) {
		got := try(t, Options{Curl: "curl '" + address + "'"}, "")
		if got.err != nil || !strings.Contains(got.stdout, `"dataField": "orders"`) {
			t.Error(got)
		}
	})
}

func TestExampleAsks(t *testing.T) {
	address := shop(t).URL + "/orders?page=1&limit=2&api_key=s3cret-key"
	t.Run("the guesses", func(t *testing.T) {
		got := try(t, Options{URL: address}, "\n\n\n")
		for _, text := range []string{
			"Where is the data?\n  1) orders: a list of 2 objects\n  2) facets: a list of 1 object\nEnter a number, or press Enter for 1: ",
			"How does the API paginate?\n  1) response.url: ", "\n  2) pagenum: ", "\n  3) none: one request\n",
			"What is the primary key?\n  1) none: ", "\n  2) id: ",
		} {
			if !strings.Contains(got.stderr, text) {
				t.Errorf("no one asked %q", text)
			}
		}
		if got.err != nil || !strings.Contains(got.stdout, `"response.url"`) || strings.Contains(got.stdout, "mappings") {
			t.Error(got)
		}
	})
	t.Run("other responses", func(t *testing.T) {
		got := try(t, Options{URL: address}, "7\norders\n2\nid\n")
		if !strings.Contains(got.stderr, "Expected a number from 1 to 2: ") {
			t.Error("a wrong number was taken")
		}
		if got.err != nil || !strings.Contains(got.stdout, `"pagenum"`) || !strings.Contains(got.stdout, `"primaryKey": true`) {
			t.Error(got)
		}
	})
	t.Run("what was chosen is not asked", func(t *testing.T) {
		got := try(t, Options{URL: address, Choice: infer.Choice{DataField: "facets", Paging: "none", PrimaryKey: "none"}}, "x")
		if got.err != nil || strings.Contains(got.stderr, "?\n") {
			t.Error(got)
		}
	})
	t.Run("no response", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "config.json")
		got := try(t, Options{URL: address, Out: file}, "1\n")
		if failure.KindOf(got.err) != failure.User || !strings.Contains(got.err.Error(), "--yes") || got.file != "" {
			t.Error(got)
		}
	})
}

const archive = `{"log":{"entries":[
 {"request":{"method":"GET","url":"https://h/few?token=s3cret-1"},"response":{"status":200,"content":{"text":"{\"few\":[{\"id\":1}]}"}},"startedDateTime":"2026-01-02T03:04:05Z"},
 {"request":{"method":"GET","url":"https://h/many?token=s3cret-2"},"response":{"status":200,"content":{"text":"{\"many\":[{\"id\":1},{\"id\":2}]}"}},"startedDateTime":"2026-01-02T03:04:05Z"},
 {"request":{"method":"GET","url":"https://h/broken"},"response":{"status":200,"content":{"text":"{"}},"startedDateTime":"2026-01-02T03:04:05Z"}]}}`

func TestExampleOfAnArchive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b.har")
	if err := os.WriteFile(file, []byte(archive), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name             string
		o                Options
		responses        string
		stdout, err, ask string
	}{
		{"the largest list", Options{HAR: file}, "", `"endpoint": "many"`, "", ""},
		{"by its address", Options{HAR: file, URLContains: "/few"}, "", `"endpoint": "few"`, "", ""},
		{"chosen", Options{HAR: file}, "2\n\n", `"endpoint": "few"`, "", "Which request is the example?\n  1) GET https://h/many: 2 items\n  2) GET https://h/few: 1 item\n"},
		{"none", Options{HAR: file, URLContains: "/none"}, "", "", "the archive has no usable exchange: expected a request that returned JSON, JSON lines, CSV or XML, with a URL that contains '/none'", ""},
		{"no file", Options{HAR: file + "x"}, "", "", "cannot read the HTTP archive: open", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := try(t, tt.o, tt.responses)
			if !strings.Contains(got.stdout, tt.stdout) || !strings.Contains(got.stderr, tt.ask) || strings.Contains(got.stdout+got.stderr, "s3cret") {
				t.Error(got)
			}
			if (got.err != nil) != (tt.err != "") || got.err != nil && (failure.KindOf(got.err) != failure.User || !strings.Contains(got.err.Error(), tt.err)) {
				t.Errorf("error %v, want %s", got.err, tt.err)
			}
		})
	}
}

func TestExampleFails(t *testing.T) {
	address := shop(t).URL
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no address", Options{URL: "offset"}, "expected a URL like"},
		{"no curl", Options{Curl: "wget x"}, "begins with curl"},
		{"refused", Options{URL: address + "/?token=s3cret-wrong"}, "status 403"},
		{"no one there", Options{URL: "http://127.0.0.1:1/?token=s3cret-wrong"}, "no response from 127.0.0.1:1"},
		{"no such choice", Options{URL: address + "/?api_key=s3cret-key", Choice: infer.Choice{DataField: "s3cret-key"}}, "there is no list '[hidden]' in the response, expected one of orders, facets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := try(t, tt.o, "")
			if failure.KindOf(got.err) != failure.User || !strings.Contains(fmt.Sprint(got.err), tt.want) || strings.Contains(got.String(), "s3cret") || got.stdout != "" {
				t.Errorf("want %s, got %s", tt.want, got)
			}
		})
	}
}

// TestExampleCannotWrite: an error of a stream is an error.
func TestExampleCannotWrite(t *testing.T) {
	o := Options{URL: shop(t).URL + "/?api_key=s3cret-key", Stdout: broken{}, Stderr: io.Discard}
	if err := Example(t.Context(), o); err == nil {
		t.Error("no error")
	}
}

// broken is a stream on which writes fail.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
