package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/app"
)

// version is what every run calls itself.
const version = "1.2.3"

// defaultStart is when a run starts unless a case says otherwise.
var defaultStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// world is everything around one run: a data directory, an API, a clock and an
// environment.
type world struct {
	dir   string
	api   *httptest.Server
	clock *clock.Clock
	env   map[string]string
	// stdout is written to besides what the outcome keeps; may be nil.
	stdout io.Writer
	// options that the case sets; the rest is filled in by run.
	options app.Options
}

// newWorld is a world with an empty data directory. However its runs end, none of
// what lives during a run may be left there.
func newWorld(t *testing.T, api http.Handler) *world {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	w := &world{dir: t.TempDir(), api: server, clock: clock.At(defaultStart), env: map[string]string{}}
	t.Cleanup(func() {
		err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.Contains(entry.Name(), ".extractor-") {
				err = fmt.Errorf("left in the data directory: %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	return w
}

// outcome is how a run ended.
type outcome struct {
	exit           int
	stdout, stderr string
	waits          []time.Duration
}

// run runs the component once.
func (w *world) run(ctx context.Context) outcome {
	var stdout, stderr bytes.Buffer
	o := w.options
	o.DataDir = w.dir
	o.Version = version
	o.Stdout, o.Stderr = &stdout, &stderr
	if w.stdout != nil {
		o.Stdout = io.MultiWriter(&stdout, w.stdout)
	}
	o.Getenv = func(name string) string { return w.env[name] }
	o.LookupEnv = func(name string) (string, bool) { text, set := w.env[name]; return text, set }
	o.Now, o.After = w.clock.Now, w.clock.After
	if o.Sleep == nil {
		o.Sleep = w.clock.Sleep
	}
	if o.Dial == nil {
		o.Dial = w.dial
	}
	exit := app.Run(ctx, o)
	return outcome{exit, stdout.String(), stderr.String(), w.clock.Slept()}
}

// runs runs the component once with a configuration.
func (w *world) runs(t *testing.T, config string) outcome {
	t.Helper()
	writeFile(t, filepath.Join(w.dir, "config.json"), config)
	return w.run(t.Context())
}

// showing runs a configuration with everything that can be kept of a run. said are all
// texts that are shown about it, by what shows them: those of the run, of plan and of validate.
func (w *world) showing(t *testing.T, config string) (got outcome, said map[string]string) {
	t.Helper()
	dir := t.TempDir()
	w.options.Record, w.options.Report = filepath.Join(dir, "run.har"), filepath.Join(dir, "report")
	got = w.runs(t, config)
	said = saidOf(t, []byte(config), w.options.Variables, w.options.Strict, w.clock.Now())
	said["events"], said["stderr"] = got.stdout, got.stderr
	addKept(t, said, w)
	return got, said
}

// addKept adds the recording and the report of a run.
func addKept(t *testing.T, said map[string]string, w *world) {
	t.Helper()
	for _, path := range []string{w.options.Record, filepath.Join(w.options.Report, "report.json"), filepath.Join(w.options.Report, "report.html")} {
		text, err := os.ReadFile(path)
		if err != nil || filepath.Ext(path) != ".html" && !json.Valid(text) {
			t.Errorf("%s is not there, or no JSON (%v)", path, err)
		}
		said[filepath.Base(path)] = string(text)
	}
}

// The hosts that no one reaches.
const (
	hostRefused = "refused.test"
	hostUnknown = "unknown.test"
)

// dial leads every address to the API of this world.
func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return nil, err
	case host == hostRefused:
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	case host == hostUnknown:
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", w.api.Listener.Addr().String())
}

// occurrence is one event as it is in a line of stdout.
type occurrence map[string]any

// events are the lines of stdout; a line that is not an event is reported.
func (o outcome) events(t *testing.T) []occurrence {
	t.Helper()
	var all []occurrence
	for line := range strings.Lines(o.stdout) {
		var e occurrence
		if err := decodeJSON([]byte(line), &e); err != nil {
			t.Errorf("stdout has a line that is not an event (%v): %q", err, line)
			continue
		}
		for _, name := range []string{"time", "level", "event", "message"} {
			if text, ok := e[name].(string); !ok || text == "" {
				t.Errorf("an event without %s: %s", name, line)
			}
		}
		all = append(all, e)
	}
	return all
}

// decodeJSON decodes exactly one JSON value; numbers keep their spelling.
func decodeJSON(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errTrailing
	}
	return nil
}
