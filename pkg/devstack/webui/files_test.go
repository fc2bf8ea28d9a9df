package webui

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const hostilePage = `<html><script>alert(1)</script></html>`

func (p *platform) addFile(f store.File, contents string) store.File {
	p.Helper()
	stored, err := p.store.AddFile(f, func(w io.Writer) error {
		_, err := io.WriteString(w, contents)
		return err
	})
	p.must(err)
	return stored
}

// mustBeInert checks that no browser shows or runs a response in the origin of the page.
func mustBeInert(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	h := w.Header()
	if w.Code != http.StatusOK || h.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") ||
		h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %v", w.Code, h)
	}
}

// TestFiles: files are listed with their tags and their job, and come only as downloads.
func TestFiles(t *testing.T) {
	p := newPlatform(t)
	p.see("/files", "There are no files")
	hostile := p.addFile(store.File{Name: `<b>"x.html`, Kind: "text/html", Tags: []string{"<i>tag"}, RunID: "7", Permanent: true}, hostilePage)
	p.addFile(store.File{Name: "other.pdf", Kind: "application/octet-stream", RunID: "8"}, "pdf")
	p.see("/files", "&lt;b&gt;&#34;x.html", "&lt;i&gt;tag", "permanent", "other.pdf", "15 days", fmt.Sprintf(`href="/files/%s/download"`, hostile.ID))
	if body := p.see("/files?job=7", "x.html", "job 7", "All files"); strings.Contains(body, "other.pdf") {
		t.Error("files of other jobs are listed")
	}
	w := p.get("/files/" + hostile.ID + "/download")
	mustBeInert(t, w)
	if w.Body.String() != hostilePage {
		t.Errorf("got %q", w.Body)
	}
	for _, path := range []string{"/files/99/download", "/files/x/download", "/files/..%2f1/download"} {
		if w := p.get(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	for range shownFiles {
		p.addFile(store.File{Name: "one more"}, "")
	}
	if body := p.see("/files", "The newest 200 files."); strings.Contains(body, "x.html") {
		t.Error("more files are listed than a page has")
	}
}

func TestFilesOfAJob(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "1", Configuration: []byte(`{}`)})
	j := p.start(c)
	p.end(j.ID, store.Success, store.Result{Files: 3})
	p.see("/jobs/"+j.ID, fmt.Sprintf(`<a href="/files?job=%s">3 files</a>`, j.ID))
}

// picture returns a picture of a size in a format.
func picture(t *testing.T, format string, side int) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch at := image.Rect(0, 0, side, side); format {
	case "png":
		err = png.Encode(&b, image.NewGray(at))
	case "jpeg":
		err = jpeg.Encode(&b, image.NewGray(at), nil)
	case "gif":
		err = gif.Encode(&b, image.NewGray(at), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// webp returns the beginning of a picture in WebP, in its extended form.
func webp(side int) string {
	size := string([]byte{byte(side - 1), byte((side - 1) >> 8), byte((side - 1) >> 16)})
	return "RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00" + size + size
}

// TestTryFiles: a try shows the names, sizes and previews of texts and pictures. What could
// run is shown as a text or not at all, and comes only as a download.
func TestTryFiles(t *testing.T) {
	p := newTryPlatform(t)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`
	files := []struct {
		name, kind, contents string
		picture              string // media type of the preview
		shows                string
	}{
		{"a.html", "text/html", hostilePage, "", "&lt;html&gt;&lt;script&gt;alert(1)"},
		{"b.svg", "image/svg+xml", svg, "", "&lt;svg xmlns"},
		{"c.png", "text/html", picture(t, "png", 3), "image/png", ""},
		{"d.html", "text/html", picture(t, "jpeg", 3), "image/jpeg", ""},
		{"e.gif", "image/gif", picture(t, "gif", 3), "image/gif", ""},
		{"f.webp", "image/webp", webp(3), "image/webp", ""},
		{"g.png", "image/png", hostilePage, "", "&lt;html&gt;"},
		{"h.png", "image/png", picture(t, "png", 5001), "", "There is no preview"},
		{"i.webp", "image/webp", webp(5001), "", "There is no preview"},
		{"j.bin", "text/plain", "\x00\x01\x02", "", "There is no preview"},
		{"k.txt", "text/plain", "", "", "The file is empty."},
		{"l.txt", "text/plain", strings.Repeat("é", 3000), "", strings.Repeat("é", 1024) + "\n…"},
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, f := range files {
			if r.URL.Path == "/"+f.name {
				w.Header().Set("Content-Type", f.kind)
				_, _ = io.WriteString(w, f.contents)
			}
		}
	}))
	defer api.Close()
	var jobs []string
	for _, f := range files {
		jobs = append(jobs, fmt.Sprintf(`{"endpoint": %q, "dataType": "f", "response": {"format": "file"}}`, f.name))
	}
	path := p.run(`{"parameters": {"api": {"baseUrl": "` + api.URL + `/"}, "config": {"outputBucket": "b", "jobs": [` + strings.Join(jobs, ",") + `]}}}`)
	text := p.look(path)
	wantAll(t, text, "success", "Files", "b.f", "12 rows")
	wantNone(t, text, "<script>alert", "<svg xmlns")
	for i, f := range files {
		at := fmt.Sprintf("%s/files/%d", path, i+1)
		get := func(path string) *httptest.ResponseRecorder {
			return probe(p, p.page, "GET", p.session.path+path, "", "Cookie", p.cookie().String())
		}
		wantAll(t, text, "<code>"+f.name+"</code>", f.shows)
		w := get(at)
		mustBeInert(t, w)
		if w.Body.String() != f.contents {
			t.Errorf("%s: %d bytes, want %d", f.name, w.Body.Len(), len(f.contents))
		}
		w = get(at + "/picture")
		h := w.Header()
		switch {
		case f.picture == "" && w.Code != http.StatusNotFound:
			t.Errorf("%s is shown as a picture: %v", f.name, h)
		case f.picture == "" && strings.Contains(text, at+"/picture"):
			t.Errorf("%s has a preview", f.name)
		case f.picture != "" && (w.Code != http.StatusOK || h.Get("Content-Type") != f.picture || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox")):
			t.Errorf("%s: %d %v", f.name, w.Code, h)
		case f.picture != "" && !strings.Contains(text, at+"/picture"):
			t.Errorf("%s has no preview", f.name)
		}
	}
	for _, gone := range []string{"/files/0", "/files/13", "/files/x", "/files/13/picture"} {
		if a := probe(p, p.page, "GET", p.session.path+path+gone, "", "Cookie", p.cookie().String()); a.Code != http.StatusNotFound {
			t.Errorf("%s: %d", gone, a.Code)
		}
	}
	request := p.look(path + "/requests/1")
	wantAll(t, request, "a.html", "the body became a file")
	wantNone(t, request, "Download the body")
	// Nothing is stored, and a replay has rows and no files.
	p.must(p.store.Files(func(f store.File) bool { t.Errorf("stored %s", f.Name); return true }))
	again := p.look(p.run(`{"parameters": {"api": {"baseUrl": "`+api.URL+`/"}, "config": {"outputBucket": "b", "jobs": [`+strings.Join(jobs, ",")+`]}}}`, "replay", strings.TrimPrefix(path, "/tries/")))
	wantAll(t, again, "success", "12 rows")
	wantNone(t, again, "try-files-title")
}
