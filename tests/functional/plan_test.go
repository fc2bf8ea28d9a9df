package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unforeseeable are the cases of which a plan, which asks no platform and uses no proxy,
// knows too little, with the reason.
var unforeseeable = map[string]string{
	"proxy-unreadable":           "a plan uses no proxy",
	"variables-int-refused":      "the platform's values are not of the types that the platform declares",
	"variables-missing-declared": "the platform declares a variable that it gives no value",
	"variables-nowhere":          "no one has the values that a platform was to bring; plan shows the names, as validate warns only",
}

// TestPlanEqualsWire: the first request that `plan` shows is the first that a
// run sends, byte for byte but for masked parts. It holds for every case and
// every recipe; where a run sends nothing, plan shows nothing.
func TestPlanEqualsWire(t *testing.T) {
	slowtest.SkipRace(t, "it goes through all cases again")
	check := func(t *testing.T, c *testCase) {
		if why, ok := unforeseeable[c.name]; ok {
			t.Skip(why)
		}
		c.planEqualsWire(t)
	}
	eachCase(t, lensCases(caseNames(t)), caseOf, check)
	eachCase(t, recipeNames(t), recipeOf, check)
}

func (c *testCase) planEqualsWire(t *testing.T) {
	w, api := c.world(t)
	first := &wiretap{dial: w.dial}
	w.options.Dial, w.options.Rand = first.connect, sameNonce{}
	c.taped(t, w)
	planned, failed := c.plan(t, w.dir)
	switch {
	case c.AnyOrder:
		// Several are sent at once; the first one planned is one of them.
		if line := requestLine(planned.first(t)); !slices.Contains(api.sent, line) {
			t.Errorf("planned first: %s, sent: %q", line, api.sent)
		}
	case len(first.sent) > 0:
		planned.compare(t, string(first.sent))
	case first.refused != "":
		if host := planned.first(t).Field("headers").Field("Host").Raw(); host != first.refused {
			t.Errorf("the run found no connection to %s, the plan asks %s", first.refused, host)
		}
	default:
		if len(planned.requests) > 0 {
			t.Errorf("the run sends nothing, the plan has %d requests", len(planned.requests))
		}
		if c.Exit != 0 && !failed {
			t.Error("the run fails before its first request, the plan does not")
		}
	}
}

// TestPlanConformance: it holds for the public cases of the original, too.
func TestPlanConformance(t *testing.T) {
	for _, dir := range conformanceCases(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			w, _ := conformanceWorld(t, dir)
			first := &wiretap{dial: w.dial}
			w.options.Dial, w.options.Rand = first.connect, sameNonce{}
			w.run(t.Context())
			c := &testCase{files: os.DirFS(dir), description: description{Start: w.clock.Now()}}
			planned, _ := c.plan(t, w.dir)
			planned.compare(t, string(first.sent))
		})
	}
}

// wiretap keeps what is sent on the first connection.
type wiretap struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu      sync.Mutex
	tapped  bool
	sent    []byte
	refused string // the host of the first connection, if there was none
}

func (w *wiretap) connect(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := w.dial(ctx, network, address)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tapped {
		return conn, err
	}
	w.tapped = true
	if err != nil {
		w.refused, _, _ = strings.Cut(address, ":")
		return nil, err
	}
	return &tappedConn{Conn: conn, tap: w}, nil
}

// tappedConn keeps what is written until the first response is read.
type tappedConn struct {
	net.Conn
	tap       *wiretap
	responded bool
}

func (c *tappedConn) Write(b []byte) (int, error) {
	c.tap.mu.Lock()
	if !c.responded {
		c.tap.sent = append(c.tap.sent, b...)
	}
	c.tap.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *tappedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.tap.mu.Lock()
	c.responded = true
	c.tap.mu.Unlock()
	return n, err
}

// sameNonce are random bytes that are the same in run and plan.
type sameNonce struct{}

func (sameNonce) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(i)
	}
	return len(b), nil
}

// planned is what plan --json writes.
type planned struct{ requests []value.Value }

// plan plans a case as `extractor plan --json` does, and reports whether that
// fails. Nothing that it writes may show a secret.
func (c *testCase) plan(t *testing.T, dir string) (planned, bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return planned{}, true
	}
	typed, err := app.TypedTables(func(name string) string { return c.Env[name] })
	if err != nil {
		return planned{}, true
	}
	filled := t.TempDir() // in the directory of the run is a new state by now
	c.fill(t, filled)
	before, err := datadir.Open(filled)
	if err != nil {
		t.Fatal(err)
	}
	previous, err := app.PreviousState(before, func(name string) string { return c.Env[name] }, c.Full)
	if err != nil {
		t.Fatal(err)
	}
	o := plan.Options{Options: load.Options{Strict: c.Strict, Typed: typed, Now: func() time.Time { return c.Start }, Getenv: func(name string) string { return c.Env[name] }}, State: previous.State, LoginsOnly: c.Full, Version: version, Rand: sameNonce{}}
	o.Variables.Flags = assignments(c.Variables)
	p, failed := plan.Of(context.Background(), text, o)
	if p == nil {
		return planned{}, true
	}
	var asJSON, others bytes.Buffer
	for _, err := range []error{p.WriteJSON(&asJSON), p.WriteText(&others), p.WriteCurl(&others)} {
		if err != nil {
			t.Error(err)
		}
	}
	if !json.Valid(asJSON.Bytes()) {
		t.Fatalf("not JSON: %s", asJSON.Bytes())
	}
	c.checkSecrets(t, asJSON.String()+others.String())
	v, err := value.Parse(asJSON.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return planned{v.Field("requests").Items()}, failed != nil
}

func (p planned) first(t *testing.T) value.Value {
	t.Helper()
	if len(p.requests) == 0 {
		t.Fatal("the plan has no request, the run sends one")
	}
	return p.requests[0]
}

// requestLine is the method and the target of a planned request.
func requestLine(r value.Value) string {
	_, address, _ := strings.Cut(r.Field("url").Raw(), "://")
	target := "/"
	if at := strings.IndexByte(address, '/'); at >= 0 {
		target = address[at:]
	}
	return r.Field("method").Raw() + " " + target
}

// maskedPart is what is in the place of a secret, of what only a login will
// bring, and of a variable that the platform brings.
var maskedPart = regexp.MustCompile(`\[hidden\]|\{login: [^}]*\}|\{\{[^}]*\}\}|\{length of the body\}`)

// compare puts the first request together and compares it with what was sent.
func (p planned) compare(t *testing.T, sent string) {
	t.Helper()
	r := p.first(t)
	text := requestLine(r) + " HTTP/1.1\r\n"
	for _, header := range r.Field("headers").Members() {
		lines := header.Value.Items()
		if header.Value.Kind() == value.String {
			lines = []value.Value{header.Value}
		}
		for _, line := range lines {
			text += header.Name + ": " + line.Raw() + "\r\n"
		}
	}
	text += "\r\n" + r.Field("body").Raw()
	pattern, from := "", 0
	for _, span := range maskedPart.FindAllStringIndex(text, -1) {
		pattern += regexp.QuoteMeta(text[from:span[0]]) + "[^\r\n]*?"
		from = span[1]
	}
	pattern += regexp.QuoteMeta(text[from:])
	if !regexp.MustCompile(`\A` + pattern + `\z`).MatchString(sent) {
		t.Errorf("planned:\n%s\nsent:\n%s", text, sent)
	}
}
