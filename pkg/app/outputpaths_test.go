//go:build unix

package app

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// crowded is a directory with everything that is not a place for a recording or a
// report.
func crowded(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes.txt": "notes", "state.json": "{}", "empty.har": "", "old.har": "{\n  \"log\": {}}",
		"file/report.html/x": "", "link/target": "", "fifo/x": "", "old/report.json": "{}", "old/report.html": "",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	must(t, os.Symlink("target", filepath.Join(dir, "link", "report.json")))
	must(t, os.Symlink("none", filepath.Join(dir, "dangling")))
	must(t, os.Symlink(os.DevNull, filepath.Join(dir, "device")))
	must(t, os.Symlink("old", filepath.Join(dir, "directory")))
	for _, name := range []string{"pipe", "fifo/report.json"} {
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
	}
	return dir
}

// TestOutputPathsThatAreRefused: DATA is the data directory, DIR one with other things.
func TestOutputPathsThatAreRefused(t *testing.T) {
	tests := []struct{ record, report, want string }{ // want "": the place is good
		{"DATA/config.json", "", "--record would replace 'DATA/config.json', which is not a recording"},
		{"DATA/in/state.json", "", "--record expects a file outside of DATA/in, which belongs to the run"},
		{"DATA/out/tables/run.har", "", "--record expects a file outside of DATA/out/tables"},
		{"DATA/out/state.json", "", "--record expects a file outside of DATA/out/state.json"},
		{"DATA", "", "--record expects a file, 'DATA' is a directory"},
		{"DIR/notes.txt", "", "--record would replace 'DIR/notes.txt', which is not a recording"},
		{"DIR/state.json", "", "which is not a recording"},
		{"DIR/pipe", "", "--record expects a file, 'DIR/pipe' is a FIFO"},
		{"DIR/dangling", "", "'DIR/dangling' is a symbolic link"},
		{"DIR/device", "", "'DIR/device' is a symbolic link"},
		{os.DevNull, "", "'/dev/null' is a device"},
		{"", "DATA", "--report expects a directory of its own, found 'DATA', which is a directory of the run"},
		{"", "DATA/out", "found 'DATA/out', which is a directory of the run"},
		{"", "DATA/in", "--report expects a directory outside of DATA/in, which belongs to the run"},
		{"", "DATA/out/tables/report", "--report expects a directory outside of DATA/out/tables"},
		{"", "DATA/config.json", "--report expects a directory, 'DATA/config.json' is a file and not a directory"},
		{"", "DIR/pipe", "'DIR/pipe' is a FIFO"},
		{"", "DIR/directory", "'DIR/directory' is a symbolic link"},
		{"", "DIR/directory/", "is a symbolic link"},
		{"", os.DevNull, "'/dev/null' is a device"},
		{"", "DIR/file", "--report writes a file 'DIR/file/report.html', which is a directory"},
		{"", "DIR/link", "--report writes a file 'DIR/link/report.json', which is a symbolic link"},
		{"", "DIR/fifo", "--report writes a file 'DIR/fifo/report.json', which is a FIFO"},
		{"DIR/new.har", "", ""},
		{"DIR/empty.har", "", ""},
		{"DIR/old.har", "", ""},
		{"DATA/run.har", "DATA/report", ""},
		{"", "DIR/old", ""},
		{"", "DIR/directory/new", ""},
	}
	for _, tt := range tests {
		dir := crowded(t)
		data := ""
		var before map[string]string
		here := func(text string) string {
			return strings.ReplaceAll(strings.ReplaceAll(text, "DATA", data), "DIR", dir)
		}
		exit, stdout, stderr, _ := trial(t, oneJob, func(o *Options) {
			data = o.DataDir
			o.Record, o.Report = here(tt.record), here(tt.report)
			before = kinds(t, dir)
		})
		if tt.want == "" {
			if strings.Contains(stderr, "--re") {
				t.Errorf("%s %s: %s", tt.record, tt.report, stderr)
			}
			var written []string
			if tt.record != "" {
				written = append(written, here(tt.record))
			}
			if tt.report != "" {
				written = append(written, here(tt.report)+"/report.json", here(tt.report)+"/report.html")
			}
			for _, path := range written {
				info, err := os.Lstat(path)
				must(t, err)
				if info.Mode() != 0o600 {
					t.Errorf("%s has the mode %v", path, info.Mode())
				}
			}
			continue
		}
		if exit != failure.ExitUser || !strings.Contains(stderr, here(tt.want)) || !strings.Contains(stdout, `"event":"run.failed"`) {
			t.Errorf("%s %s: exit code %d, stderr %q", tt.record, tt.report, exit, stderr)
		}
		if after := kinds(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s %s: there was %v, and is %v", tt.record, tt.report, before, after)
		}
	}
}

// kinds are the files below a directory and what they are.
func kinds(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			all[path] = kindOfFile(entry.Type())
		}
		return err
	}))
	return all
}
