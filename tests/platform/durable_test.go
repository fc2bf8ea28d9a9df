package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const clients = 200

// ledger is what the platform acknowledged.
type ledger struct {
	mu      sync.Mutex
	configs map[string]string // id and name
	jobs    map[string]string // id and its configuration
	faults  []string          // answers that no client should get
	full    chan struct{}     // closed when there are as many jobs as were waited for
	enough  int
}

func newLedger(enough int) *ledger {
	return &ledger{configs: map[string]string{}, jobs: map[string]string{}, full: make(chan struct{}), enough: enough}
}

// create is one client: it stores a configuration, then a job of it. It ends
// early when the platform is gone.
func (l *ledger) create(ctx context.Context, s *stack, name string) {
	values := url.Values{"name": {name}, "configuration": {`{"parameters":{}}`}}
	config, ok := l.created(s.send(ctx, http.MethodPost, s.configs(component), form, values.Encode()))
	if !ok {
		return
	}
	l.mu.Lock()
	l.configs[config] = name
	l.mu.Unlock()
	body := fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run"}`, component, config)
	job, ok := l.created(s.send(ctx, http.MethodPost, s.queue+"/jobs", jsonBody, body))
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs[job] = config
	if len(l.jobs) == l.enough {
		close(l.full)
	}
}

// created returns the id of what was created. No response at all is what a client
// gets when the process is killed; any response must be a good one.
func (l *ledger) created(got reply, err error) (id string, ok bool) {
	if err != nil {
		return "", false
	}
	var record struct{ ID string }
	if err := json.Unmarshal(got.body, &record); err != nil || got.status != http.StatusCreated || record.ID == "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.faults = append(l.faults, fmt.Sprintf("%d %s", got.status, got.body))
		return "", false
	}
	return record.ID, true
}

// run starts all clients; the function it returns waits for them.
func (l *ledger) run(t *testing.T, s *stack) (wait func()) {
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { l.create(t.Context(), s, fmt.Sprintf("client %d", i)) })
	}
	return func() {
		all.Wait()
		if len(l.faults) > 0 {
			t.Errorf("%d bad responses: %s", len(l.faults), l.faults[0])
		}
	}
}

// compare wants everything that was acknowledged in the lists; unless more is
// true, nothing else either.
func (l *ledger) compare(t *testing.T, s *stack, more bool) {
	t.Helper()
	var configs []struct{ ID, Name string }
	s.get(t, s.configs(component), &configs)
	var jobs []struct{ ID, Config string }
	s.get(t, s.queue+"/search/jobs?limit=10000", &jobs)
	storedConfigs, storedJobs := map[string]string{}, map[string]string{}
	for _, c := range configs {
		storedConfigs[c.ID] = c.Name
	}
	for _, j := range jobs {
		storedJobs[j.ID] = j.Config
	}
	if len(storedConfigs) != len(configs) || len(storedJobs) != len(jobs) {
		t.Errorf("an id is listed twice")
	}
	for what, lists := range map[string][2]map[string]string{"configurations": {l.configs, storedConfigs}, "jobs": {l.jobs, storedJobs}} {
		for id, text := range lists[0] {
			if lists[1][id] != text {
				t.Errorf("%s: %s was acknowledged as %q and is stored as %q", what, id, text, lists[1][id])
			}
		}
		if !more && len(lists[0]) != len(lists[1]) {
			t.Errorf("%s: %d were acknowledged, %d are stored", what, len(lists[0]), len(lists[1]))
		}
	}
}

// finished waits until no job is left to run, and returns them by status.
func (s *stack) finished(t *testing.T) map[string][]string {
	t.Helper()
	byStatus := map[string][]string{}
	eventually(t, "all jobs have ended", func() bool {
		var jobs []job
		s.get(t, s.queue+"/search/jobs?limit=10000", &jobs)
		clear(byStatus)
		for _, j := range jobs {
			byStatus[j.Status] = append(byStatus[j.Status], j.ID)
		}
		return !slices.ContainsFunc(jobs, func(j job) bool { return !j.IsFinished })
	})
	return byStatus
}

func TestManyClients(t *testing.T) {
	t.Parallel()
	// What is tested is the platform: a component that does nothing will do.
	dir := t.TempDir()
	s := serve(t, dir, "--extractor", "true")
	l := newLedger(clients)
	l.run(t, s)()
	if len(l.configs) != clients || len(l.jobs) != clients {
		t.Errorf("%d configurations and %d jobs were acknowledged", len(l.configs), len(l.jobs))
	}
	l.compare(t, s, false)
	if ended := s.finished(t); len(ended["success"]) != clients {
		t.Errorf("the jobs ended as %v", ended)
	}
	s.signal(syscall.SIGTERM)
	l.compare(t, serve(t, dir, "--extractor", "true"), false)
}

// TestKilledPlatform: SIGKILL in the middle of it all loses nothing that was
// acknowledged; jobs that ran end as errors of the application, others run.
func TestKilledPlatform(t *testing.T) {
	t.Parallel()
	api, came, gone := hanging(t)
	dir := t.TempDir()
	// The jobs of the crowd wait, for the one that hangs takes the only place.
	s := serve(t, dir, "--parallel", "1")
	config := s.store(t, component, oneJob(api.url, "x"), "configurationId", "hangs", "name", "Hangs")
	running, waiting := s.start(t, config, ""), s.start(t, config, "")
	<-came
	s.become(t, running.ID, "processing")
	s.become(t, waiting.ID, "waiting")

	l := newLedger(clients / 3)
	l.configs[config] = "Hangs"
	wait := l.run(t, s)
	<-l.full
	s.signal(syscall.SIGKILL)
	wait()
	<-gone // the component dies with the platform
	l.jobs[running.ID], l.jobs[waiting.ID] = config, config

	again := serve(t, dir, "--extractor", "true")
	l.compare(t, again, true)
	failed(t, again, running.ID, "application", "The platform was stopped while the job was running.")
	ended := again.finished(t)
	if !slices.Equal(ended["error"], []string{running.ID}) {
		t.Errorf("jobs that ended as errors: %v, want only %s", ended["error"], running.ID)
	}
	for id := range l.jobs {
		if id != running.ID && !slices.Contains(ended["success"], id) {
			t.Errorf("job %s did not run after the restart: %v", id, ended)
		}
	}
	if text := again.stderr.String(); strings.TrimSpace(text) != "" {
		t.Errorf("after the restart: %s", text)
	}
}
