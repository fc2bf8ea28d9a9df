package platformapi_test

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// TestFilesOfJobs: the files of a job are found by tag and run, a permanent one stays, and
// contents that a browser could run come as a download that it saves.
func TestFilesOfJobs(t *testing.T) {
	w := newWorld(t)
	const page = `<script>alert(1)</script>`
	for _, f := range []store.File{
		{Name: `"<b>.html`, Kind: "text/html", Tags: []string{"invoices", "runId: 7"}, RunID: "7", Permanent: true},
		{Name: "other", Kind: "application/octet-stream", RunID: "8"},
	} {
		if _, err := w.store.AddFile(f, func(to io.Writer) error {
			_, err := io.WriteString(to, page)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	record := w.must("GET", "/v2/storage/files/1", "", 200)
	if record["isPermanent"] != true || record["maxAgeDays"] != nil || record["sizeBytes"] != float64(len(page)) || record["runId"] != "7" {
		t.Errorf("%v", record)
	}
	if other := w.must("GET", "/v2/storage/files/2", "", 200); other["isPermanent"] != false || other["maxAgeDays"] != float64(15) {
		t.Errorf("%v", other)
	}
	for _, query := range []string{"tags[]=invoices", "runId=7", "tags[]=" + url.QueryEscape("runId: 7")} {
		if got := w.call("GET", "/v2/storage/files?"+query, "", ""); got.status != 200 || strings.Count(got.body, `"sizeBytes"`) != 1 {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
	address, err := url.Parse(record["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	got := w.callWith("GET", address.RequestURI(), "", http.Header{})
	disposition, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
	if got.body != page || err != nil || disposition != "attachment" || params["filename"] != `"<b>.html` ||
		got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %v %q", got.status, got.header, got.body)
	}
	// After 15 days the next file deletes files that are not permanent.
	w.clock.Add(15*24*3600 + 1)
	if _, err := w.store.AddFile(store.File{Name: "new"}, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	w.must("GET", "/v2/storage/files/1", "", 200)
	w.must("GET", "/v2/storage/files/2", "", 404)
	w.must("DELETE", "/v2/storage/files/1", "", 204)
}
