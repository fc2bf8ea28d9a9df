package har

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// studio is a recorder on a clock that the test sets.
type studio struct {
	*Recorder
	path string
	now  time.Time
}

func record(t testing.TB, maxBody int64, secrets *secret.Registry) *studio {
	t.Helper()
	s := &studio{path: filepath.Join(t.TempDir(), "run.har"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	var err error
	s.Recorder, err = NewRecorder(Options{
		Path: s.path, Creator: "test", Version: "1", MaxBody: maxBody, Secrets: secrets,
		Now:   func() time.Time { return s.now },
		Sleep: func(ctx context.Context, d time.Duration) error { s.now = s.now.Add(d); return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func requestOf(t testing.TB, method, address, body string) *request.Request {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return &request.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}, Body: []byte(body)}
}

// add records an exchange that takes a second.
func (s *studio) add(t testing.TB, method, url, sent, body string) {
	t.Helper()
	x := Exchange{
		Request: requestOf(t, method, url, sent), Started: s.Now(),
		Response: &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{"Content-Type": {"text/plain"}}},
		Body:     func() io.Reader { return strings.NewReader(body) },
		Size:     int64(len(body)),
		Binary:   !utf8.ValidString(body),
	}
	s.now = s.now.Add(time.Second)
	x.Ended = s.Tick()
	if err := s.Add(x); err != nil {
		t.Fatal(err)
	}
}

// play ends the recording and opens it.
func (s *studio) play(t testing.TB) *Player {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := NewPlayer(s.path, &secret.Registry{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func replayed(t testing.TB, p *Player, method, url, sent string) (string, error) {
	t.Helper()
	e, err := p.Response(requestOf(t, method, url, sent))
	if err != nil {
		return "", err
	}
	p.EndExchange(e)
	body, err := e.Body()
	return string(body), err
}

func wantUserError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil || failure.KindOf(err) != failure.User {
		t.Fatalf("got %v, want a user error", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got the error %q, want %q in it", err, w)
		}
	}
}

func TestBodies(t *testing.T) {
	bodies := map[string]string{
		"empty": "", "text": "plain", "JSON": `{"a":"b\n\"č"}`, "controls": "a\x00\x1f\x7f\t\r\nb", "line separators": "a\u2028\u2029b",
		"binary": "\xff\xfe\x00\x01", "cut character": "ab\xc4", "large": strings.Repeat("0123456789č", 100_000), "large binary": strings.Repeat("\x80abc", 200_000),
		"a character across buffers": strings.Repeat("x", 32<<10-1) + "č",
	}
	s := record(t, 0, &secret.Registry{})
	for name, body := range bodies {
		s.add(t, "GET", "http://h/"+strings.ReplaceAll(name, " ", "-"), "", body)
	}
	p := s.play(t)
	for name, body := range bodies {
		if got, err := replayed(t, p, "GET", "http://h/"+strings.ReplaceAll(name, " ", "-"), ""); err != nil || got != body {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
	}
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
}

func TestResponsesInTheirOrder(t *testing.T) {
	s := record(t, 0, &secret.Registry{})
	s.add(t, "GET", "http://h/a", "", "1")
	s.add(t, "POST", "http://h/a", "x", "2")
	s.add(t, "GET", "http://h/a", "", "3")
	s.add(t, "POST", "http://h/a", "y", "4")
	p := s.play(t)
	for _, want := range []struct{ method, sent, body string }{{"POST", "y", "4"}, {"GET", "", "1"}, {"GET", "", "3"}, {"POST", "x", "2"}} {
		if got, err := replayed(t, p, want.method, "http://h/a", want.sent); err != nil || got != want.body {
			t.Errorf("%s %s: got %q, %v, want %q", want.method, want.sent, got, err, want.body)
		}
	}
	_, err := replayed(t, p, "GET", "http://h/a", "")
	wantUserError(t, err, "GET http://h/a is sent more often than it was recorded (2 times)")
}

func TestUnknownRequests(t *testing.T) {
	s := record(t, 0, &secret.Registry{})
	s.add(t, "GET", "http://h/users?page=1&limit=10", "", "")
	s.add(t, "POST", "http://h/orders", `{"since":"2026-01-01"}`, "")
	p := s.play(t)
	for name, tt := range map[string]struct{ method, url, sent, want string }{
		"query":   {"GET", "http://h/users?page=1&limit=20", "", "GET http://h/users?page=1&limit=20 was not recorded; the nearest that was is GET http://h/users?page=1&limit=10: the query differs, recorded '…/users?page=1&limit=10 ', sent '…/users?page=1&limit=20 '"},
		"address": {"GET", "http://h/user", "", "the nearest that was is GET http://h/users?page=1&limit=10: the address differs"},
		"body":    {"POST", "http://h/orders", `{"since":"2026-02-01"}`, `the nearest that was is POST http://h/orders: the body differs, recorded '…`},
		"method":  {"PUT", "http://h/orders", "", "the method differs"},
	} {
		_, err := replayed(t, p, tt.method, tt.url, tt.sent)
		wantUserError(t, err)
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %q, want %q", name, err, tt.want)
		}
	}
	wantUserError(t, p.Finish(), "the recording holds 2 requests that were not sent, the first: GET http://h/users?page=1&limit=10")
	empty := record(t, 0, &secret.Registry{}).play(t)
	_, err := replayed(t, empty, "GET", "http://h/", "")
	wantUserError(t, err, "the recording is empty")
}

// TestMaskedRequests: a secret of the recorded run may be another text now, or none.
func TestMaskedRequests(t *testing.T) {
	secrets := secretsOf("s3cret")
	s := record(t, 0, secrets)
	s.add(t, "GET", "http://user:pass@h/s3cret?key=s3cret&page=1", "", "1")
	s.add(t, "POST", "http://h/", `{"key":"s3cret","page":2}`, "2")
	s.add(t, "GET", "http://h/?token=s3cret", "", "3")
	p := s.play(t)
	text, err := os.ReadFile(s.path)
	if err != nil || bytes.Contains(text, []byte("s3cret")) || bytes.Contains(text, []byte("pass")) {
		t.Errorf("the file holds the secret (%v): %s", err, text)
	}
	if got, err := replayed(t, p, "GET", "http://h/other?key=new&page=1", ""); got != "1" {
		t.Errorf("the address: got %q, %v", got, err)
	}
	if _, err := replayed(t, p, "POST", "http://h/", `{"key":"new","page":3}`); err == nil {
		t.Error("another page is answered")
	}
	if got, err := replayed(t, p, "POST", "http://h/", `{"key":"new","page":2}`); got != "2" {
		t.Errorf("the body: got %q, %v", got, err)
	}
	if got, err := replayed(t, p, "GET", "http://h/?token=%5Bhidden%5D", ""); got != "3" {
		t.Errorf("the mask itself: got %q, %v", got, err)
	}
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		masked, text string
		want         bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"[hidden]", "", true}, {"[hidden]", "x", true},
		{"a[hidden]", "ab", true}, {"a[hidden]", "ba", false}, {"[hidden]a", "ba", true}, {"[hidden]a", "ab", false},
		{"a[hidden]b[hidden]c", "a1b2c", true}, {"a[hidden]b[hidden]c", "a1c", false}, {"a[hidden]a", "a", false}, {"a[hidden]b[hidden]b", "a1b", false},
	} {
		if got := matchesMasked(tt.masked, tt.text); got != tt.want {
			t.Errorf("matchesMasked(%q, %q) is %t", tt.masked, tt.text, got)
		}
	}
}

func TestClock(t *testing.T) {
	s := record(t, 0, &secret.Registry{})
	start := s.Now()
	s.now = s.now.Add(1500*time.Millisecond + 300*time.Microsecond)
	if !s.Now().Equal(start) {
		t.Error("the clock of a recording goes by itself")
	}
	sent := s.Tick()
	s.add(t, "GET", "http://h/", "", "")
	if err := s.Sleep(t.Context(), 5*time.Second); err != nil {
		t.Fatal(err)
	}
	end := s.Now()
	p := s.play(t)
	if !p.Now().Equal(start) {
		t.Errorf("a replay starts at %s, the recording at %s", p.Now(), start)
	}
	if got := p.BeginRequest(); !got.Equal(sent) {
		t.Errorf("the request is replayed at %s, it was sent at %s", got, sent)
	}
	if _, err := replayed(t, p, "GET", "http://h/", ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Sleep(t.Context(), 5*time.Second); err != nil || !p.Now().Equal(end) || !p.BeginRequest().Equal(end) {
		t.Errorf("the replay ends at %s, the recording at %s (%v)", p.Now(), end, err)
	}
}

func TestCappedBodies(t *testing.T) {
	s := record(t, 5, secretsOf("s3cret"))
	s.add(t, "GET", "http://h/short", "", "12345")
	s.add(t, "GET", "http://h/long", "", "1234čx")
	s.add(t, "GET", "http://h/secret", "", "ab s3cret")
	p := s.play(t)
	if got, err := replayed(t, p, "GET", "http://h/short", ""); err != nil || got != "12345" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := replayed(t, p, "GET", "http://h/long", "")
	wantUserError(t, err, "GET http://h/long", "only the beginning", "--record-max-body")
	text, err := os.ReadFile(s.path)
	if err != nil || !bytes.Contains(text, []byte(`"text":"1234"`)) || !bytes.Contains(text, []byte(`"text":"ab [h"`)) {
		t.Errorf("the beginnings are missing (%v): %s", err, text)
	}
}

func TestFileAppearsAtTheEnd(t *testing.T) {
	s := record(t, 0, &secret.Registry{})
	if err := os.WriteFile(s.path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.add(t, "GET", "http://h/", "", "body")
	if text, err := os.ReadFile(s.path); err != nil || string(text) != "before" {
		t.Errorf("replaced too early: %q, %v", text, err)
	}
	s.play(t)
	if err := s.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
	if err := s.Add(Exchange{Request: requestOf(t, "GET", "http://h/late", "")}); err != nil {
		t.Errorf("after the end: %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(s.path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// TestBrokenRecording: an exchange that cannot be written leaves the file of an
// earlier recording in its place.
func TestBrokenRecording(t *testing.T) {
	s := record(t, 0, &secret.Registry{})
	if err := os.WriteFile(s.path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	x := Exchange{
		Request:  requestOf(t, "GET", "http://h/", ""),
		Response: &http.Response{StatusCode: 200, Status: "200 OK"},
		Body:     func() io.Reader { return iotest.ErrReader(broken) },
		Size:     4,
	}
	for name, err := range map[string]error{"Add": s.Add(x), "Close": s.Close()} {
		if !errors.Is(err, broken) || failure.KindOf(err) != failure.Application {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if text, err := os.ReadFile(s.path); err != nil || string(text) != "before" {
		t.Errorf("got %q, %v", text, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.path)); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestRefusedFiles(t *testing.T) {
	_, err := NewRecorder(Options{Path: filepath.Join(t.TempDir(), "none", "x.har"), Now: time.Now})
	wantUserError(t, err, "cannot record to", "no such file or directory")
	_, err = NewRecorder(Options{Path: t.TempDir(), Now: time.Now})
	wantUserError(t, err, "cannot record to", "it is a directory")
	_, err = NewPlayer(filepath.Join(t.TempDir(), "none"), &secret.Registry{})
	wantUserError(t, err, "cannot replay", "no such file or directory")
	for name, tt := range map[string][2]string{
		"empty":                       {"", "EOF"},
		"no JSON":                     {"<html>", "invalid character"},
		"a list":                      {"[]", "expected {"},
		"something else":              {`{"name":"x"}`, "not an HTTP archive"},
		"cut":                         {`{"log":{"entries":[{"request":{"method":"GET"}}`, "EOF"},
		"a wrong entry":               {`{"log":{"entries":[{},{"time":"x"}]}}`, "entry 2"},
		"entries by name":             {`{"log":{"entries":{}}}`, "expected ["},
		"a log that is not an object": {`{"log":1}`, "expected {"},
	} {
		path := filepath.Join(t.TempDir(), "x.har")
		if err := os.WriteFile(path, []byte(tt[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := NewPlayer(path, &secret.Registry{})
		if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), tt[1]) {
			t.Errorf("%s: got %v, want %s", name, err, tt[1])
		}
	}
}

// TestForeignFiles: a file that a browser saved has no page of ours and other members.
func TestForeignFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.har")
	const text = `{"log":{"version":"1.2","creator":{"name":"b"},"pages":[],"entries":[ {"_x":{},"startedDateTime":"2026-01-02T03:04:05.123+01:00","time":12.3456,
		"request":{"method":"GET","url":"https://h/a?b=c","headers":[]},"response":{"status":200,"content":{"text":"eyJ9","encoding":"%s"}}} ]},"more":[1]}`
	for encoding, want := range map[string]string{"base64": `{"}`, "": "eyJ9"} {
		if err := os.WriteFile(path, []byte(strings.Replace(text, "%s", encoding, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := NewPlayer(path, &secret.Registry{})
		if err != nil {
			t.Fatal(err)
		}
		if at := p.Now().UTC(); at != time.Date(2026, 1, 2, 2, 4, 5, 123e6, time.UTC) {
			t.Errorf("starts at %s", at)
		}
		if got, err := replayed(t, p, "GET", "https://h/a?b=c", ""); err != nil || got != want {
			t.Errorf("%s: got %q, %v", encoding, got, err)
		}
		p.Close()
	}
	for encoding, words := range map[string]string{"gzip": "the encoding 'gzip'"} {
		if err := os.WriteFile(path, []byte(strings.Replace(text, "%s", encoding, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := NewPlayer(path, &secret.Registry{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = replayed(t, p, "GET", "https://h/a?b=c", "")
		wantUserError(t, err, words)
		p.Close()
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"log":{"pages":[{"startedDateTime":"2026-01-02T03:04:05Z"}],"entries":[{"time":1,"request":{"method":"GET","url":"http://h/"}},{}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := newIndex(bytes.NewReader(text))
		if err != nil {
			return
		}
		for number := range x.entries {
			if _, err := x.entry(number); err != nil {
				t.Errorf("entry %d was read once and cannot be read again: %v", number, err)
			}
		}
	})
}

// TestMain fails if goroutines are left after the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(ramdisk.Tests(m.Run)) }
