package queue

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
)

const extractor = "acme.ex"

// platform is a queue at work on a store, with a component and a loader of
// tables that the test plays.
type platform struct {
	t      *testing.T
	store  *store.Store
	tables *tables
	// component plays the component; it is called by many goroutines.
	component func(*play) sandbox.Exit
	stop      func() error // ends the queue and returns what Run returned
}

// play is one run of the component.
type play struct {
	ctx  context.Context
	spec sandbox.Spec
	log  func(sandbox.Record)
	dir  string // the data directory
}

func (p *play) say(kind, text string) {
	p.log(sandbox.Record{Time: noon, Type: kind, Message: text})
}

func (p *play) write(t *testing.T, name, text string) {
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// tables remembers what is to be loaded, and loads what the test says.
type tables struct {
	mu       sync.Mutex
	loadings []tableload.Options
	load     func(ctx context.Context, o tableload.Options) ([]store.Table, error)
}

func (l *tables) Load(ctx context.Context, o tableload.Options) ([]store.Table, error) {
	l.mu.Lock()
	l.loadings = append(l.loadings, o)
	l.mu.Unlock()
	if l.load == nil {
		return nil, nil
	}
	return l.load(ctx, o)
}

func (p *platform) Run(ctx context.Context, spec sandbox.Spec, log func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error) {
	play := &play{ctx: ctx, spec: spec, log: log, dir: p.t.TempDir()}
	play.write(p.t, "config.json", string(spec.Config))
	play.write(p.t, "in/state.json", string(spec.State))
	return sandbox.Data{Dir: play.dir}, p.component(play), nil
}

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func at(time.Duration) <-chan time.Time {
	now := make(chan time.Time, 1)
	now <- noon
	return now
}

const exception = "exception-00000000000000000000000000000000"

// newPlatform makes a platform whose queue does not run yet.
func newPlatform(t *testing.T) *platform {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return noon })
	must(t, err)
	p := &platform{t: t, store: s, tables: &tables{}, component: func(*play) sandbox.Exit { return sandbox.Exit{} }}
	t.Cleanup(func() {
		if p.stop != nil {
			p.stop()
		}
		must(t, s.Close())
	})
	return p
}

// start starts the queue; the options may be changed before.
func (p *platform) start(change ...func(*Options)) {
	p.t.Helper()
	o := Options{
		Store: p.store, Runner: p, Load: p.tables.Load, Token: "the-token", URL: "http://platform.test", Image: "ex:1",
		Stack: "platform.test", Now: func() time.Time { return noon }, After: at, ExceptionID: func() string { return exception },
	}
	for _, c := range change {
		c(&o)
	}
	q, err := New(o)
	must(p.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	p.stop = sync.OnceValue(func() error { cancel(); return <-done })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// configure stores a configuration of the extractor.
func (p *platform) configure(id, configuration string, rows ...store.Row) {
	p.t.Helper()
	_, err := p.store.CreateConfiguration(store.Configuration{
		Component: extractor, ID: id, Configuration: json.RawMessage(configuration), Rows: rows,
	})
	must(p.t, err)
}

func (p *platform) create(j store.Job) string {
	p.t.Helper()
	if j.Mode == "" {
		j.Mode = store.Run
	}
	j.Component = extractor
	created, err := p.store.CreateJob(j)
	must(p.t, err)
	return created.ID
}

// inline is a job without a stored configuration.
func inline(configuration string) store.Job {
	return store.Job{ConfigData: json.RawMessage(configuration)}
}

// until waits until a job is as it is wanted.
func (p *platform) until(id string, wanted func(store.Job) bool) store.Job {
	p.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		changed := p.store.Changes()
		j, err := p.store.Job(id)
		must(p.t, err)
		if wanted(j) {
			return j
		}
		select {
		case <-changed:
		case <-deadline:
			p.t.Fatalf("job %s stays %s", id, j.Status)
		}
	}
}

func (p *platform) untilStatus(id string, status store.Status) store.Job {
	p.t.Helper()
	return p.until(id, func(j store.Job) bool { return j.Status == status })
}

// finished waits for the end of a job.
func (p *platform) finished(id string) store.Job {
	p.t.Helper()
	return p.until(id, func(j store.Job) bool { return j.Status.Finished() })
}

// run runs a job to its end.
func (p *platform) run(j store.Job) store.Job {
	p.t.Helper()
	if p.stop == nil {
		p.start()
	}
	return p.finished(p.create(j))
}

func (p *platform) kill(id string) {
	p.t.Helper()
	_, err := p.store.UpdateJob(id, func(j *store.Job) error { j.Kill = true; return nil })
	must(p.t, err)
}

// events are the events of a job as "type: message", the oldest first.
func (p *platform) events(id string) []string {
	p.t.Helper()
	var lines []string
	must(p.t, p.store.EventsOf(id, 0, func(e store.Event) bool {
		lines = append(lines, e.Type+": "+e.Message)
		return true
	}))
	return lines
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func sameLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	same(t, what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
}
