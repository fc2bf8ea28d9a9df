//go:build linux

package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// earlier is what a run of long ago has left.
var earlier = map[string]string{
	"tables/":                 "",
	"tables/b.users":          "\"old\"\n\"1\"\n",
	"tables/b.users.manifest": "{}",
	"tables/other":            "\"a\"\n",
	"tables/other.manifest":   "{}",
	"state.json":              `{"old":true}`,
}

// faults collects what the messages of failed runs say, without paths and names.
type faults map[string]bool

var particular = regexp.MustCompile(`"[^"]*"|\S*/\S*|;.*`)

func (f faults) add(r result) { f[strings.TrimSpace(particular.ReplaceAllString(r.stderr, ""))] = true }

// mustHave checks that the runs failed at all these steps.
func (f faults) mustHave(t *testing.T, steps ...string) {
	t.Helper()
	for _, step := range steps {
		found := false
		for text := range f {
			found = found || strings.Contains(text, step)
		}
		if !found {
			t.Errorf("no run failed at %q, only at %q", step, slices.Sorted(maps.Keys(f)))
		}
	}
}

// leavesAllAsItWas checks what a run on a bad disk has left. Its recording is
// complete or not there.
func leavesAllAsItWas(t *testing.T, data string) {
	t.Helper()
	mustBe(t, "out", files(t, filepath.Join(data, "out")), earlier)
	entries, err := os.ReadDir(data)
	must(t, err)
	for _, entry := range entries {
		if !strings.Contains(entry.Name(), ".har") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(data, entry.Name()))
		must(t, err)
		if strings.HasPrefix(entry.Name(), ".") || !json.Valid(text) {
			t.Errorf("the run has left %s of %d bytes", entry.Name(), len(text))
		}
	}
}

// succeeded checks what a run has left that could end.
func succeeded(t *testing.T, data string, want template) {
	t.Helper()
	all := want.of(firstGeneration)
	for _, name := range []string{"other", "other.manifest"} {
		all[name] = earlier["tables/"+name]
	}
	mustBe(t, "out/tables", tables(t, data), all)
	if state, err := os.ReadFile(filepath.Join(data, "out", "state.json")); err != nil || !strings.Contains(string(state), `"tableColumns"`) {
		t.Errorf("out/state.json is %q, %v", state, err)
	}
}

// The large response does not stay in memory, and neither does what is kept of it
// for later.
const (
	largeRows = 1200
	largeText = 4000
)

// TestFilesTooLarge: a limit for the size of files strikes at each write in
// turn. Everybody can set one.
func TestFilesTooLarge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		rows, text int
		steps      []string
	}{
		{"small tables", 20, 50, []string{"writing table"}},
		{"a large response", largeRows, largeText, []string{"cannot store a response"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAPI(t, tt.rows, tt.text)
			want, seen := newTemplate(t, a), faults{}
			data := dataDir(t, a.config())
			for limit := 1; ; limit *= 64 {
				lay(t, filepath.Join(data, "out"), earlier)
				r := program{limit: strconv.Itoa(limit)}.run(t, data)
				if r.exit == 0 {
					break
				}
				r.mustFail(t, 2, "file too large", filepath.Join(data, "out"), "ulimit -f")
				leavesAllAsItWas(t, data)
				seen.add(r)
				if t.Failed() || limit > 1<<30 {
					t.Fatalf("with a limit of %d bytes", limit)
				}
			}
			succeeded(t, data, want)
			seen.mustHave(t, tt.steps...)
		})
	}
}

// disk is a file system of its own with so many blocks of 4 KiB, or so many
// files and directories; 0 is no limit.
func disk(t *testing.T, blocks, inodes int) string {
	t.Helper()
	return mount(t, t.TempDir(), blocks, inodes)
}

// mount mounts such a disk on a directory.
func mount(t *testing.T, dir string, blocks, inodes int) string {
	t.Helper()
	options := fmt.Sprintf("mode=0755,size=%d,nr_inodes=%d", blocks*4096, inodes)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("SKIPPED: a disk of one's own needs the right to mount: %v", err)
	}
	// A process that starts at this moment, of another test or of a container, may
	// still have the mount in a namespace of its own: then it goes when that ends.
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestDiskFull: there is room for one block or for one file more each time,
// until the run succeeds.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		rows, text int
		args       []string
		limit      func(step int) (blocks, inodes int)
		steps      []string
	}{
		{"blocks, one by one", 20, 50, nil, func(step int) (int, int) { return 2 + step, 0 },
			[]string{"writing table", "writing the manifest", "cannot write the results"}},
		{"blocks, some at a time", largeRows, largeText, nil, func(step int) (int, int) { return 320 * (1 + step), 0 },
			[]string{"cannot store a response: write", "keeping the items of a response: write", "keeping rows for later: write"}},
		{"files, one by one", 20, 50, nil, func(step int) (int, int) { return 0, 12 + step },
			[]string{"cannot make a directory", "creating table", "writing the manifest"}},
		{"files, some more", largeRows, largeText, nil, func(step int) (int, int) { return 0, 15 + step },
			[]string{"cannot store a response: open", "keeping the items of a response: cannot make a temporary file", "keeping rows for later: open"}},
		{"a recording", 20, 10_000, []string{"--record", "run.har"}, func(step int) (int, int) { return 16 << step, 0 },
			[]string{"record"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAPI(t, tt.rows, tt.text)
			want, seen := newTemplate(t, a), faults{}
			for step := 0; ; step++ {
				blocks, inodes := tt.limit(step)
				if !onFullDisk(t, a, disk(t, blocks, inodes), tt.args, want, seen) {
					break
				}
				if t.Failed() || step > 100 {
					t.Fatalf("with %d blocks, %d files", blocks, inodes)
				}
			}
			seen.mustHave(t, tt.steps...)
		})
	}
}

// TestDiskOfTablesFull: out/tables is a disk of its own, which is full before all
// tables are copied there.
func TestDiskOfTablesFull(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 20, 5000)
	want, seen := newTemplate(t, a), faults{}
	for step := 0; ; step++ {
		data := dataDir(t, a.config())
		lay(t, data, map[string]string{"out/tables/": ""})
		mount(t, filepath.Join(data, "out", "tables"), 5+4*step, 0)
		lay(t, filepath.Join(data, "out"), earlier)
		r := program{}.run(t, data)
		if r.exit == 0 {
			succeeded(t, data, want)
			break
		}
		r.mustFail(t, 2, "no space left on device", filepath.Join(data, "out", "tables"), "make room there")
		leavesAllAsItWas(t, data)
		seen.add(r)
		if t.Failed() || step > 100 {
			t.Fatalf("with %d blocks", 5+4*step)
		}
	}
	seen.mustHave(t, "cannot write the results")
}

// onFullDisk runs once and checks what is left. It reports whether the disk was
// too small.
func onFullDisk(t *testing.T, a *api, data string, args []string, want template, seen faults) bool {
	t.Helper()
	if !prepared(t, data, a.config()) {
		return true
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.HasSuffix(arg, ".har") {
			args[i] = filepath.Join(data, arg)
		}
	}
	r := program{args: args}.run(t, data)
	if r.exit == 0 {
		succeeded(t, data, want)
		return false
	}
	r.mustFail(t, 2, "no space left on device", data, "make room there")
	leavesAllAsItWas(t, data)
	seen.add(r)
	return true
}

// prepared lays out the data directory; it reports whether there was room for it.
func prepared(t *testing.T, data, config string) bool {
	t.Helper()
	for name, text := range map[string]string{"config.json": config, "in/": "", "out/": "", "out/tables/": ""} {
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(filepath.Join(data, name), 0o755)
		} else {
			err = os.WriteFile(filepath.Join(data, name), []byte(text), 0o644)
		}
		if err != nil {
			return false
		}
	}
	for name, text := range earlier {
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(filepath.Join(data, "out", name), []byte(text), 0o644); err != nil {
			return false
		}
	}
	return true
}

// TestNoRoomForReport: the results are there already, but not all that was requested.
func TestNoRoomForReport(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 20, 50)
	want, data, reports := newTemplate(t, a), dataDir(t, a.config()), disk(t, 1, 0)
	lay(t, filepath.Join(data, "out"), earlier)
	r := program{args: []string{"--report", reports}}.run(t, data)
	r.mustFail(t, 2, "cannot write the report", reports, "no space left on device", "make room there")
	succeeded(t, data, want)
	mustBe(t, "the report", files(t, reports), nil)
}
