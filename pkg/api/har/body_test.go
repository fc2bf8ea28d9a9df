package har

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// keep records bodies, and returns a player of them.
func keep(t testing.TB, bodies map[string][]byte, options func(*Options)) (*Player, map[string]*Entry) {
	t.Helper()
	o := Options{Path: filepath.Join(t.TempDir(), "run.har"), Creator: "test", Version: "1", Secrets: secretsOf("s3cret-of-ours"), Now: time.Now}
	if options != nil {
		options(&o)
	}
	r, err := NewRecorder(o)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range bodies {
		u := &url.URL{Scheme: "http", Host: "h", Path: "/" + name}
		err := r.Add(Exchange{Request: &request.Request{Method: "GET", URL: u, Header: http.Header{}}, Response: &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{}},
			Body: func() io.Reader { return bytes.NewReader(body) }, Size: int64(len(body)), Binary: !bytes.Equal(bytes.ToValidUTF8(body, nil), body)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := NewPlayer(o.Path, &secret.Registry{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	entries := map[string]*Entry{}
	for i := range p.index.entries {
		e, err := p.index.entry(i)
		if err != nil {
			t.Fatal(err)
		}
		entries[strings.TrimPrefix(e.Request.URL, "http://h/")] = e
	}
	return p, entries
}

// TestOmittedBodies: a body that cannot be searched is left out, the entry says so, and so
// does a replay.
func TestOmittedBodies(t *testing.T) {
	p, entries := keep(t, map[string][]byte{"picture": []byte("\x89PNG\r\n\x1a\n\x00\x01\x02"), "broken": append([]byte("\x1f\x8b\x08\x00"), bytes.Repeat([]byte{0xff}, 40)...)}, nil)
	for name, why := range map[string]string{"picture": "it is not a text", "broken": "it begins like gzip, but cannot be unpacked"} {
		content := entries[name].Response.Content
		if !content.Omitted || content.Text != "" || content.Encoding != "" || content.Size == 0 || !strings.HasPrefix(content.Comment, "the body is left out: "+why) {
			t.Errorf("%s: %+v", name, content)
		}
		_, err := replayed(t, p, "GET", "http://h/"+name, "")
		wantUserError(t, err, "cannot replay the response to GET http://h/"+name, "the body is left out: "+why)
	}
}

// TestPackedBodies: a packed body is stored packed, without its secrets.
func TestPackedBodies(t *testing.T) {
	const text = `{"error":"s3cret-of-ours is wrong"}`
	_, entries := keep(t, map[string][]byte{"gzip": gzipped(t, text), "base64": []byte("ImlkIHMzY3JldC1vZi1vdXJzIg=="), "text": []byte("ab s3cret-of-ours")}, nil)
	for name, want := range map[string]string{"base64": "ImlkIFtoaWRkZW5dIg==", "text": "ab [hidden]"} {
		if c := entries[name].Response.Content; c.Text != want || c.Encoding != "" || c.Comment != "secrets in it are masked" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	body, err := entries["gzip"].Body()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if c := entries["gzip"].Response.Content; err != nil || string(got) != strings.ReplaceAll(text, "s3cret-of-ours", "[hidden]") || c.Comment != "secrets in it are masked" || c.Encoding != "base64" {
		t.Errorf("%s, %v, %+v", got, err, c)
	}
}

// BenchmarkRecord records responses of 1 MB, unpacked. One in a hundred rows contains the
// secret.
func BenchmarkRecord(b *testing.B) {
	rows := func(row string) string {
		var all strings.Builder
		for i := 0; all.Len() < 1<<20; i++ {
			name := "Ann User"
			if i%100 == 0 {
				name = "s3cret-of-ours"
			}
			fmt.Fprintf(&all, row, i, name)
		}
		return all.String()
	}
	jsonRows, csvRows := "["+rows(`{"id":%d,"name":"%s","url":"https://api.example.com/v1/users?page=2"},`)+"0]", rows("%d,%s,\"https://api.example.com/v1/users?page=2\"\r\n")
	var wide []byte
	for _, c := range []byte(csvRows) {
		wide = append(wide, c, 0)
	}
	for _, body := range []struct {
		name  string
		bytes []byte
	}{{"JSON", []byte(jsonRows)}, {"CSV", []byte(csvRows)}, {"CSV in gzip", gzipped(b, csvRows)}, {"CSV in windows-1250", append([]byte(csvRows), 0x9e)}, {"CSV in UTF-16", wide}} {
		b.Run(body.name, func(b *testing.B) {
			r, err := NewRecorder(Options{Path: filepath.Join(b.TempDir(), "run.har"), Secrets: secretsOf("s3cret-of-ours", "another-secret"), Now: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			x := Exchange{Request: &request.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: "h"}, Header: http.Header{}}, Response: &http.Response{StatusCode: 200, Header: http.Header{}},
				Body: func() io.Reader { return bytes.NewReader(body.bytes) }, Size: int64(len(body.bytes)), Binary: !bytes.Equal(bytes.ToValidUTF8(body.bytes, nil), body.bytes)}
			b.SetBytes(1 << 20)
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Add(x); err != nil {
					b.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
