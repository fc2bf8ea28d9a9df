package platformapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const shopExport = "/v2/storage/branch/1/tables/in.c-shop.t/export-async"

// TestExport: the whole way of a client: the job, the file, the download.
func TestExport(t *testing.T) {
	w := newWorld(t)
	w.shopTable()
	job := w.must("POST", shopExport, `{"columns":["id"],"limit":2}`, 202)
	const at = `"2026-03-04T06:06:07+0000"`
	id := fmt.Sprintf("%.0f", job["id"])
	if got := w.call("GET", "/v2/storage/jobs/"+id, "", ""); got.status != 200 || got.body != `{"id":`+id+`,"status":"success","url":"http://HOST/v2/storage/jobs/`+id+
		`","tableId":"in.c-shop.t","operationName":"tableExport","operationParams":{},"createdTime":`+at+`,"startTime":`+at+`,"endTime":`+at+
		`,"runId":null,"results":{"file":{"id":1},"cacheHit":false},"creatorToken":{"id":"1","description":"local"},`+
		`"metrics":{"inCompressed":false,"inBytes":0,"inBytesUncompressed":0,"outCompressed":false,"outBytes":0,"outBytesUncompressed":0},"idBranch":1}` {
		t.Errorf("the job: %d %s", got.status, got.body)
	}
	file := w.must("GET", "/v2/storage/files/1?federationToken=0", "", 200)
	if file["name"] != "in.c-shop.t.csv" || file["isSliced"] != false || file["sizeBytes"] != 13.0 || file["maxAgeDays"] != 15.0 {
		t.Errorf("the file is %v", file)
	}
	if text := w.download(job); text != "\"id\"\n\"1\"\n\"2\"" {
		t.Errorf("downloaded %q", text)
	}
	packed := w.must("POST", shopExport, `{"gzip":true,"format":"raw","whereFilters":[{"column":"id","values":[4]}]}`, 202)
	z, err := gzip.NewReader(bytes.NewReader(w.downloadBytes(packed)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != "id\tname\tn\n4\t=SUM(A1)\t-1.5\n" {
		t.Errorf("downloaded %q, %v", text, err)
	}
	form := w.call("POST", shopExport, form, "columns=id&whereFilters[0][column]=id&whereFilters[0][values][0]=3&gzip=0")
	if form.status != 202 {
		t.Errorf("as a form: %d %s", form.status, form.body)
	}
	w.run(t, []step{
		{"no table", "POST", "/v2/storage/tables/x/export-async", asJSON, "{}", 404, storageError(`Table "x" not found`, "storage.tables.notFound")},
		{"no job", "GET", "/v2/storage/jobs/99", "", "", 404, storageError(`Job "99" not found`, "storage.jobs.notFound")},
		{"no file", "GET", "/v2/storage/files/99", "", "", 404, storageError(`File "99" not found`, "storage.files.notFound")},
		{"credentials", "GET", "/v2/storage/files/1?federationToken=1", "", "", 501, storageError(
			`The local platform has no cloud storage, so it has no credentials for one: leave out "federationToken" and download the file from its "url"`, "notImplemented")},
		{"format", "POST", shopExport, asJSON, `{"format":"json"}`, 400,
			storageError(`"format" must be one of "rfc", "escaped" or "raw"`, "storage.tables.validation.invalidFormat")},
		{"later documented", "POST", shopExport, asJSON, `{"fileType":"parquet"}`, 501,
			storageError(`The member "fileType" is not supported by the local platform`, "notImplemented")},
		{"query of files", "GET", "/v2/storage/files?q=x", "", "", 501, storageError(`The parameter "q" is not supported by the local platform`, "notImplemented")},
		{"delete", "DELETE", "/v2/storage/files/1", "", "", 204, ""},
		{"deleted", "GET", "/v2/storage/files/1", "", "", 404, storageError(`File "1" not found`, "storage.files.notFound")},
		{"delete again", "DELETE", "/v2/storage/files/1", "", "", 404, storageError(`File "1" not found`, "storage.files.notFound")},
	})
	for query, want := range map[string]int{"": 2, "?tags[]=storage-merged-export&limit=1": 1, "?tags[]=x": 0, "?offset=1": 1, "?runId=7": 0, "?showExpired=0&maxId=3": 0} {
		if got := w.call("GET", "/v2/storage/files"+query, "", ""); strings.Count(got.body, `"sizeBytes"`) != want {
			t.Errorf("files%s: %s", query, got.body)
		}
	}
	if got := w.call("GET", "/v2/storage/jobs?limit=2&offset=1", "", ""); strings.Count(got.body, `"tableExport"`) != 2 {
		t.Errorf("jobs: %s", got.body)
	}
}

func (w *world) downloadBytes(job map[string]any) []byte {
	w.t.Helper()
	id := job["results"].(map[string]any)["file"].(map[string]any)["id"].(float64)
	record := w.must("GET", fmt.Sprintf("/v2/storage/files/%.0f", id), "", 200)
	res, err := w.server.Client().Get(strings.Replace(record["url"].(string), "http://HOST", w.server.URL, 1))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Header.Get("Content-Disposition") != `attachment; filename=in.c-shop.t.csv.gz` {
		w.t.Fatalf("%v, %v", err, res.Header)
	}
	return text
}

// TestDownloadAddress: without a token a file is only read with an address that was
// signed here for this file, for an hour.
func TestDownloadAddress(t *testing.T) {
	w := newWorld(t)
	w.shopTable()
	for range 2 {
		w.must("POST", shopExport, `{}`, 202)
	}
	address, err := url.Parse(w.must("GET", "/v2/storage/files/1", "", 200)["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	signed := address.Query()
	with := func(name, text string) string {
		q := url.Values{"expires": signed["expires"], "signature": signed["signature"]}
		q.Set(name, text)
		return address.Path + "?" + q.Encode()
	}
	refused := func(path string) {
		t.Helper()
		if got := w.callWith("GET", path, "", http.Header{}); got.status != 403 && got.status != 400 && got.status != 404 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	for _, path := range []string{
		address.Path, with("signature", ""), with("signature", strings.Repeat("0", 64)), with("expires", "99999999999"), with("expires", "x"),
		strings.Replace(address.RequestURI(), "/1/", "/2/", 1), strings.Replace(address.RequestURI(), "/1/", "/01/", 1),
		strings.Replace(address.RequestURI(), "/1/", "/..%2f..%2fstore/", 1), strings.Replace(address.RequestURI(), "/1/", "/2%2f..%2f1/", 1),
		address.RequestURI() + "&signature=" + signed.Get("signature"), address.RequestURI() + "&x=1", with("signature", signed.Get("signature")+"00"),
	} {
		refused(path)
	}
	if got := w.callWith("GET", address.RequestURI(), "", http.Header{"Range": {"bytes=1-2"}}); got.status != 206 || got.body != "id" {
		t.Errorf("a part: %d %q", got.status, got.body)
	}
	w.clock.Add(3600)
	if got := w.callWith("HEAD", address.RequestURI(), "", http.Header{}); got.status != 200 {
		t.Errorf("in an hour: %d", got.status)
	}
	w.clock.Add(1)
	refused(address.RequestURI())
	// After 15 days the next export deletes the file.
	w.clock.Add(15 * 24 * 3600)
	w.must("POST", shopExport, `{}`, 202)
	if got := w.call("GET", "/v2/storage/files", "", ""); strings.Count(got.body, `"sizeBytes"`) != 1 {
		t.Errorf("after 15 days: %s", got.body)
	}
}

// TestDelete: buckets and tables, at once and as an operation.
func TestDelete(t *testing.T) {
	w := newWorld(t)
	w.shopTable()
	const bucket = "/v2/storage/buckets/in.c-shop"
	notEmpty := storageError(`Only empty buckets can be deleted. There are 1 tables in the bucket; to delete them too, add "force"`, "buckets.deleteNotEmpty")
	gone := storageError(`Table "in.c-shop.t" not found`, "storage.tables.notFound")
	w.run(t, []step{
		{"not empty", "DELETE", bucket, "", "", 400, notEmpty},
		{"not empty, later", "DELETE", bucket + "?async=1&force=0", "", "", 400, notEmpty},
		{"of an alias", "DELETE", "/v2/storage/tables/in.c-shop.t?unlink", "", "", 501, storageError(`The parameter "unlink" is not supported by the local platform`, "notImplemented")},
		{"a table", "DELETE", "/v2/storage/tables/in.c-shop.t?force=true", "", "", 204, ""},
		{"it is gone", "GET", shopPreview, "", "", 404, gone},
		{"again", "DELETE", "/v2/storage/tables/in.c-shop.t", "", "", 404, gone},
		{"a bucket", "DELETE", bucket, "", "", 204, ""},
		{"the bucket again", "DELETE", bucket + "?force=1", "", "", 404, storageError(`Bucket "in.c-shop" not found`, "storage.buckets.notFound")},
	})
	w.shopTable()
	if job := w.must("DELETE", bucket+"?force=True&async=1", "", 202); job["operationName"] != "bucketDrop" || job["status"] != "success" || job["results"] != nil {
		t.Errorf("the job is %v", job)
	}
	if got := w.call("GET", "/v2/storage/tables", "", ""); got.body != "[]" {
		t.Errorf("there is %s", got.body)
	}
	w.shopTable()
	if job := w.must("DELETE", "/v2/storage/tables/in.c-shop.t?async=1", "", 202); job["operationName"] != "tableDrop" || job["tableId"] != "in.c-shop.t" {
		t.Errorf("the job is %v", job)
	}
	if b := w.must("PUT", bucket, `{"displayName":"Shop"}`, 200); b["displayName"] != "Shop" {
		t.Errorf("the bucket is %v", b)
	}
	if job := w.must("PUT", bucket, `{"displayName":"Shops","async":true}`, 202); job["operationName"] != "bucketUpdate" {
		t.Errorf("the job is %v", job)
	}
}
