package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/app"
)

// version is what every run calls itself.
const version = "1.2.3"

// defaultStart is when a run starts unless a case says otherwise.
var defaultStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is the time of a run. It stands still but for sleeps, which it
// remembers and does not wait for, and for what an answer adds.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	waits  []time.Duration
	alarms []*alarm
}

// alarm is a call at a time.
type alarm struct {
	at   time.Time
	call func()
}

func newClock(start time.Time) *clock { return &clock{now: start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.waits = append(c.waits, d)
	c.mu.Unlock()
	c.advance(d)
	return ctx.Err()
}

// advance puts the clock forward and makes the calls that are due.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*alarm
	c.alarms = slices.DeleteFunc(c.alarms, func(a *alarm) bool {
		if a.at.After(c.now) {
			return false
		}
		due = append(due, a)
		return true
	})
	c.mu.Unlock()
	for _, a := range due {
		a.call()
	}
}

// After calls a function when the clock has been put forward so much.
func (c *clock) After(d time.Duration, call func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{c.now.Add(d), call}
	c.alarms = append(c.alarms, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		before := len(c.alarms)
		c.alarms = slices.DeleteFunc(c.alarms, func(other *alarm) bool { return other == a })
		return len(c.alarms) < before
	}
}

// world is everything around one run: a data directory, an API, a clock and an
// environment.
type world struct {
	dir   string
	api   *httptest.Server
	clock *clock
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
	w := &world{dir: t.TempDir(), api: server, clock: newClock(defaultStart), env: map[string]string{}}
	t.Cleanup(func() {
		for name := range readTree(t, w.dir) {
			if strings.Contains(name, ".extractor-") {
				t.Errorf("left in the data directory: %s", name)
			}
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
	o.Now, o.After = w.clock.Now, w.clock.After
	if o.Sleep == nil {
		o.Sleep = w.clock.Sleep
	}
	if o.Dial == nil {
		o.Dial = w.dial
	}
	exit := app.Run(ctx, o)
	return outcome{exit, stdout.String(), stderr.String(), w.clock.waits}
}

// The hosts that nobody reaches.
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

// occurrence is one event as it stands in a line of stdout.
type occurrence map[string]any

// events are the lines of stdout; a line that is no event is reported.
func (o outcome) events(t *testing.T) []occurrence {
	t.Helper()
	var all []occurrence
	for line := range strings.Lines(o.stdout) {
		var e occurrence
		if err := decodeJSON([]byte(line), &e); err != nil {
			t.Errorf("stdout has a line that is no event (%v): %q", err, line)
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
