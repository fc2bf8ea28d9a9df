package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// results are what the run of these tests writes.
var results = map[string]string{
	"users":              "new users",
	"users.manifest":     "new users manifest",
	"users.csv":          "new users.csv",
	"users.csv.manifest": "new users.csv manifest",
}

func staged(t *testing.T, d *Dir) *Stage {
	t.Helper()
	s, err := d.Stage()
	must(t, err)
	for name, text := range results {
		must(t, os.WriteFile(filepath.Join(s.Tables(), name), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(s.Temp(), "spool"), []byte("page"), 0o600))
	return s
}

// scenario is a data directory before a run and after it.
type scenario struct {
	name   string
	before map[string]string
	// after is what is in out besides the results and the state.
	after map[string]string
	// crossing makes out/tables another file system.
	crossing bool
	// piecemeal is where the tables cannot come all at once.
	piecemeal bool
	// noExchange is a file system that cannot swap two directories.
	noExchange bool
	// noLinks is a file system where a file has one name only.
	noLinks bool
}

var scenarios = []scenario{
	{name: "nothing in the data directory"},
	{name: "no tables directory", before: map[string]string{"out/files/": "", "out/state.json": "old"},
		after: map[string]string{"files/": ""}},
	{name: "empty tables directory", before: map[string]string{"out/tables/": "", "out/files/": ""},
		after: map[string]string{"files/": ""}},
	{name: "tables of earlier runs", before: map[string]string{
		"out/tables/users": "old users", "out/tables/users.manifest": "old manifest", "out/tables/other": "other",
		"out/tables/other.manifest": "other manifest", "out/state.json": "old"},
		after: map[string]string{"tables/other": "other", "tables/other.manifest": "other manifest"}},
	{name: "tables of earlier runs, no exchange", noExchange: true, piecemeal: true, before: map[string]string{
		"out/tables/users": "old users", "out/tables/users.manifest": "old manifest", "out/tables/other": "other", "out/state.json": "old"},
		after: map[string]string{"tables/other": "other"}},
	{name: "tables of earlier runs, no hard links", noLinks: true, piecemeal: true, before: map[string]string{
		"out/tables/users": "old users", "out/tables/users.manifest": "old manifest", "out/tables/other": "other", "out/state.json": "old"},
		after: map[string]string{"tables/other": "other"}},
	{name: "tables of earlier runs, one of them a directory", piecemeal: true, before: map[string]string{
		"out/tables/users": "old users", "out/tables/users.manifest": "old manifest", "out/tables/slices/1": "slice"},
		after: map[string]string{"tables/slices/1": "slice"}},
	{name: "empty mount point", crossing: true, piecemeal: true, before: map[string]string{"out/tables/": ""}},
	{name: "mount point with tables", crossing: true, piecemeal: true, before: map[string]string{
		"out/tables/users.csv": "old users.csv", "out/tables/users.csv.manifest": "old", "out/tables/other": "other"},
		after: map[string]string{"tables/other": "other"}},
}

// renameFor is rename(2) as the scenario's file systems do it.
func (sc scenario) renameFor(d *Dir) func(from, to string) error {
	inTables := func(path string) bool { return strings.HasPrefix(path, d.Tables()+"/") }
	return func(from, to string) error {
		switch {
		case sc.crossing && to == d.Tables():
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EBUSY}
		case sc.crossing && inTables(from) != inTables(to):
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
		default:
			return rename(from, to)
		}
	}
}

// exchangeFor is exchange as the scenario's file systems do it.
func (sc scenario) exchangeFor() func(a, b string) error {
	return func(a, b string) error {
		if sc.crossing || sc.noExchange {
			return &os.LinkError{Op: "exchange", Old: a, New: b, Err: syscall.EINVAL}
		}
		return exchange(a, b)
	}
}

// linkFor is link(2) as the scenario's file systems do it.
func (sc scenario) linkFor() func(from, to string) error {
	return func(from, to string) error {
		if sc.noLinks {
			return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
		}
		return os.Link(from, to)
	}
}

// final is all of out after a successful run.
func (sc scenario) final() map[string]string {
	want := map[string]string{"state.json": newStateText}
	for name, text := range results {
		want["tables/"+name] = text
	}
	maps.Copy(want, sc.after)
	return want
}

func sameTree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s is\n%q, want\n%q", what, got, want)
	}
}

// withoutStage leaves out the run's own directory.
func withoutStage(files map[string]string) map[string]string {
	rest := map[string]string{}
	for name, text := range files {
		if !strings.HasPrefix(name, stagePrefix) {
			rest[name] = text
		}
	}
	return rest
}

func TestCommit(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			root := lay(t, sc.before)
			d := open(t, root)
			d.rename, d.exchange, d.link = sc.renameFor(d), sc.exchangeFor(), sc.linkFor()
			s := staged(t, d)
			must(t, s.Commit(newState))
			sameTree(t, "out", tree(t, d.out()), sc.final())
			must(t, s.Discard())
			sameTree(t, "out after Discard", tree(t, d.out()), sc.final())
		})
	}
}

func TestCommitTwice(t *testing.T) {
	root := lay(t, nil)
	for range 2 {
		d := open(t, root)
		s := staged(t, d)
		must(t, s.Commit(newState))
		sameTree(t, "out", tree(t, d.out()), scenario{}.final())
	}
}

func TestCommitWithoutTables(t *testing.T) {
	d := open(t, lay(t, nil))
	s, err := d.Stage()
	must(t, err)
	must(t, s.Commit(newState))
	sameTree(t, "out", tree(t, d.out()), map[string]string{"state.json": newStateText, "tables/": ""})
}

func TestDiscard(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			d := open(t, lay(t, sc.before))
			must(t, os.MkdirAll(d.out(), 0o755))
			before := tree(t, d.out())
			s := staged(t, d)
			for range 2 {
				must(t, s.Discard())
				sameTree(t, "out", tree(t, d.out()), before)
			}
			isApplicationError(t, s.Commit(newState))
			sameTree(t, "out after a late Commit", tree(t, d.out()), before)
		})
	}
}

// No matter what rename fails, everything is as before, and the same commit can still
// succeed.
func TestCommitFailsAtEveryStep(t *testing.T) {
	broken := errors.New("broken")
	for _, sc := range scenarios {
		steps := 0
		for failAt := 1; ; failAt++ {
			d := open(t, lay(t, sc.before))
			must(t, os.MkdirAll(d.out(), 0o755))
			before := tree(t, d.out())
			s := staged(t, d)
			all := tree(t, s.path)
			calls := 0
			failing := func(do func(from, to string) error) func(from, to string) error {
				return func(from, to string) error {
					if calls++; calls == failAt {
						return &os.LinkError{Op: "rename", Old: from, New: to, Err: broken}
					}
					return do(from, to)
				}
			}
			d.rename, d.exchange, d.link = failing(sc.renameFor(d)), failing(sc.exchangeFor()), failing(sc.linkFor())
			err := s.Commit(newState)
			if calls < failAt {
				must(t, err)
				break
			}
			steps++
			if err == nil { // the directory could not be replaced and was filled
				sameTree(t, fmt.Sprintf("%s, step %d: out", sc.name, failAt), tree(t, d.out()), sc.final())
				continue
			}
			isApplicationError(t, err, "broken", d.out())
			sameTree(t, fmt.Sprintf("%s, step %d: out", sc.name, failAt), withoutStage(tree(t, d.out())), before)
			sameTree(t, fmt.Sprintf("%s, step %d: the stage", sc.name, failAt), tree(t, s.path), all)
			d.rename, d.exchange, d.link = sc.renameFor(d), sc.exchangeFor(), sc.linkFor()
			must(t, s.Commit(newState))
			sameTree(t, fmt.Sprintf("%s, step %d: out at the end", sc.name, failAt), tree(t, d.out()), sc.final())
		}
		if steps < 2 {
			t.Errorf("%s: only %d steps were tried", sc.name, steps)
		}
	}
}

// A run may be killed at any moment. There is never a table without its
// manifest, nor half a file; all tables are old or all are new, but where that
// is impossible; and the new state comes only beside all new tables.
func TestCommitMomentByMoment(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			d := open(t, lay(t, sc.before))
			s := staged(t, d)
			moments := 0
			watched := func(do func(from, to string) error) func(from, to string) error {
				return func(from, to string) error {
					err := do(from, to)
					moments++
					checkMoment(t, sc, tree(t, d.out()))
					return err
				}
			}
			d.rename, d.exchange, d.link = watched(sc.renameFor(d)), watched(sc.exchangeFor()), watched(sc.linkFor())
			must(t, s.Commit(newState))
			if moments < 2 || sc.piecemeal && moments < len(results) {
				t.Errorf("only %d moments were looked at", moments)
			}
		})
	}
}

func checkMoment(t *testing.T, sc scenario, files map[string]string) {
	t.Helper()
	fresh, old := 0, 0
	for name, text := range files {
		table, isTable := strings.CutPrefix(name, "tables/")
		if !isTable || strings.HasPrefix(table, stagePrefix) || strings.HasSuffix(name, "/") {
			continue
		}
		before, wasThere := sc.before["out/"+name]
		switch {
		case text == results[table]:
			fresh++
		case !wasThere || text != before:
			t.Errorf("%s holds %q", name, text)
		case results[table] != "":
			old++
		}
		manifest, isNew := results[table+".manifest"]
		switch {
		case !isNew:
		case text == results[table] && files[name+".manifest"] != manifest:
			t.Errorf("%s came before its manifest", name)
		case text == before && files[name+".manifest"] != sc.before["out/"+name+".manifest"]:
			t.Errorf("%s is still there without its manifest", name)
		}
	}
	if !sc.piecemeal && fresh > 0 && (old > 0 || fresh < len(results)) {
		t.Errorf("%d files are new, %d old: %q", fresh, old, files)
	}
	pending := files["tables/"+pendingState]
	if !sc.piecemeal && fresh == len(results) && files["state.json"] != newStateText && pending != newStateText {
		t.Errorf("the tables are new, the state is not: %q", files)
	}
	if (files["state.json"] == newStateText || pending != "") && fresh < len(results) {
		t.Errorf("the new state is there with %d of %d files", fresh, len(results))
	}
}

// TestKilledBeforeTheState: a run was killed when its tables were there and its state was
// still among them. That is the last state, and the next run puts it in its place.
func TestKilledBeforeTheState(t *testing.T) {
	for _, before := range []map[string]string{nil, {"out/tables/other": "other", "out/state.json": `{"old":1}`}} {
		d := open(t, lay(t, before))
		s := staged(t, d)
		must(t, writeSynced(filepath.Join(s.Tables(), pendingState), []byte(newStateText)))
		must(t, s.moveTables(&commitSteps{fsCalls: d.fsCalls}))
		must(t, s.lock.Close()) // the process is gone
		state, path, err := d.LastState()
		if err != nil || !state.Equal(newState) || path != filepath.Join(d.Tables(), pendingState) {
			t.Errorf("the last state is %s of %s, %v", state.JSON(), path, err)
		}
		next, err := d.Stage()
		must(t, err)
		must(t, next.Discard())
		state, path, err = d.LastState()
		if err != nil || !state.Equal(newState) || path != filepath.Join(d.out(), "state.json") {
			t.Errorf("the last state is %s of %s, %v", state.JSON(), path, err)
		}
		for name := range tree(t, d.out()) {
			if strings.Contains(name, stagePrefix) {
				t.Errorf("%s is left", name)
			}
		}
	}
}

func TestCommitCannotUndo(t *testing.T) {
	for _, sc := range []scenario{{name: "all at once"}, {name: "one after another", noExchange: true}} {
		t.Run(sc.name, func(t *testing.T) {
			d := open(t, lay(t, map[string]string{"out/tables/other": "other"}))
			s := staged(t, d)
			broken := errors.New("broken")
			moved := false
			once := func(do func(from, to string) error) func(from, to string) error {
				return func(from, to string) error {
					if moved {
						return broken
					}
					err := do(from, to)
					moved = err == nil
					return err
				}
			}
			d.rename, d.exchange = once(rename), once(sc.exchangeFor())
			isApplicationError(t, s.Commit(newState), "broken", "cannot put back what was there")
		})
	}
}

func TestCommitInTheWay(t *testing.T) {
	tests := []struct {
		name   string
		before map[string]string
		want   string
	}{
		{"a directory where a table goes", map[string]string{"out/tables/users.csv/part": "x", "out/tables/users": "old"},
			"users.csv is a directory"},
		{"a directory where the state goes", map[string]string{"out/tables/users": "old", "out/state.json/x": ""}, "state.json"},
		{"a directory where the state goes, no tables", map[string]string{"out/tables/": "", "out/state.json/x": ""}, "state.json"},
		{"a file where the tables go", map[string]string{"out/tables": "file"}, "tables"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, lay(t, tt.before))
			before := tree(t, d.out())
			s, err := d.Stage()
			if err != nil {
				isApplicationError(t, err, tt.want)
				sameTree(t, "out", tree(t, d.out()), before)
				return
			}
			must(t, os.WriteFile(filepath.Join(s.Tables(), "users"), []byte("new"), 0o644))
			must(t, os.WriteFile(filepath.Join(s.Tables(), "users.csv"), []byte("new"), 0o644))
			isApplicationError(t, s.Commit(newState), tt.want)
			must(t, s.Discard())
			sameTree(t, "out", tree(t, d.out()), before)
		})
	}
}

func TestCommitThroughSymbolicLink(t *testing.T) {
	for name, before := range map[string]map[string]string{
		"empty": {}, "with tables": {"users": "old users", "other": "other"},
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere := lay(t, before)
			d := open(t, lay(t, map[string]string{"out/": ""}))
			must(t, os.Symlink(elsewhere, d.Tables()))
			must(t, staged(t, d).Commit(newState))
			want := maps.Clone(before)
			maps.Copy(want, results)
			sameTree(t, "the target of the link", tree(t, elsewhere), want)
			if target, err := os.Readlink(d.Tables()); err != nil || target != elsewhere {
				t.Errorf("the link leads to %q, %v", target, err)
			}
		})
	}
}

func TestStageRemovesStale(t *testing.T) {
	d := open(t, lay(t, map[string]string{
		"out/.extractor-old/tables/users": "half", "out/.extractor-file": "", "out/tables/.extractor-part": "half",
		"out/tables/users": "old", "out/.extractors": "not ours",
	}))
	s, err := d.Stage()
	must(t, err)
	sameTree(t, "out", withoutStage(tree(t, d.out())), map[string]string{"tables/users": "old", ".extractors": "not ours"})
	if filepath.Dir(s.path) != d.out() || filepath.Dir(s.Tables()) != s.path || filepath.Dir(s.Temp()) != s.path {
		t.Errorf("stage %s, tables %s, temp %s", s.path, s.Tables(), s.Temp())
	}
}

func TestStageFails(t *testing.T) {
	d := open(t, lay(t, map[string]string{"out": "a file"}))
	_, err := d.Stage()
	isApplicationError(t, err, d.out())
}

func TestModes(t *testing.T) {
	for name, before := range map[string]string{"empty": "out/tables/", "not empty": "out/tables/other"} {
		t.Run(name, func(t *testing.T) { testModes(t, map[string]string{before: "", "compare/": ""}) })
	}
}

func testModes(t *testing.T, before map[string]string) {
	t.Helper()
	d := open(t, lay(t, before))
	must(t, os.Remove(filepath.Join(d.path, "compare")))
	must(t, os.Mkdir(filepath.Join(d.path, "compare"), 0o777)) // what the umask makes of it
	usual := modeOf(t, filepath.Join(d.path, "compare"))
	must(t, os.Chmod(d.Tables(), 0o2771))
	kept := modeOf(t, d.Tables())
	s := staged(t, d)
	for _, path := range []string{s.path, s.Tables(), s.Temp()} {
		if got := modeOf(t, path); got != usual {
			t.Errorf("mode of %s = %v, want %v", path, got, usual)
		}
	}
	// A failed commit keeps it too.
	d.rename = func(from, to string) error {
		if strings.HasSuffix(to, "state.json") {
			return errors.New("broken")
		}
		return rename(from, to)
	}
	isApplicationError(t, s.Commit(newState), "broken")
	if got := modeOf(t, d.Tables()); got != kept {
		t.Errorf("mode of out/tables after a failed commit = %v, want %v", got, kept)
	}
	if got := modeOf(t, s.Tables()); got != usual {
		t.Errorf("mode of the stage after a failed commit = %v, want %v", got, usual)
	}
	d.rename = rename
	must(t, s.Commit(newState))
	if got := modeOf(t, d.Tables()); got != kept {
		t.Errorf("mode of out/tables = %v, want %v", got, kept)
	}
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Mode()
}

// readOnly takes the right to write from a directory until the test ends.
func readOnly(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	must(t, os.Chmod(path, 0o555))
	t.Cleanup(func() { must(t, os.Chmod(path, 0o755)) })
}

func TestReadOnlyOut(t *testing.T) {
	d := open(t, lay(t, map[string]string{"out/tables/": ""}))
	readOnly(t, d.out())
	_, err := d.Stage()
	isApplicationError(t, err, d.out())
}

func TestReadOnlyTables(t *testing.T) {
	for name, before := range map[string]map[string]string{
		"empty":     {"out/tables/": ""},
		"not empty": {"out/tables/users": "old", "out/tables/other": "other"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, lay(t, before))
			tables := tree(t, d.out())
			readOnly(t, d.Tables())
			s := staged(t, d)
			isApplicationError(t, s.Commit(newState), d.Tables())
			must(t, s.Discard())
			sameTree(t, "out", tree(t, d.out()), tables)
		})
	}
}

// TestCommitWithoutState: the tables appear, the state stays what it was.
func TestCommitWithoutState(t *testing.T) {
	for _, before := range []string{"", "old"} {
		path := t.TempDir()
		state := filepath.Join(path, "out", "state.json")
		must(t, os.MkdirAll(filepath.Dir(state), 0o777))
		if before != "" {
			must(t, os.WriteFile(state, []byte(before), 0o644))
		}
		d, err := Open(path)
		must(t, err)
		must(t, staged(t, d).Commit(value.Value{}))
		if text, err := os.ReadFile(state); string(text) != before || before == "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the state was %q and is %q (%v)", before, text, err)
		}
		if text, err := os.ReadFile(filepath.Join(path, "out", "tables", "users")); string(text) != results["users"] {
			t.Errorf("the table is %q, %v", text, err)
		}
	}
}
