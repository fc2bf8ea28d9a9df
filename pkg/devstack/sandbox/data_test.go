//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestComponentSees(t *testing.T) {
	t.Setenv("HOME", "/somewhere")
	t.Setenv("KBC_TOKEN", "the platform's own")
	s := newSandbox(t, LogStdout)
	r := runScript(t, s, "tree\ncat config.json\ncat in/state.json\nwrite out/tables/t.csv\nscratch x\nenv", func(spec *Spec) {
		spec.Env["KBC_RUNID"], spec.Env["KBC_DATADIR"] = "12", "/elsewhere"
	})
	want := []string{
		". drwx------", "config.json -rw-------", "in drwx------", "in/files drwx------", "in/state.json -rw-------",
		"in/tables drwx------", "in/user drwx------", "out drwx------", "out/files drwx------", "out/tables drwx------",
		`{"parameters":{}}`, "{}",
		quick, "KBC_DATADIR=" + r.data.Dir + "/", "KBC_RUNID=12", "PATH=" + os.Getenv("PATH"), script + "=tree",
		"cat config.json", "cat in/state.json", "write out/tables/t.csv", "scratch x", "env",
		"TMPDIR=" + filepath.Join(filepath.Dir(r.data.Dir), "tmp"),
	}
	got := []string{}
	for _, record := range r.records {
		// PWD is set by the start of the process.
		if !strings.HasPrefix(record.Message, "PWD=") {
			got = append(got, record.Message)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
	text, err := os.ReadFile(filepath.Join(r.data.Dir, "out", "tables", "t.csv"))
	if err != nil || string(text) != "written" {
		t.Errorf("the table is %q, %v", text, err)
	}
}

func TestStateIsGiven(t *testing.T) {
	r := runScript(t, newSandbox(t, LogStdout), "cat in/state.json", func(s *Spec) { s.State = []byte(`{"a":1}`) })
	if r.lines() != "info: {\"a\":1}\n" {
		t.Errorf("got %s", r.lines())
	}
}

func TestLoggerIsAnnounced(t *testing.T) {
	r := runScript(t, newSandbox(t, LogGELF), "env")
	if text := r.lines(); !strings.Contains(text, "KBC_LOGGER_ADDR=127.0.0.1\nKBC_LOGGER_PORT=") {
		t.Errorf("got %s", text)
	}
}

func TestRemove(t *testing.T) {
	s := newSandbox(t, LogStdout)
	r := runScript(t, s, "write out/tables/t.csv\nlock out/tables\nlock out")
	for range 2 {
		if err := r.data.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := (Data{}).Remove(); err != nil {
		t.Error(err)
	}
}

func TestRemoveLeftovers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs [1]*")
	if err := RemoveLeftovers(folder); err != nil {
		t.Errorf("without a folder: %v", err)
	}
	locked := filepath.Join(folder, "run-2", "data", "out")
	for _, dir := range []string{filepath.Join(folder, "run-1"), locked, filepath.Join(folder, "other")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(locked, "t.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	if err := RemoveLeftovers(folder); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 || left[0].Name() != "other" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestNewRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no engine", Options{}, "needs an engine"},
		{"unknown logging", Options{Engine: Docker{}, Logging: "udp"}, "stdout, gelf or verbose, found 'udp'"},
		{"a file for a folder", Options{Engine: Docker{}, Dir: file}, "cannot make the folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := NewProcess(file); err == nil {
		t.Error("a file that cannot be run is not a program")
	}
}
