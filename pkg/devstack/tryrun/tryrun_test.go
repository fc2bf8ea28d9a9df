package tryrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// world are tries whose component is played by the test.
type world struct {
	*testing.T
	*Trials
	clock *clock.Clock
	dir   string
	// play plays the component in a data directory.
	play func(ctx context.Context, dir string, args []string, log func(sandbox.Record)) sandbox.Exit
	// refuse is the error of the preparation.
	refuse error
	jobs   []store.Job
}

func (w *world) run(ctx context.Context, spec sandbox.Spec, log func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error) {
	dir := w.TempDir()
	for _, name := range []string{"out/tables", sandbox.FilesDir} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return sandbox.Data{}, sandbox.Exit{}, err
		}
	}
	for name, path := range spec.Files {
		if err := os.Link(path, filepath.Join(dir, sandbox.FilesDir, name)); err != nil {
			return sandbox.Data{}, sandbox.Exit{}, err
		}
	}
	return sandbox.Data{Dir: dir}, w.play(ctx, dir, spec.Args(dir), log), nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, clock: clock.At(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)), dir: filepath.Join(t.TempDir(), "tries")}
	w.play = func(context.Context, string, []string, func(sandbox.Record)) sandbox.Exit { return sandbox.Exit{} }
	if err := os.MkdirAll(filepath.Join(w.dir, "of an earlier process"), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	w.Trials, err = New(Options{
		Dir: w.dir, Run: w.run, Now: w.clock.Now,
		Prepare: func(j store.Job) (sandbox.Spec, []sandbox.Record, error) {
			w.jobs = append(w.jobs, j)
			return sandbox.Spec{}, []sandbox.Record{{Type: "info", Message: "prepared"}}, w.refuse
		},
		Report: func(err error) { t.Errorf("reported: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(w.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the tries are left: %v", err)
		}
	})
	return w
}

func (w *world) start(r Input) *Try {
	w.Helper()
	r.Component, r.Limits = "acme.ex", DefaultLimits()
	t, err := w.Start(r)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

// ended is start, and the state at the end.
func (w *world) ended(r Input) (*Try, State) {
	w.Helper()
	t := w.start(r)
	<-t.Done()
	info := t.Info()
	return t, info
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestTryKeepsWhatTheComponentLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var args []string
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, filepath.Dir(outside), "outside", "not mine")
	w.play = func(_ context.Context, dir string, given []string, log func(sandbox.Record)) sandbox.Exit {
		args = given
		log(sandbox.Record{Type: "debug", Message: "GET /", Fields: []byte(`{"event":"request.answered","bytes":"1200"}`)})
		write(t, dir, "try/recording.har", "{\"log\":{\"entries\":[\n]}}\n")
		write(t, dir, "try/report/report.json", `{"totals":{"rows":7}}`)
		write(t, dir, "out/tables/a.b", "\"x\",\"y\"\n\"1\",\"\"\n")
		write(t, dir, "out/tables/a.b.manifest", "{}")
		write(t, dir, "config.json", "secret")
		if err := os.Symlink(outside, filepath.Join(dir, "out/tables/link")); err != nil {
			t.Error(err)
		}
		return sandbox.Exit{Code: failure.ExitLimitReached, Message: "the sample is full"}
	}
	try, info := w.ended(Input{Config: "1", Document: []byte(`{"a":1}`), Values: []store.Variable{{Name: "n", Value: `"v`}}})
	if info.Status != Limited || info.Message != "the sample is full" || !info.Recorded || info.Requests != 1 || info.Bytes != 1200 || info.Events != 2 {
		t.Errorf("got %+v", info)
	}
	if got := strings.Join(args[:8], " "); got != "--sample 10 --max-requests 100 --max-time 2m0s --max-bytes 50000000" || slices.Contains(args, "--replay") {
		t.Errorf("started with %v", args)
	}
	if j := w.jobs[0]; string(j.ConfigData) != `{"a":1}` || string(j.VariableValuesData) != `{"values":[{"name":"n","value":"\"v"}]}` || j.Mode != store.Run {
		t.Errorf("prepared %+v", j)
	}
	report, err := try.Report()
	if err != nil || report.Totals.Rows != 7 {
		t.Errorf("got %+v, %v", report, err)
	}
	tables, err := try.Tables()
	if err != nil || len(tables) != 1 || tables[0].Name != "a.b" || len(tables[0].Rows) != 1 || tables[0].Rows[0][0] != "1" {
		t.Errorf("got %+v, %v", tables, err)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "not mine" {
		t.Errorf("a file outside: %q, %v", text, err)
	}
	if err := filepath.WalkDir(w.dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, "config.json") {
			t.Errorf("%s was kept", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	// A replay of the second try uses the recording of the first, too.
	w.play = func(_ context.Context, dir string, given []string, _ func(sandbox.Record)) sandbox.Exit {
		args = given
		text, err := os.ReadFile(filepath.Join(dir, "try/source.har"))
		if err != nil || !strings.HasPrefix(string(text), `{"log"`) {
			t.Errorf("replays %q, %v", text, err)
		}
		return sandbox.Exit{}
	}
	second, info := w.ended(Input{Config: "1", From: try})
	if !info.Replayed || !slices.Contains(args, "--replay") {
		t.Errorf("got %+v with %v", info, args)
	}
	if _, info = w.ended(Input{Config: "1", From: second}); info.Status != Success {
		t.Errorf("got %+v", info)
	}
}

func TestEndsOfTries(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		exit    sandbox.Exit
		refuse  error
		status  Status
		message string
	}{
		"success":       {sandbox.Exit{}, nil, Success, ""},
		"failure":       {sandbox.Exit{Code: 1, Message: "no such job"}, nil, Failed, "no such job"},
		"time":          {sandbox.Exit{Code: 137, TimedOut: true}, nil, Failed, "did not end in time"},
		"memory":        {sandbox.Exit{Code: 137, OutOfMemory: true}, nil, Failed, "out of memory"},
		"not prepared":  {sandbox.Exit{}, failure.Userf("no value for a variable"), Failed, "no value for a variable"},
		"limit reached": {sandbox.Exit{Code: 3, Message: "100 requests"}, nil, Limited, "100 requests"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.refuse = one.refuse
			w.play = func(context.Context, string, []string, func(sandbox.Record)) sandbox.Exit { return one.exit }
			_, info := w.ended(Input{Config: "1"})
			if info.Status != one.status || !strings.Contains(info.Message, one.message) || info.Ended.IsZero() || info.Recorded {
				t.Errorf("got %+v", info)
			}
		})
	}
}

func TestCancelAndHowManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play = func(ctx context.Context, _ string, _ []string, _ func(sandbox.Record)) sandbox.Exit {
		<-ctx.Done()
		return sandbox.Exit{Code: 1}
	}
	var all []*Try
	for range parallel {
		all = append(all, w.start(Input{Config: "1"}))
	}
	more := Input{Component: "acme.ex", Config: "3", Limits: DefaultLimits()}
	if _, err := w.Start(more); !errors.Is(err, ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	all[0].Cancel()
	<-all[0].Done()
	if first, second := all[0].Info(), all[1].Info(); first.Status != Cancelled || !second.Running() {
		t.Errorf("got %+v and %+v", first, second)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(more); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestOldTriesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	try := func(config string, want int) string {
		t.Helper()
		_, info := w.ended(Input{Config: config})
		w.workers.Wait() // until the try does not count as running
		if files, err := os.ReadDir(w.dir); err != nil || len(files) != want {
			t.Errorf("%s: %d are kept, want %d, %v", config, len(files), want, err)
		}
		return info.ID
	}
	var ids []string
	for i := range keptTries + 2 {
		ids = append(ids, try("same", min(i+1, keptTries)))
	}
	for i, id := range ids {
		if _, ok := w.Get(id); ok != (i >= 2) {
			t.Errorf("try %d: kept %v", i, ok)
		}
	}
	if of := w.Of("acme.ex", "same"); len(of) != keptTries || of[0].info.ID != ids[len(ids)-1] {
		t.Errorf("got %d of a configuration", len(of))
	}
	for i := range mostKept {
		try(fmt.Sprint(i), min(keptTries+i+1, mostKept))
	}
	w.clock.Advance(maxAge + time.Hour)
	try("a day later", 1)
}

func TestLimitsAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, change := range map[string]func(*Limits){
		"no sample":         func(l *Limits) { l.Sample = 0 },
		"a negative number": func(l *Limits) { l.Requests = -1 },
		"too many requests": func(l *Limits) { l.Requests = 1e6 },
		"too long":          func(l *Limits) { l.Time = 2 * time.Hour },
		"too much":          func(l *Limits) { l.Bytes = 1e12 },
	} {
		limits := DefaultLimits()
		change(&limits)
		if _, err := w.Start(Input{Component: "c", Config: "1", Limits: limits}); failure.KindOf(err) != failure.User {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLargeResponsesNeedLittleMemory: what it takes to show the tree of a try and the beginning
// of a response does not grow with the responses.
func TestLargeResponsesNeedLittleMemory(t *testing.T) {
	needed := func(size int) uint64 {
		w := newWorld(t)
		recorded := filepath.Join(t.TempDir(), "recording.har")
		recordPages(t, recorded, 40, strings.Repeat("{\"a\":\"b\"}", size/9))
		w.play = func(_ context.Context, dir string, _ []string, _ func(sandbox.Record)) sandbox.Exit {
			if err := os.Rename(recorded, filepath.Join(dir, "try/recording.har")); err != nil {
				t.Error(err)
			}
			return sandbox.Exit{}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		try, _ := w.ended(Input{Config: "1"})
		index, err := try.Index()
		if err != nil || len(index.Rows) != 40 || index.Rows[1].Reading == nil {
			t.Fatalf("got %+v, %v", index, err)
		}
		x, ok, err := try.Exchange(30)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		defer x.Close()
		if _, err := io.ReadFull(x.Body(), make([]byte, 900)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := needed(1000), needed(256<<10)
	if large > small+small/2+(256<<10) {
		t.Errorf("%d bytes for small answers, %d for large ones", small, large)
	}
}

// TestIndexIsStored: the tree of a try is shown without its recording, which may be large,
// and is the same as that of the recording.
func TestIndexIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play = func(_ context.Context, dir string, _ []string, _ func(sandbox.Record)) sandbox.Exit {
		recordPages(t, filepath.Join(dir, "try/recording.har"), 3, "{}")
		return sandbox.Exit{}
	}
	try, _ := w.ended(Input{Config: "1"})
	recording := filepath.Join(try.dir, recordingName)
	file, err := os.Open(recording)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want, err := newIndex(file)
	if err := errors.Join(err, os.Truncate(recording, 0)); err != nil {
		t.Fatal(err)
	}
	got, err := try.Index()
	if err != nil || !reflect.DeepEqual(got, want) || got.Rows[1].Reading == nil || got.Rows[1].Line == (har.Span{}) {
		t.Errorf("got %+v, want %+v, %v", got, want, err)
	}
}

// recordPages writes a recording of a job whose pages have this body.
func recordPages(t *testing.T, path string, pages int, body string) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) }
	r, err := har.NewRecorder(har.Options{Path: path, Secrets: &secret.Registry{}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for page := range pages {
		at := []int{1, 1, 1, page + 1}
		err := r.Add(har.Exchange{
			Request:  &request.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: "a.test"}, Header: http.Header{}},
			Response: &http.Response{StatusCode: 200, Status: "200 OK"},
			Body:     func() io.Reader { return strings.NewReader(body) }, Size: int64(len(body)),
			Origin: &har.Initiator{Job: "j", Pointer: "/j", At: at, Attempt: 1},
		})
		if err := errors.Join(err, r.Read(har.PageFindings{At: at, Rows: 1})); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
