package httpclient

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// compressed returns a compressed text.
func compressed(t testing.TB, text string, open func(io.Writer) (io.WriteCloser, error)) string {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }

func zlibbed(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }

func zstded(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }

func deflated(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) }

func TestBodiesAreDecompressed(t *testing.T) {
	text := strings.Repeat(`{"id":1},`, 1000)
	tests := []struct{ name, encoding, sent, want string }{
		{"gzip", "gzip", compressed(t, text, gzipped), text},
		{"gzip in capitals", " GZIP ", compressed(t, text, gzipped), text},
		{"x-gzip", "x-gzip", compressed(t, text, gzipped), text},
		{"gzip of nothing", "gzip", compressed(t, "", gzipped), ""},
		{"gzip without a body", "gzip", "", ""},
		{"deflate in a zlib frame", "deflate", compressed(t, text, zlibbed), text},
		{"deflate without a frame", "deflate", compressed(t, text, deflated), text},
		{"deflate without a body", "deflate", "", ""},
		{"identity", "identity", text, text},
		{"an unknown encoding is left to its reader", "br", "as it is", "as it is"},
		{"zstd", "zstd", compressed(t, text, zstded), text},
		{"two codings", "deflate, gzip", compressed(t, compressed(t, text, zlibbed), gzipped), text},
		{"two lines", "deflate\ngzip", compressed(t, compressed(t, text, zlibbed), gzipped), text},
		{"gzip and identity", "gzip,identity", compressed(t, text, gzipped), text},
		{"a character set", "UTF-8", text, text},
		{"no encoding", "", text, text},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			headers := []string{"Content-Type: text/plain"}
			for line := range strings.SplitSeq(tt.encoding, "\n") {
				headers = append(headers, "Content-Encoding: "+line)
			}
			s := serve(t, say(200, tt.sent, headers...))
			f := newFixture(t, s.URL, `{}`, nil)
			if body, err := f.get(t, "x"); err != nil || body != tt.want {
				t.Errorf("got %d bytes, %v, want %d", len(body), err, len(tt.want))
			}
			if got := f.stats.Bytes.Load(); got != int64(len(tt.want)) {
				t.Errorf("%d bytes are counted, want %d", got, len(tt.want))
			}
			equal(t, "Accept-Encoding", s.seen[0].header.Values("Accept-Encoding"), []string{"gzip"})
		})
	}
}

func TestBrokenCompression(t *testing.T) {
	whole := compressed(t, strings.Repeat("some text ", 100), gzipped)
	badSum := whole[:len(whole)-5] + "\xff" + whole[len(whole)-4:]
	framed := compressed(t, strings.Repeat("some text ", 100), zlibbed)
	tests := []struct{ name, encoding, sent, want string }{
		{"truncated gzip", "gzip", whole[:len(whole)-9], "network error 18: the connection ended in the middle of the response"},
		{"gzip cut in its head", "gzip", whole[:5], "network error 18"},
		{"truncated deflate", "deflate", framed[:len(framed)-9], "network error 18"},
		{"plain text called gzip", "gzip", "plain text", "network error 61: the body of the response cannot be decompressed: gzip: invalid header"},
		{"wrong checksum", "gzip", badSum, "network error 61"},
		{"a byte after gzip", "gzip", whole + "x", "network error 18"},
		{"something after gzip", "gzip", whole + "something else", "network error 61"},
		{"something after deflate", "deflate", framed + "x", "network error 61: the body of the response cannot be decompressed: there are bytes after its end"},
		{"plain text called zstd", "zstd", "plain text", "network error 61"},
		{"truncated zstd", "zstd", compressed(t, strings.Repeat("some text ", 100), zstded)[:20], "network error 18"},
		{"plain text called deflate", "deflate", "plain text", "network error 61"},
		{"wrong checksum of deflate", "deflate", framed[:len(framed)-1] + "\x00", "network error 61"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, say(200, tt.sent, "Content-Encoding: "+tt.encoding)).URL, `{"retryConfig":{"maxRetries":0}}`, nil)
			_, err := f.get(t, "x")
			wantUserError(t, err, tt.want)
			noSpools(t, f)
		})
	}
}

func TestLargestResponse(t *testing.T) {
	text := strings.Repeat("0123456789", 10)
	bomb := compressed(t, strings.Repeat(" ", 1<<20), gzipped)
	const tooLarge = "network error 63: the body of the response has more than 100 bytes, the limit of 'api.http.maxResponseBytes'"
	tests := []struct{ name, encoding, sent, fails string }{
		{"as large as allowed", "", text, ""},
		{"smaller", "", text[:99], ""},
		{"empty", "", "", ""},
		{"a byte more", "", text + "x", tooLarge},
		{"compressed, as large as allowed", "gzip", compressed(t, text, gzipped), ""},
		{"compressed, a byte more", "gzip", compressed(t, text+"x", gzipped), tooLarge},
		{"a bomb", "gzip", bomb, tooLarge},
		{"cut at the limit", "gzip", compressed(t, text, gzipped)[:20], "network error 18"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, say(200, tt.sent, "Content-Encoding: "+tt.encoding)).URL, `{"http":{"maxResponseBytes":100},"retryConfig":{"maxRetries":0}}`, nil)
			_, err := f.get(t, "x")
			if tt.fails == "" && err != nil {
				t.Error(err)
			}
			if tt.fails != "" {
				wantUserError(t, err, "GET "+f.o.BaseURL.String()+"/x failed: "+tt.fails)
			}
			noSpools(t, f)
		})
	}
}

// noSpools checks that no temporary file is left: neither its name nor an open
// handle of it.
func noSpools(t testing.TB, f *fixture) {
	t.Helper()
	names, err := os.ReadDir(f.spools)
	if err != nil || len(names) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", names, err)
	}
	handles, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range handles {
		if at, err := os.Readlink(h); err == nil && strings.HasPrefix(at, f.spools) {
			t.Errorf("still open: %s", at)
		}
	}
}

func TestLargeBodiesLeaveNoFiles(t *testing.T) {
	large := strings.Repeat("0123456789", 100) // beyond the 16 bytes kept in memory
	tests := []struct {
		name, api string
		steps     []http.HandlerFunc
		failed    bool
	}{
		{"read and closed", `{}`, times(1, ok(large)), false},
		{"retried", `{}`, []http.HandlerFunc{say(503, large), ok(large)}, false},
		{"redirected", `{}`, []http.HandlerFunc{say(302, large, "Location: /b"), ok(large)}, false},
		{"too many redirects", `{}`, times(6, say(302, large, "Location: /b")), true},
		{"status error", `{}`, times(1, say(404, large)), true},
		{"last retry", `{"retryConfig":{"maxRetries":1}}`, times(2, say(503, large)), true},
		{"not authorized", `{}`, times(1, say(401, large)), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, tt.steps...).URL, tt.api, nil)
			if _, err := f.get(t, "x"); (err != nil) != tt.failed {
				t.Fatal(err)
			}
			noSpools(t, f)
		})
	}
	t.Run("login", func(t *testing.T) {
		f := newFixture(t, serve(t, say(403, large)).URL, `{}`, nil)
		_, err := f.Login(t.Context(), config.RequestSpec{Endpoint: "login"})
		wantUserError(t, err, "[403]")
		noSpools(t, f)
	})
}

func TestTemporaryDirectoryThatIsGoneIsOurFault(t *testing.T) {
	s := serve(t, ok("more than sixteen bytes"))
	f := newFixture(t, s.URL, `{}`, nil, func(o *Options) {
		o.spooler = response.NewSpooler(filepath.Join(t.TempDir(), "gone"), 16)
	})
	_, err := f.get(t, "x")
	if failure.KindOf(err) != failure.Application || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "cannot store a response") {
		t.Errorf("got %v", err)
	}
	equal(t, "waits", f.sleeps, nil)
}

func TestTrafficIsCounted(t *testing.T) {
	s := serve(t, say(503, "wait"), to(302, "/b"), ok("there"), ok("token"))
	f := newFixture(t, s.URL, `{}`, nil)
	if _, err := f.get(t, "a"); err != nil {
		t.Fatal(err)
	}
	spool, err := f.Login(t.Context(), config.RequestSpec{Endpoint: "login"})
	if err != nil || readSpool(t, spool) != "token" {
		t.Fatalf("login: %v", err)
	}
	if requests, bytes := f.stats.Requests.Load(), f.stats.Bytes.Load(); requests != 4 || bytes != int64(len("wait"+"moved"+"there"+"token")) {
		t.Errorf("counted %d requests and %d bytes", requests, bytes)
	}
}

// A request without a body has no Transfer-Encoding, even if probing the body is slow.
func TestNoBodyIsNoChunks(t *testing.T) {
	req, err := build(&url.URL{Scheme: "http", Host: "a.test"}, config.RequestSpec{Endpoint: "x"}, "agent/1", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	sent := (&call{Request: req}).http(t.Context())
	sent.Body = unreadable{t}
	var wire strings.Builder
	if err := sent.Write(&wire); err != nil {
		t.Fatal(err)
	}
	if want := "GET /x HTTP/1.1\r\nHost: a.test\r\nUser-Agent: agent/1\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\n\r\n"; wire.String() != want {
		t.Errorf("got %q", wire.String())
	}
}

// unreadable is an empty body that is read after the head was written.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	for _, line := range strings.Split(string(debug.Stack()), "\n") {
		if strings.Contains(line, "probeRequestBody") {
			u.t.Error("net/http looks for a body before it writes the head")
		}
	}
	return 0, io.EOF
}

func (unreadable) Close() error { return nil }
