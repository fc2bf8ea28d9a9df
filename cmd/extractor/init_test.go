package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/gallery"
)

func TestInit(t *testing.T) {
	offset, err := gallery.RecipeConfig("offset")
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, r := range gallery.Recipes() {
		list.WriteString(r.Name + strings.Repeat(" ", 20-len(r.Name)) + r.Summary + "\n")
	}
	dir := t.TempDir()
	written, kept := filepath.Join(dir, "new", "config.json"), filepath.Join(dir, "old.json")
	below := filepath.Join(kept, "new.json")
	if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name           string
		args           []string
		exit           int
		stdout, stderr string
	}{
		{"no flags", nil, 0, list.String(), ""},
		{"the list", []string{"--recipe", "list"}, 0, list.String(), ""},
		{"to stdout", []string{"--recipe", "offset"}, 0, string(offset), ""},
		{"to a file", []string{"--recipe", "offset", "--out", written}, 0, "", "the recipe offset was written to " + written + "\nA run fails if a response shows that data is missing; set \"onIncomplete\" to \"warn\" to get a warning instead.\n"},
		{"to a file that is there", []string{"--recipe", "offset", "--out", kept}, 1, "", kept + " already exists and is not overwritten; choose another file\n"},
		{"to a directory that is there", []string{"--recipe", "offset", "--out", dir}, 1, "", dir + " already exists and is not overwritten; choose another file\n"},
		{"to no directory", []string{"--recipe", "offset", "--out", below}, 1, "", "cannot write the configuration: mkdir " + kept + ": not a directory\n"},
		{"an unknown name", []string{"--recipe", "ofset"}, 1, "", "there is no recipe \"ofset\", did you mean \"offset\"?\n"},
		{"an unknown name, to a file", []string{"--recipe", "ofset", "--out", filepath.Join(dir, "wrong.json")}, 1, "", "there is no recipe \"ofset\", did you mean \"offset\"?\n"},
		{"the list to a file", []string{"--out", filepath.Join(dir, "list.txt")}, 1, "", "--out needs a URL, --curl, --har, --api NAME or --recipe NAME\n"},
		{"an argument", []string{"offset"}, 1, "", "offset is a recipe; use --recipe offset\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd, stdout, stderr := program(nil, append([]string{"init"}, tt.args...)...)
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != tt.exit {
				t.Errorf("exit code %d (%v), want %d", cmd.ProcessState.ExitCode(), err, tt.exit)
			}
			if stdout.String() != tt.stdout || stderr.String() != tt.stderr {
				t.Errorf("stdout:\n%s\nstderr:\n%s\nwant:\n%s\n%s", stdout, stderr, tt.stdout, tt.stderr)
			}
		})
	}
	for path, want := range map[string]string{written: string(offset), kept: "mine"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}
	if info, err := os.Stat(written); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %s", info.Mode())
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("left in the directory: %v, %v", files, err)
	}
}
