package har

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// recordBodies writes a recording with these bodies, and a reading of each.
func recordBodies(t testing.TB, bodies ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.har")
	secrets := &secret.Registry{}
	secrets.Add("s3cret-of-this")
	r, err := NewRecorder(Options{Path: file, Creator: "c", Version: "1", Secrets: secrets, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range bodies {
		address, _ := url.Parse("http://a.test/x?token=s3cret-of-this")
		origin := &Initiator{Job: "j s3cret-of-this", Pointer: "/jobs/0", At: []int{1, 1, 1, i + 1}, Attempt: 1, Sources: []request.Source{{Part: "query token", From: "job", Pointer: "/jobs/0/params/s3cret-of-this"}}}
		x := Exchange{
			Request:  &request.Request{Method: "POST", URL: address, Header: http.Header{}, Body: []byte(`{"text":"not this","response":{"content":{"text":"x"}}}`)},
			Response: &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{"Content-Type": {"application/json"}}},
			Body:     func() io.Reader { return strings.NewReader(body) }, Size: int64(len(body)), Binary: strings.Contains(body, "\x00"), Origin: origin,
		}
		if err := r.Add(x); err != nil {
			t.Fatal(err)
		}
		if err := r.Read(PageFindings{At: origin.At, Rows: i, Data: []string{"s3cret-of-this"}, Next: [][]string{{"a", "s3cret-of-this"}}, Stop: "because of s3cret-of-this"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	bodies := []string{`{"text":"a \" \\ b","n":[1]}`, "", "line\nline\ttab", "\\", strings.Repeat(`\"`, 70_000) + "end", strings.Repeat("x", 65_536) + `\`, "\xff\x00b\x00i\x00n\x00", "č\u2028 </script>"}
	file := recordBodies(t, bodies...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "s3cret-of-this") {
		t.Error("a secret is in the recording")
	}
	source := bytes.NewReader(text)
	var got []string
	var read []PageFindings
	visit := func(s Summary) error {
		again, err := SummaryAt(source, s.Line)
		if err != nil {
			return err
		}
		if again.Text != s.Text || again.Request.URL != s.Request.URL || again.Response.Content.Text != "" || again.Origin == nil || len(again.Origin.Sources) != 1 {
			t.Errorf("got %+v", again)
		}
		body, err := io.ReadAll(again.Body(source))
		got = append(got, string(body))
		return err
	}
	err = Summaries(bytes.NewReader(text), visit, func(r PageFindings) error { read = append(read, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, bodies) {
		t.Errorf("got %.300q", got)
	}
	if len(read) != len(bodies) || read[2].Rows != 2 || read[2].At[3] != 3 || read[2].Data[0] != secret.Hidden {
		t.Errorf("got %+v", read)
	}
	// Another reader of the format sees the same.
	entries := 0
	if err := Entries(bytes.NewReader(text), func(*Entry) error { entries++; return nil }); err != nil || entries != len(bodies) {
		t.Errorf("%d entries, %v", entries, err)
	}
}

func TestSummariesOfNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "no recording": "{}\n", "cut": `{"log":{"entries":[` + "\n" + `{"response":{"content":{"text":"a`, "not JSON": `{"log":{"entries":[` + "\n{]\n]}}\n", "a bracket": "]\n"} {
		err := Summaries(strings.NewReader(text), func(Summary) error { return nil }, func(PageFindings) error { return nil })
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := Summaries(strings.NewReader("{\"log\":{\"entries\":[\n]}}\n"), nil, nil); err != nil {
		t.Errorf("a recording without requests: %v", err)
	}
	stop := errors.New("stop")
	if err := Summaries(mustOpen(t, recordBodies(t, "a", "b")), func(Summary) error { return stop }, nil); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func mustOpen(t *testing.T, path string) io.Reader {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// TestSummariesNeedNoBody: what is allocated does not grow with the bodies.
func TestSummariesNeedNoBody(t *testing.T) {
	allocated := func(size int) uint64 {
		bodies := make([]string, 20)
		for i := range bodies {
			bodies[i] = strings.Repeat("0123456789abcde\"", size/16)
		}
		file, err := os.Open(recordBodies(t, bodies...))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		piece := make([]byte, 100)
		err = Summaries(file, func(s Summary) error {
			_, err := s.Body(file).Read(piece)
			return err
		}, func(PageFindings) error { return nil })
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := allocated(1<<10), allocated(256<<10)
	if large > small+small/2+(256<<10) {
		t.Errorf("allocated %d bytes for small bodies, %d for large ones", small, large)
	}
}

func FuzzSummaries(f *testing.F) {
	text, err := os.ReadFile(recordBodies(f, `{"a":"b\"c"}`, "x"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{\"log\":{\"entries\":[\n{\"response\":{\"content\":{\"text\":\"\\u00e1\\x\"}}}\n]}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		source := bytes.NewReader(text)
		_ = Summaries(bytes.NewReader(text), func(s Summary) error {
			if s.Line.From > s.Line.To || s.Text.From > s.Text.To || s.Text.To > int64(len(text)) {
				t.Fatalf("spans %+v %+v of %d", s.Line, s.Text, len(text))
			}
			_, _ = io.Copy(io.Discard, s.Body(source))
			return nil
		}, func(PageFindings) error { return nil })
	})
}
