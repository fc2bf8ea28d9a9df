//go:build linux

package machine

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivileged is the user id of a program without rights. Root may write everywhere,
// so it lets somebody else run the program.
const unprivileged = 65534

func ordinaryUser() uint32 {
	if os.Geteuid() == 0 {
		return unprivileged
	}
	return 0
}

// TestDenied: what may not be read or written, is missing, or is something else.
func TestDenied(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 20, 50)
	want := newTemplate(t, a)
	elsewhere := t.TempDir()
	must(t, os.Chmod(elsewhere, 0o555))
	must(t, os.Chmod(filepath.Dir(elsewhere), 0o755))
	const denied, letUser = "permission denied", "; let user id"
	cached := strings.Replace(a.config(), `"parameters": {`, `"parameters": {"cache": {"ttl": 60}, `, 1)
	tests := []struct {
		name string
		// before is what there is besides a configuration.
		before map[string]string
		config string // when it is another one
		// modes of files and directories.
		modes map[string]fs.FileMode
		args  []string // DATA stands for the data directory
		env   []string
		exit  int
		says  []string
	}{
		{name: "all is well", before: map[string]string{"out/tables/": ""}},
		{name: "no out"},
		{name: "no out/tables", before: map[string]string{"out/": ""}},
		{name: "no out, and none can be made", modes: map[string]fs.FileMode{".": 0o555}, exit: 2, says: []string{"DATA/out", denied, letUser}},
		{name: "out may not be written", before: map[string]string{"out/tables/": ""}, modes: map[string]fs.FileMode{"out": 0o555}, exit: 2,
			says: []string{"DATA/out", denied, letUser}},
		{name: "out/tables may not be written", before: earlierIn("out/"), modes: map[string]fs.FileMode{"out/tables": 0o555}, exit: 2,
			says: []string{"DATA/out/tables", denied, letUser}},
		{name: "out/tables may not be written and is empty", before: map[string]string{"out/tables/": ""}, modes: map[string]fs.FileMode{"out/tables": 0o555}, exit: 2,
			says: []string{"DATA/out/tables", denied, letUser}},
		{name: "out/tables may not be read", before: earlierIn("out/"), modes: map[string]fs.FileMode{"out/tables": 0o333}, exit: 2,
			says: []string{"DATA/out/tables", denied, letUser}},
		{name: "old tables may not be written", before: earlierIn("out/"), modes: map[string]fs.FileMode{"out/tables/b.users": 0o444, "out/tables/other": 0o400, "out/state.json": 0o400}},
		{name: "out is a file", before: map[string]string{"out": "x"}, exit: 2, says: []string{"DATA/out", "not a directory", "remove the file"}},
		{name: "out/tables is a file", before: map[string]string{"out/tables": "x"}, exit: 2, says: []string{"DATA/out/tables", "not a directory"}},
		{name: "out/state.json is a directory", before: map[string]string{"out/tables/": "", "out/state.json/": ""}, exit: 2,
			says: []string{"DATA/out/state.json", "is a directory", "remove the directory"}},
		{name: "a table's name is that of a directory", before: map[string]string{"out/tables/b.users/slice": "1"}, exit: 2,
			says: []string{"DATA/out/tables/b.users", "is a directory"}},
		{name: "leftovers of another user", before: map[string]string{"out/.extractor-X/tables/b.users": "half"},
			modes: map[string]fs.FileMode{"out/.extractor-X/tables": 0o555}, exit: 2, says: []string{"DATA/out/.extractor-X", denied, letUser}},
		{name: "in/state.json may not be read", before: map[string]string{"in/state.json": "{}"}, modes: map[string]fs.FileMode{"in/state.json": 0o200}, exit: 2,
			says: []string{"DATA/in/state.json", denied, letUser}},
		{name: "in/state.json is a directory", before: map[string]string{"in/state.json/": ""}, exit: 2, says: []string{"DATA/in/state.json", "is a directory"}},
		{name: "in may not be entered", modes: map[string]fs.FileMode{"in": 0o600}, exit: 2, says: []string{"DATA/in/state.json", denied, letUser}},
		{name: "config.json may not be read", modes: map[string]fs.FileMode{"config.json": 0o200}, exit: 2, says: []string{"DATA/config.json", denied, letUser}},
		{name: "the data directory may not be entered", modes: map[string]fs.FileMode{".": 0o600}, exit: 2, says: []string{"DATA/config.json", denied, letUser}},
		{name: "no data directory", args: []string{"--data", "DATA/none"}, exit: 2, says: []string{"DATA/none", "no such file or directory"}},
		{name: "the data directory is a file", args: []string{"--data", "DATA/config.json"}, exit: 2, says: []string{"DATA/config.json is not a directory"}},
		{name: "no directory for temporary files", env: []string{"TMPDIR=/none", "HOME=/none"}},
		{name: "a directory for temporary files that may not be written", env: []string{"TMPDIR=" + elsewhere}},
		{name: "the cache may not be written", config: cached, before: map[string]string{"cache/": ""}, modes: map[string]fs.FileMode{"cache": 0o555}, exit: 2,
			says: []string{"DATA/cache", denied, letUser}},
		{name: "the cache cannot be made", config: cached, before: map[string]string{"out/tables/": ""}, modes: map[string]fs.FileMode{".": 0o555}, exit: 2,
			says: []string{"DATA/cache", denied, letUser}},
		{name: "the cache is a file", config: cached, before: map[string]string{"cache": ""}, exit: 2, says: []string{"DATA/cache", "not a directory"}},
		{name: "the recording may not be written", args: []string{"--record", elsewhere + "/run.har"}, exit: 1, says: []string{elsewhere + "/run.har", denied}},
		{name: "no directory for the recording", args: []string{"--record", elsewhere + "/none/run.har"}, exit: 1, says: []string{elsewhere + "/none/run.har", "no such file"}},
		{name: "the recording is a directory", before: map[string]string{"run.har/": ""}, args: []string{"--record", "DATA/run.har"}, exit: 1,
			says: []string{"DATA/run.har", "is a directory"}},
		{name: "the report may not be written", args: []string{"--report", elsewhere + "/report"}, exit: 1, says: []string{elsewhere + "/report", denied}},
		{name: "the report is a file", args: []string{"--report", "DATA/config.json"}, exit: 1, says: []string{"DATA/config.json", "not a directory"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.config == "" {
				tt.config = a.config()
			}
			data := dataDir(t, tt.config)
			lay(t, data, tt.before)
			give(t, data)
			before := files(t, data)
			for name, mode := range tt.modes {
				must(t, os.Chmod(filepath.Join(data, name), mode))
			}
			here := func(texts []string) (all []string) {
				for _, text := range texts {
					all = append(all, strings.ReplaceAll(text, "DATA", data))
				}
				return all
			}
			r := program{args: here(tt.args), env: tt.env, uid: ordinaryUser()}.run(t, data)
			for name := range tt.modes {
				must(t, os.Chmod(filepath.Join(data, name), 0o755))
			}
			if tt.exit != 0 {
				r.mustFail(t, tt.exit, here(tt.says)...)
				// An output directory without anything in it is harmless.
				after := files(t, data)
				if _, ok := before["out/"]; !ok {
					delete(after, "out/")
				}
				mustBe(t, "the data directory", after, before)
				return
			}
			r.mustSucceed(t)
			all := want.of(firstGeneration)
			for name, text := range before {
				if table, ok := strings.CutPrefix(name, "out/tables/"); ok && table != "" && all[table] == "" {
					all[table] = text
				}
			}
			mustBe(t, "out/tables", tables(t, data), all)
		})
	}
}

// earlierIn is what an earlier run has left, below a directory.
func earlierIn(dir string) map[string]string {
	all := map[string]string{}
	for name, text := range earlier {
		all[dir+name] = text
	}
	return all
}

// give gives a directory and all that is in it to the user who runs the program.
func give(t *testing.T, dir string) {
	t.Helper()
	if ordinaryUser() == 0 {
		return
	}
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, unprivileged, unprivileged)
	}))
}

// TestActionWithoutTemporaryFiles: an image with only the program has no
// /tmp. A large response is in the data directory then.
func TestActionWithoutTemporaryFiles(t *testing.T) {
	t.Parallel()
	a := newAPI(t, largeRows, largeText)
	config := strings.Replace(a.config(), `{"parameters"`, `{"action": "testRequest", "parameters"`, 1)
	config = strings.Replace(config, `{"endpoint": "users"`, `{"endpoint": "rows", "dataType": "first"}, {"endpoint": "users"`, 1)
	data := dataDir(t, config)
	before := files(t, data)
	r := program{env: []string{"TMPDIR=/none"}}.run(t, data)
	r.mustSucceed(t)
	if !strings.Contains(r.stdout, `"rows":1200`) {
		t.Errorf("the response is %.300s", r.stdout)
	}
	mustBe(t, "the data directory", files(t, data), before)
}

// TestReadOnlyDisk: a data directory that is mounted so that no one can write.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 20, 50)
	for name, before := range map[string]map[string]string{
		"out":    maps.Clone(earlierIn("out/")),
		"no out": {},
	} {
		t.Run(name, func(t *testing.T) {
			data := disk(t, 0, 0)
			lay(t, data, before)
			lay(t, data, map[string]string{"config.json": a.config()})
			there := files(t, data)
			must(t, syscall.Mount("tmpfs", data, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
			program{}.run(t, data).mustFail(t, 2, filepath.Join(data, "out"), "read-only file system", "mount the data directory")
			mustBe(t, "the data directory", files(t, data), there)
		})
	}
}

// TestEventsCannotBeWritten: events that cannot be written end the run before its
// results are there.
func TestEventsCannotBeWritten(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 20, 50)
	data := dataDir(t, a.config())
	lay(t, filepath.Join(data, "out"), earlier)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	defer full.Close() // nothing can be written to it
	var stderr strings.Builder
	cmd := program{}.command(t.Context(), data)
	cmd.Stdout, cmd.Stderr = full, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	result{exit: cmd.ProcessState.ExitCode(), stderr: stderr.String()}.mustFail(t, 2, "cannot write the events", "/dev/stdout", "no space left on device", "make room there")
	leavesAllAsItWas(t, data)
}
