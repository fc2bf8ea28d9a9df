package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/datadir"
)

// irreproducible are the cases whose replay cannot be the same, with the reason.
var irreproducible = map[string]string{
	"response-encoding-unknown":         "a body that cannot be searched for secrets is not in the recording",
	"response-encoding-unknown-retried": "as response-encoding-unknown",
	"format-unpack-zip-several":         "as response-encoding-unknown",
	"cut-bytes-within-response":         "the response that was broken off is not in the recording",
	"cut-time-waiting":                  "in a replay the clock jumps to the end of the wait that --max-time ends",
	"cut-time-within-response":          "as cut-bytes-within-response",
	"login-fails-no-json":               "the response, which may hold a secret, is hidden, and the error states its first character",
	"state-full-login":                  "the token of a recorded login is masked, so a replay does not keep it",
	"state-full-login-fails":            "as state-full-login",
	"rate-limit":                        "a replay does not wait for the rate limit, and job.progress says for how long requests waited",
	"rate-limit-every-request":          "as rate-limit",
	"rate-limit-job":                    "as rate-limit",
	"proxy-unreadable":                  "a replay uses no proxy",
}

// shown are the cases whose events must not say what is in the data; a
// recording holds the data.
var shown = []string{"response-long-error", "mapping-object-in-column", "mapping-object-in-key"}

// TestReplay records every case: the recording is a valid archive without
// secrets. Then it is replayed: tables, state, events and exit code must be the
// same.
func TestReplay(t *testing.T) {
	slowtest.SkipRace(t, "it goes through all cases again")
	eachCase(t, lensCases(caseNames(t)), caseOf, func(t *testing.T, c *testCase) { c.recordAndReplay(t) })
}

func (c *testCase) recordAndReplay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.har")
	recorded, wrote := c.record(t, file, filepath.Join(dir, "data"))
	archive, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("no recording: %v\n%s", err, recorded.stderr)
	}
	checkArchive(t, archive)
	c.checkSecrets(t, string(archive))
	if why, ok := irreproducible[c.name]; ok {
		t.Skip(why)
	}
	if strings.HasPrefix(c.name, "login-remember") {
		t.Skip("the credentials that its login brings are hidden in the recording, so a replay remembers none")
	}
	if c.Env["KBC_URL"] != "" {
		t.Skip("its variables come from the platform, which a replay does not ask")
	}
	if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	replayed, written := c.replay(t, file, filepath.Join(dir, "data"))
	// A replay writes the rows of files and no files.
	withFiles := strings.Contains(recorded.stdout, `"event":"files.written"`)
	maps.DeleteFunc(wrote, func(name, _ string) bool { return strings.HasPrefix(name, "out/files/") })
	maps.DeleteFunc(written, func(name, text string) bool {
		before, err := c.read(name)
		if !strings.HasPrefix(name, "out/files/") {
			return false
		}
		if err != nil || string(before) != text {
			t.Errorf("a replay wrote %s", name)
		}
		return true
	})
	if replayed.exit != recorded.exit || !withFiles && replayed.stderr != recorded.stderr || c.stdoutOf(t, replayed) != c.stdoutOf(t, recorded) {
		t.Errorf("recorded: exit %d, %s%s\nreplayed: exit %d, %s%s", recorded.exit, recorded.stderr, recorded.stdout, replayed.exit, replayed.stderr, replayed.stdout)
	}
	if !maps.Equal(written, wrote) {
		t.Errorf("the files differ:\nrecorded: %q\nreplayed: %q", wrote, written)
	}
	if t.Failed() {
		t.Logf("%s", archive)
	}
}

// TestReplayOfAnotherDataField: a replay with a dataField that leads nowhere names it as the
// reason why a request is not in the recording, with and without concurrency.
func TestReplayOfAnotherDataField(t *testing.T) {
	const config = `{"api": {"baseUrl": "http://api.test/", "http": {"concurrency": %d}, "pagination": {"method": "response.url", "urlKey": "next"}},
		"config": {"jobs": [{"endpoint": "orders", "dataField": %q}]}}`
	for _, concurrency := range []int{1, 4} {
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			write(w, `{"orders": [{"id": 1}], "next": "http://api.test/orders?page=2"}`)
		}))
		recording := filepath.Join(t.TempDir(), "run.har")
		w.options.Sample, w.options.Record = 1, recording // the recording has the first page only
		if got := w.runs(t, fmt.Sprintf(config, concurrency, "orders")); got.exit != 3 {
			t.Fatalf("%d at once: exit %d: %s", concurrency, got.exit, got.stderr)
		}
		w.options.Record, w.options.Replay = "", recording
		got := w.runs(t, fmt.Sprintf(config, concurrency, "odrers"))
		const want = "nothing was found at dataField 'odrers', but the response has a list at orders; so the next request differs from the recorded one: "
		if got.exit != 1 || !strings.Contains(got.stderr, want) {
			t.Errorf("%d at once: exit %d: %s", concurrency, got.exit, got.stderr)
		}
	}
}

// stdoutOf are the events of a run, with its times. Requests side by side are reported in any
// order, and their times depend on it.
func (c *testCase) stdoutOf(t *testing.T, o outcome) string {
	t.Helper()
	withFiles := strings.Contains(o.stdout, `"event":"files.`)
	if !withFiles && !strings.Contains(string(c.config(t)), `"concurrency"`) {
		return o.stdout
	}
	events := slices.DeleteFunc(o.events(t), func(e occurrence) bool { return strings.HasPrefix(fmt.Sprint(e["event"]), "files.") })
	for _, e := range events {
		if withFiles && strings.HasPrefix(fmt.Sprint(e["event"]), "run.") {
			delete(e, "files")
			delete(e, "message") // counts the files
		}
		delete(e, "time")
		delete(e, "seconds")
	}
	lines := strings.Split(linesOf(events), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// record runs the case against its API and returns the files it left.
func (c *testCase) record(t *testing.T, file, dir string) (outcome, map[string]string) {
	t.Helper()
	w, _ := c.world(t)
	w.options.Record = file
	w.dir = dir
	return c.taped(t, w)
}

// replay runs it again, on another day and without a network.
func (c *testCase) replay(t *testing.T, file, dir string) (outcome, map[string]string) {
	t.Helper()
	w := c.worldOf(t, nil)
	w.clock = clock.At(c.Start.Add(1000 * time.Hour))
	w.options.Replay = file
	w.options.Dial = func(context.Context, string, string) (net.Conn, error) {
		t.Error("a replay used the network")
		return nil, errors.New("no network")
	}
	w.dir = dir
	got, files := c.taped(t, w)
	if len(got.waits) > 0 {
		t.Errorf("a replay waited %v", got.waits)
	}
	return got, files
}

// taped runs the case with everything in w but the exchanges.
func (c *testCase) taped(t *testing.T, w *world) (outcome, map[string]string) {
	t.Helper()
	if err := os.MkdirAll(w.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	c.fill(t, w.dir)
	if w.options.Record+w.options.Replay != "" {
		c.carryState(t, w)
	}
	return w.run(context.Background()), readTree(t, w.dir)
}

// carryState makes in/state.json of an out/state.json that a run would start from: one
// that is recorded or replayed does not.
func (c *testCase) carryState(t *testing.T, w *world) {
	t.Helper()
	dir, err := datadir.Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	previous, err := app.PreviousState(dir, func(name string) string { return w.env[name] }, c.Full)
	if err == nil && previous.Path != "" {
		writeFile(t, filepath.Join(w.dir, "in", "state.json"), previous.State.JSON())
	}
}

// checkSecrets searches an archive for everything below a key with a hash sign
// in the configuration.
func (c *testCase) checkSecrets(t *testing.T, archive string) {
	t.Helper()
	text := c.config(t)
	var document any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&document) != nil {
		return // there is no configuration, or no JSON
	}
	readings := append([]string{archive}, bodiesIn(archive)...)
	for _, secret := range secretsBelow(document, false) {
		if len(secret) < 5 {
			continue // it is in the archive by chance
		}
		for _, form := range formsOf(secret) {
			if slices.ContainsFunc(readings, func(text string) bool { return strings.Contains(text, form) }) {
				t.Errorf("the recording shows the secret %q", form)
			}
		}
	}
	for _, text := range c.Conceals {
		if strings.Contains(archive, text) && !slices.Contains(shown, c.name) {
			t.Errorf("the recording shows %q", text)
		}
	}
}

// bodiesIn are the bodies of a recording, as a reader could read them; none for another text.
func bodiesIn(archive string) (readings []string) {
	_ = har.Entries(strings.NewReader(archive), func(e *har.Entry) error { // its error is that it is another text
		body, err := e.Body()
		readings = append(readings, readingsOf(body, 4)...)
		return err
	})
	return readings
}

// secretsBelow are the scalars below keys with a hash sign.
func secretsBelow(v any, secret bool) []string {
	var all []string
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			if name == "remember" && v["endpoint"] != nil {
				continue // the names of secrets, and where they come from
			}
			all = append(all, secretsBelow(item, secret || strings.HasPrefix(name, "#"))...)
		}
	case []any:
		for _, item := range v {
			all = append(all, secretsBelow(item, secret)...)
		}
	case string:
		if secret {
			all = append(all, v)
		}
	case json.Number:
		if secret {
			all = append(all, v.String())
		}
	}
	return all
}
