package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// start is when every run starts.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// world is everything around one run.
type world struct {
	scenario scenario
	place    place
	fault    fault
	times    int // how many requests, or connections, the fault hits
	first    int // the connection that it hits first, from 1
	secure   bool

	dir    string
	clock  *clock.Clock
	api    api
	server *httptest.Server
	plain  *httptest.Server // the same without TLS, beside a secure one
	tricks tricks

	mu          sync.Mutex
	connections int
	struck      int // connections that the fault has hit
}

// newWorld is a world in which nothing has happened.
func newWorld(t *testing.T, s scenario, p place, f fault, times, first int) *world {
	t.Helper()
	w := &world{scenario: s, place: p, fault: f, times: times, first: first, secure: f.secure, dir: t.TempDir()}
	w.clock = clock.At(start)
	w.api.world = w
	w.server = httptest.NewUnstartedServer(&w.api)
	w.server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of what the faults do
	if w.secure {
		w.server.TLS = serverTLS(honest)
		w.server.StartTLS()
		w.plain = httptest.NewServer(&w.api)
		t.Cleanup(w.plain.Close)
	} else {
		w.server.Start()
	}
	t.Cleanup(func() {
		w.tricks.end()
		w.server.CloseClientConnections()
		w.server.Close()
	})
	write(t, filepath.Join(w.dir, "config.json"), w.document(t))
	// What an earlier run left; a run that fails leaves it alone.
	write(t, filepath.Join(w.dir, "out", "state.json"), `{"earlier": true}`)
	write(t, filepath.Join(w.dir, "out", "tables", "earlier.csv"), "\"a\"\n")
	if s.state != "" {
		write(t, filepath.Join(w.dir, "in", "state.json"), s.state)
	}
	return w
}

// document is config.json: that of the scenario with the settings of the fault
// laid over it.
func (w *world) document(t *testing.T) string {
	t.Helper()
	s := w.scenario
	base := `"baseUrl": "http://api.test/"`
	if w.secure {
		base = `"baseUrl": "https://api.test/", "caCertificate": ` + quoted(authority().pem())
	}
	doc := object(t, `{`+s.more+`"parameters": {`+s.beside+`"api": {`+base+`, `+s.api+`}, "config": {"outputBucket": "b", `+s.config+`}}}`)
	if w.fault.settings != "" {
		overlay(doc["parameters"].(map[string]any)["api"].(map[string]any), object(t, w.fault.settings))
	}
	if w.fault.beside != "" {
		overlay(doc, object(t, w.fault.beside))
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

func quoted(text string) string {
	// A string can always be encoded.
	q, _ := json.Marshal(text)
	return string(q)
}

// overlay lays members over those of an object, deeply.
func overlay(under, over map[string]any) {
	for name, v := range over {
		below, ok := under[name].(map[string]any)
		more, isObject := v.(map[string]any)
		if ok && isObject {
			overlay(below, more)
		} else {
			under[name] = v
		}
	}
}

// outcome is how a run ended.
type outcome struct {
	exit           int
	stdout, stderr string
	files          map[string]string // in the data directory afterwards
}

// run runs the component once.
func (w *world) run(t *testing.T) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o := app.Options{
		DataDir: w.dir, Version: "1.2.3", Stdout: &stdout, Stderr: &stderr,
		Run: env.Run{Getenv: onPlatform, Now: w.clock.Now, Sleep: w.clock.Sleep, Dial: w.dial},
	}
	if w.scenario.recorded {
		o.Record = filepath.Join(t.TempDir(), "run.har")
	}
	// Nothing in the matrix may hang; a run that does ends as an interrupted one.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	exit := app.Run(ctx, o)
	return outcome{exit, stdout.String(), stderr.String(), w.files(t)}
}

// onPlatform is the environment of a run on the platform, which does not start from
// out/state.json.
func onPlatform(name string) string {
	if name == "KBC_RUNID" {
		return "12"
	}
	return ""
}

// heal ends the fault and takes the clock back.
func (w *world) heal() {
	w.times = 0
	w.clock = clock.At(start)
}

// dial leads every address to the API of this world, unless the fault is about
// connections and it is its turn.
func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if w.plain != nil && strings.HasSuffix(address, ":80") {
		return (&net.Dialer{}).DialContext(ctx, network, w.plain.Listener.Addr().String())
	}
	w.mu.Lock()
	w.connections++
	n := w.connections - w.first + 1
	hit := w.fault.connect != nil && n >= 1 && n <= w.times
	if hit {
		w.struck++
	}
	w.mu.Unlock()
	if hit {
		return w.fault.connect(ctx, w, n)
	}
	return (&net.Dialer{}).DialContext(ctx, network, w.server.Listener.Addr().String())
}

// hits are how often the fault has hit the run.
func (w *world) hits() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	return w.struck + w.api.hits
}

// files are those of the data directory, without the cache.
func (w *world) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(w.dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == "cache" {
				return fs.SkipDir
			}
			all[path+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(filepath.Join(w.dir, path))
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// differences are the names of the files that are not the same.
func differences(got, want map[string]string) []string {
	var names []string
	for name := range maps.Keys(want) {
		if text, ok := got[name]; !ok {
			names = append(names, "missing: "+name)
		} else if text != want[name] {
			names = append(names, "other text: "+name)
		}
	}
	for name := range maps.Keys(got) {
		if _, ok := want[name]; !ok {
			names = append(names, "too many: "+name)
		}
	}
	return names
}

// strike is a request that a fault hits.
type strike struct {
	http.ResponseWriter
	r     request
	n     int // which hit it is, from 1
	world *world
}

// whole is the response as it should have been.
func (s *strike) whole() reply {
	if s.r.URL.Path == "/login" {
		return s.world.api.logIn()
	}
	return s.world.api.content(s.r)
}

// raw takes the connection over and sends these very bytes; it ends when the
// returned function is called. A client that is gone has its own error.
func (s *strike) raw(text string) net.Conn {
	conn, _, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		panic(err) // a mistake in this test
	}
	_, _ = io.WriteString(conn, text)
	return conn
}

// send sends these very bytes and closes the connection.
func (s *strike) send(text string) { _ = s.raw(text).Close() }

// reset sends these very bytes and tears the connection down.
func (s *strike) reset(text string) {
	conn := s.raw(text)
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// hang sends these very bytes and nothing more, until the client gives up.
func (s *strike) hang(text string) {
	conn := s.raw(text)
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}

// endless sends the beginning, and then the same again and again until the
// client gives up.
func (s *strike) endless(begin, again string) {
	conn := s.raw(begin)
	for {
		if _, err := io.WriteString(conn, again); err != nil {
			break
		}
	}
	_ = conn.Close()
}

// say responds with a status, a body, and headers "Name: value".
func (s *strike) say(status int, body string, headers ...string) {
	s.Header().Set("Content-Type", "application/json")
	for _, h := range headers {
		name, text, _ := strings.Cut(h, ": ")
		s.Header().Add(name, text)
	}
	s.WriteHeader(status)
	_, _ = io.WriteString(s, body)
}
