package datadir

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// downloads are the files of the run of these tests.
var downloads = map[string]string{
	"report.pdf": "new report", "report.pdf.manifest": "new report manifest",
	"a": "new a", "a.manifest": "new a manifest",
}

func stagedFiles(t *testing.T, d *Dir) *Stage {
	t.Helper()
	s := staged(t, d)
	for name, text := range downloads {
		must(t, os.WriteFile(filepath.Join(s.Files(), name), []byte(text), 0o644))
	}
	return s
}

// fileScenarios are data directories before a run with files. crossing makes out/files
// another file system.
var fileScenarios = []scenario{
	{name: "nothing in the data directory"},
	{name: "empty files directory", before: map[string]string{"out/files/": "", "out/tables/": ""}},
	{name: "files and tables of earlier runs", before: map[string]string{
		"out/files/a": "old a", "out/files/a.manifest": "old a manifest", "out/files/other": "other",
		"out/tables/users": "old users", "out/tables/users.manifest": "old manifest", "out/state.json": "old"}},
	{name: "another file system", crossing: true, before: map[string]string{
		"out/files/a": "old a", "out/files/a.manifest": "old a manifest", "out/files/other": "other", "out/state.json": "old"}},
	{name: "tables one after another", noExchange: true, before: map[string]string{
		"out/files/a": "old a", "out/files/other": "other", "out/tables/users": "old users", "out/state.json": "old"}},
}

func (sc scenario) renameForFiles(d *Dir) func(from, to string) error {
	inFiles := func(path string) bool { return strings.HasPrefix(path, d.Files()+"/") }
	return func(from, to string) error {
		if sc.crossing && inFiles(from) != inFiles(to) {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
		}
		return rename(from, to)
	}
}

// filesOf returns what is in out/files.
func filesOf(t *testing.T, d *Dir) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, os.MkdirAll(d.out(), 0o755))
	for name, text := range tree(t, d.out()) {
		if file, ok := strings.CutPrefix(name, "files/"); ok && file != "" {
			found[file] = text
		}
	}
	return found
}

// killed is the panic of a process that is killed.
type killed struct{}

// killAt makes the call with a number the last one of the process: the call takes place
// if done is set, otherwise not.
func killAt(d *Dir, sc scenario, n int, done bool) {
	calls := 0
	watch := func(do func(from, to string) error) func(from, to string) error {
		return func(from, to string) error {
			if calls++; calls == n && !done {
				panic(killed{})
			}
			err := do(from, to)
			if calls == n {
				panic(killed{})
			}
			return err
		}
	}
	d.rename, d.exchange, d.link = watch(sc.renameForFiles(d)), watch(sc.exchangeFor()), watch(os.Link)
}

// survives calls f and reports whether the process was not killed.
func survives(f func()) (alive bool) {
	defer func() {
		switch r := recover().(type) {
		case nil, killed:
		default:
			panic(r)
		}
	}()
	f()
	return true
}

// TestKilledWithFiles: a run may be killed at any moment of its commit, and so may the
// next run that repairs it. Afterwards all files of the run are there or none, and they
// are there if and only if its tables are.
func TestKilledWithFiles(t *testing.T) {
	for _, sc := range fileScenarios {
		t.Run(sc.name, func(t *testing.T) {
			tried, undone := 0, 0
			for n := 1; ; n++ {
				ended := false
				for _, done := range []bool{false, true} {
					d := open(t, lay(t, sc.before))
					before := filesOf(t, d)
					s := stagedFiles(t, d)
					killAt(d, sc, n, done)
					if ended = survives(func() { must(t, s.Commit(newState)) }); ended {
						break
					}
					must(t, s.lock.Close())
					for repair := 1; !survives(func() { killAt(d, sc, repair, done); must(t, d.restoreFiles()) }); repair++ {
					}
					d.rename = sc.renameForFiles(d)
					next, err := d.Stage()
					must(t, err)
					must(t, next.Discard())
					tried++
					after := tree(t, d.out())
					want := maps.Clone(before)
					newTables, newState := after["tables/users.csv"] == results["users.csv"], after["state.json"] == newStateText
					// Where tables appear one after another, a kill can leave them without their state.
					if newState || newTables && sc.noExchange && filesOf(t, d)["a"] == downloads["a"] {
						maps.Copy(want, downloads)
					} else {
						undone++
					}
					if newState != newTables && !sc.noExchange {
						t.Errorf("new tables: %v, new state: %v", newTables, newState)
					}
					sameTree(t, "out/files", filesOf(t, d), want)
					for name := range after {
						if strings.Contains(name, stagePrefix) {
							t.Errorf("%s is left", name)
						}
					}
				}
				if ended {
					break
				}
			}
			if undone < 4 || tried == undone {
				t.Errorf("of %d kills %d were undone", tried, undone)
			}
		})
	}
}

func TestCommitFiles(t *testing.T) {
	for _, sc := range fileScenarios {
		t.Run(sc.name, func(t *testing.T) {
			d := open(t, lay(t, sc.before))
			want := filesOf(t, d)
			maps.Copy(want, downloads)
			s := stagedFiles(t, d)
			d.rename, d.exchange = sc.renameForFiles(d), sc.exchangeFor()
			must(t, s.Commit(value.Value{})) // also without a state
			sameTree(t, "out/files", filesOf(t, d), want)
			for name := range tree(t, d.out()) {
				if strings.Contains(name, stagePrefix) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// TestCommitFilesFails: if anything cannot be moved, everything is as before.
func TestCommitFilesFails(t *testing.T) {
	for _, sc := range fileScenarios {
		t.Run(sc.name, func(t *testing.T) {
			for failAt := 1; ; failAt++ {
				d := open(t, lay(t, sc.before))
				must(t, os.MkdirAll(d.out(), 0o755))
				before := tree(t, d.out())
				s := stagedFiles(t, d)
				calls := 0
				d.exchange = sc.exchangeFor()
				d.rename = func(from, to string) error {
					if calls++; calls == failAt {
						return syscall.EIO
					}
					return sc.renameForFiles(d)(from, to)
				}
				err := s.Commit(newState)
				if calls < failAt {
					must(t, err)
					return
				}
				if err == nil {
					continue // the tables were moved in another way
				}
				must(t, s.Discard())
				sameTree(t, "out", tree(t, d.out()), before)
			}
		})
	}
}

func TestCommitFilesInTheWay(t *testing.T) {
	for want, before := range map[string]map[string]string{
		"a is a directory": {"out/files/a/part": "x"},
		"files":            {"out/files": "a file"},
	} {
		d := open(t, lay(t, before))
		there := tree(t, d.out())
		s, err := d.Stage()
		if err == nil {
			for name, text := range downloads {
				must(t, os.WriteFile(filepath.Join(s.Files(), name), []byte(text), 0o644))
			}
			err = s.Commit(newState)
			must(t, s.Discard())
		}
		isApplicationError(t, err, want)
		sameTree(t, "out", tree(t, d.out()), there)
	}
}

// TestRestoreForgedJournal: a journal with names that lead out of the directory removes
// nothing there.
func TestRestoreForgedJournal(t *testing.T) {
	d := open(t, lay(t, map[string]string{
		"out/.extractor-old/tables/" + filesJournal: "+../state.json\n+good\n", "out/state.json": "old", "out/files/good": "good",
	}))
	s, err := d.Stage()
	must(t, err)
	must(t, s.Discard())
	sameTree(t, "out", tree(t, d.out()), map[string]string{"state.json": "old", "files/good": "good"})
}
