//go:build linux

package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestKilled kills runs, one after another, in one data directory. Occasionally
// a run may end, and must have cleared what the killed ones left; occasionally
// out is emptied, as the platform does before every run.
func TestKilled(t *testing.T) {
	t.Parallel()
	most := int64(20)
	if slowtest.CI() {
		most = 60
	}
	kills, seed := number(t, "MACHINE_KILLS", most), number(t, "MACHINE_SEED", time.Now().UnixNano())
	t.Logf("MACHINE_SEED=%d", seed)
	k := newKiller(t, rand.New(rand.NewPCG(uint64(seed), 0)))
	for i := range kills {
		k.kill()
		k.look()
		if k.random.IntN(4) == 0 {
			k.runToEnd()
		}
		if k.random.IntN(4) == 0 {
			k.empty(k.random.IntN(2) == 0)
		}
		if t.Failed() {
			t.Fatalf("after %d kills, MACHINE_SEED=%d", i+1, seed)
		}
	}
	k.runToEnd()
	t.Logf("%d kills: %v", kills, k.seen)
	if kills < 1000 {
		return
	}
	for _, moment := range []string{before, during, between, after, ended} {
		if k.seen[moment] == 0 {
			t.Errorf("no process was killed %s: %v", moment, k.seen)
		}
	}
}

// The moments at which a process was killed, as shown by what it left.
const (
	before  = "before the commit"
	during  = "when its files were being moved"
	between = "when the state was still among the tables"
	after   = "after the commit"
	ended   = "when it had ended"
)

// number is that of an environment variable.
func number(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// killer is a data directory whose runs are killed.
type killer struct {
	*testing.T
	random *rand.Rand
	api    *api
	data   string
	tables template
	// others are tables of others, in out/tables all the time.
	others map[string]string
	// committed are the files that the next run must leave, besides its own.
	committed map[string]string
	// old are the generations of what there was before the latest run, 0 for none.
	oldTables, oldState int64
	// life is how long a healthy run takes, tail the part of it after its last
	// request.
	life, tail time.Duration
	running    bool // the process when it was killed
	seen       map[string]int
}

func newKiller(t *testing.T, random *rand.Rand) *killer {
	a := newAPI(t, 20, 2000)
	k := &killer{T: t, random: random, api: a, tables: newTemplate(t, a), data: dataDir(t, a.configWithFiles()), seen: map[string]int{}}
	k.empty(false)
	for range 3 {
		began, tail := k.measure()
		k.life, k.tail = k.life+began/3, k.tail+tail/3
	}
	return k
}

// measure is how long a run takes, and the part after its last request.
func (k *killer) measure() (life, tail time.Duration) {
	k.forget()
	cmd := program{}.command(k.Context(), k.data)
	began := time.Now()
	must(k.T, cmd.Start())
	<-k.api.last
	last := time.Now()
	must(k.T, cmd.Wait())
	k.note()
	return time.Since(began), time.Since(last)
}

// forget makes sure that the next value of last is that of the next run.
func (k *killer) forget() {
	select {
	case <-k.api.last:
	default:
	}
}

// note takes what there is as the old generation, and begins a new one.
func (k *killer) note() {
	k.oldTables, k.oldState = k.tablesThere(), k.stateThere()
	k.noteFiles(k.oldTables)
	k.api.generation.Add(1)
}

// empty begins again with nothing in out, or with tables of somebody else.
func (k *killer) empty(others bool) {
	out := filepath.Join(k.data, "out")
	must(k.T, os.RemoveAll(out))
	k.committed = map[string]string{}
	k.others = map[string]string{}
	if others {
		k.others = map[string]string{"other": "\"a\"\n\"1\"\n", "other.manifest": "{}"}
	}
	lay(k.T, filepath.Join(out, "tables"), k.others)
	must(k.T, os.MkdirAll(filepath.Join(out, "tables"), 0o777))
	k.note()
}

// kill starts a run and kills it: at any moment of its life, after its last
// request, or when the commit begins.
func (k *killer) kill() {
	k.forget()
	cmd := program{}.command(k.Context(), k.data)
	must(k.T, cmd.Start())
	over := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(over)
	}()
	switch k.random.IntN(3) {
	case 0:
		k.wait(over, k.upTo(k.life*11/10))
	case 1:
		select {
		case <-k.api.last:
		case <-over:
		}
		k.wait(over, k.upTo(k.tail*12/10))
	default:
		k.waitForCommit(over)
		spin(k.upTo(2 * time.Millisecond))
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		k.Fatal(err)
	}
	<-over
	k.running = !cmd.ProcessState.Exited()
	if cmd.ProcessState.Exited() && cmd.ProcessState.ExitCode() != 0 {
		k.Fatalf("the run failed by itself with exit code %d", cmd.ProcessState.ExitCode())
	}
}

func (k *killer) upTo(d time.Duration) time.Duration { return time.Duration(k.random.Int64N(int64(d))) }

// wait waits for a time, or until the process is over.
func (k *killer) wait(over <-chan struct{}, d time.Duration) {
	select {
	case <-time.After(d):
	case <-over:
	}
}

// spin waits for less time than the system's timers can.
func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// waitForCommit waits until the run has begun its commit, which makes the state
// in the stage, or is over.
func (k *killer) waitForCommit(over <-chan struct{}) {
	out := filepath.Join(k.data, "out")
	select {
	case <-k.api.last:
	case <-over:
		return
	}
	for {
		stages, err := filepath.Glob(filepath.Join(out, ".extractor-*", "tables", pendingState))
		must(k.T, err)
		if len(stages) > 0 {
			return
		}
		select {
		case <-over:
			return
		default:
		}
	}
}

// look checks what the killed run has left.
func (k *killer) look() {
	now := k.api.generation.Load()
	tables, state := k.tablesThere(), k.stateThere()
	switch {
	case tables != now && tables != k.oldTables:
		k.Errorf("the tables are of generation %d, expected %d or %d", tables, k.oldTables, now)
	case state != now && state != k.oldState:
		k.Errorf("the state is of generation %d, expected %d or %d", state, k.oldState, now)
	case (state == now) != (tables == now):
		k.Errorf("tables and state are not of one run: tables of generation %d, state of %d, the last run was of %d", tables, state, now)
	}
	k.lookAtFiles(tables)
	switch {
	case !k.running:
		k.seen[ended]++
	case k.moving():
		k.seen[during]++
	case k.pending():
		k.seen[between]++
	case state == now:
		k.seen[after]++
	default:
		k.seen[before]++
	}
	k.note()
}

// runToEnd lets the next run end: its results are there, and nothing else.
func (k *killer) runToEnd() {
	now := k.api.generation.Load()
	program{}.run(k.T, k.data).mustSucceed(k.T)
	if tables, state := k.tablesThere(), k.stateThere(); tables != now || state != now {
		k.Errorf("after a run of generation %d the tables are of %d, the state is of %d", now, tables, state)
	}
	entries, err := os.ReadDir(filepath.Join(k.data, "out"))
	must(k.T, err)
	for _, entry := range entries {
		if name := entry.Name(); name != "tables" && name != "files" && name != "state.json" {
			k.Errorf("a run that has ended well has left %s", name)
		}
	}
	k.note()
	// Files of killed runs are there if and only if their tables had appeared.
	mustBe(k.T, "out/files", outFiles(k.T, k.data), k.committed)
}

// tablesThere is the generation of the tables, 0 when there are none. They must
// be those of one generation, whole, beside those of others.
func (k *killer) tablesThere() int64 {
	there := tables(k.T, k.data)
	delete(there, pendingState)
	delete(there, pendingFiles)
	want := maps.Clone(k.others)
	generation := int64(0)
	if _, digits, ok := strings.Cut(there["b.last"], `"g`); ok && len(digits) >= 6 {
		var err error
		generation, err = strconv.ParseInt(digits[:6], 10, 64)
		must(k.T, err)
		maps.Copy(want, k.tables.of(generation))
		_, want["b.files"] = filesOf(generation)
		want["b.files.manifest"] = want["b.last.manifest"]
		if manifest, ok := there["b.files.manifest"]; ok {
			want["b.files.manifest"] = manifest
		}
	}
	mustBe(k.T, fmt.Sprintf("tables of generation %d", generation), there, want)
	return generation
}

// pendingState is the name of a state that became visible with its tables, until it
// moves to out/state.json.
const pendingState = ".extractor-state.json"

// pendingFiles is the name of the journal of a commit with files, which moves with the
// tables and is removed after the state has moved.
const pendingFiles = ".extractor-files"

// moving reports whether the commit of files has begun, and the tables have not appeared.
func (k *killer) moving() bool {
	journals, err := filepath.Glob(filepath.Join(k.data, "out", ".extractor-*", "tables", pendingFiles))
	must(k.T, err)
	return len(journals) > 0
}

func (k *killer) pending() bool {
	_, err := os.Lstat(filepath.Join(k.data, "out", "tables", pendingState))
	return err == nil
}

// stateFile is the file with the last state.
func stateFile(data string) string {
	pending := filepath.Join(data, "out", "tables", pendingState)
	if _, err := os.Lstat(pending); err == nil {
		return pending
	}
	return filepath.Join(data, "out", "state.json")
}

// stateThere is the generation of the last state, 0 when there is none. It must be
// whole.
func (k *killer) stateThere() int64 {
	text, err := os.ReadFile(stateFile(k.data))
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	must(k.T, err)
	var state struct {
		TableColumns map[string][]string `json:"tableColumns"`
		Remembered   struct {
			Generation string `json:"generation"`
		} `json:"remembered"`
	}
	if err := json.Unmarshal(text, &state); err != nil {
		k.Errorf("the state is not whole: %v: %q", err, text)
		return -1
	}
	for _, column := range state.TableColumns["b.last"] {
		if digits, ok := strings.CutPrefix(column, "g"); ok {
			generation, err := strconv.ParseInt(digits, 10, 64)
			must(k.T, err)
			if state.Remembered.Generation != digits {
				k.Errorf("out/state.json is of generation %s and remembers that of %s", digits, state.Remembered.Generation)
			}
			return generation
		}
	}
	k.Errorf("the state states no generation: %q", text)
	return -1
}
