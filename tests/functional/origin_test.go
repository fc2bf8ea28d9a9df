package functional

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/har"
)

// TestOriginOfLaterPages: a recording says of each page that its parts with values of paging
// are those of the job, and which parameters paging has added.
func TestOriginOfLaterPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write(w, `[{"id":`+r.URL.Query().Get("p")+`}]`)
	}))
	w.options.Record = filepath.Join(w.dir, "run.har")
	if got := w.runs(t, `{"api":{"baseUrl":"http://api.test/","pagination":{"method":"pagenum","limit":1,"forceStop":{"pages":3}}},
		"config":{"outputBucket":"b","jobs":[{"endpoint":{"function":"concat","args":["t/",{"paging":"page"}]},"dataType":"t","headers":{"X-Page":{"paging":"page"}},
		"params":{"p":{"paging":"page"},"q":{"function":"concat","args":["page ",{"paging":"page"}," ",{"function":"uuid"}]},"o":"other"}}]}}`); got.exit != 0 {
		t.Fatal(got.stderr)
	}
	text, err := os.ReadFile(w.options.Record)
	if err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct {
			Entries []struct {
				Origin har.Initiator `json:"_origin"`
			}
		}
	}
	if err := json.Unmarshal(text, &archive); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"query p": "job, paging page at /config/jobs/0/params/p", "query q": "job, function concat of paging page, function uuid at /config/jobs/0/params/q",
		"query o": "job at /config/jobs/0/params/o", "query limit": "paging at /api/pagination", "header X-Page": "job, paging page at /config/jobs/0/headers/X-Page",
		"address": "endpoint, function concat of paging page at /config/jobs/0/endpoint",
	}
	for i, e := range archive.Log.Entries {
		got := map[string]string{}
		for _, s := range e.Origin.Sources {
			got[s.Part] = s.From + " at " + s.Pointer // of the address, the last one
		}
		for part, from := range want {
			if got[part] != from {
				t.Errorf("page %d: %s is %q, want %q", i+1, part, got[part], from)
			}
		}
	}
	if len(archive.Log.Entries) != 3 {
		t.Errorf("%d pages", len(archive.Log.Entries))
	}
}
