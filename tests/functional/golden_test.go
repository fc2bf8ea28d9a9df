package functional

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// readTree reads all files below a directory, see readFS.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	return readFS(t, os.DirFS(dir), ".")
}

// readFS reads all files below a directory, by their paths with slashes.
// Directories count, too, under a path with a slash at the end, unless they are
// empty and belong to the output. A directory that does not exist is empty.
func readFS(t *testing.T, all fs.FS, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	below, err := fs.Sub(all, dir)
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(below, ".", func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == "." {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if !slices.Contains([]string{".", "in", "out", "out/tables"}, path) {
				files[path+"/"] = ""
			}
			return nil
		}
		text, err := fs.ReadFile(below, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compareFiles compares two trees: manifests and the state as JSON, everything
// else byte for byte.
func compareFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		written, ok := got[name]
		switch {
		case !ok:
			t.Errorf("%s is missing, want:\n%s", name, text)
		case written == text || isJSON(name) && equalJSON(t, written, text):
		default:
			t.Errorf("%s:\ngot:\n%s\nwant:\n%s", name, written, text)
		}
	}
	for name, text := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there:\n%s", name, text)
		}
	}
}

func isJSON(name string) bool {
	return strings.HasSuffix(name, ".manifest") || strings.HasSuffix(name, ".json")
}

// equalJSON compares two JSON texts, regardless of the order of their keys.
func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(decodeJSON([]byte(a), &x), decodeJSON([]byte(b), &y)); err != nil {
		t.Errorf("not JSON: %v", err)
		return false
	}
	return reflect.DeepEqual(x, y)
}

// update rewrites the expectations of a case with what its run gave, but leaves
// alone what is fulfilled. A failed run has no tables. Of events only the values
// are rewritten: which events and which of their members a case is about is
// written by hand.
func (c *testCase) update(t *testing.T, dir string, got outcome) {
	t.Helper()
	archive, err := txtar.ParseFile(archiveOf(c.name))
	if err != nil {
		t.Fatal(err)
	}
	const tables = "expected/tables/"
	written, before := readTree(t, dir), map[string]string{}
	at := -1 // the index of the first table
	for i, f := range archive.Files {
		before[f.Name] = string(f.Data)
		if strings.HasPrefix(f.Name, tables) && at < 0 {
			at = i
		}
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, tables) })
	if at < 0 {
		at = len(archive.Files)
		if i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "expected/") }); i >= 0 {
			at = i
		}
	}
	var made []txtar.File
	for _, path := range slices.Sorted(maps.Keys(written)) {
		if name, ok := strings.CutPrefix(path, "out/tables/"); ok && c.leavesTables() && !strings.HasSuffix(name, "/") {
			made = append(made, txtar.File{Name: tables + name, Data: []byte(fulfilled(t, name, before[tables+name], written[path]))})
		}
	}
	archive.Files = slices.Insert(archive.Files, at, made...)
	set := func(name, text string) {
		for i := range archive.Files {
			if archive.Files[i].Name == name {
				archive.Files[i].Data = []byte(text)
			}
		}
	}
	const state = "expected/state.json"
	if old, ok := before[state]; ok {
		set(state, fulfilled(t, state, old, written["out/state.json"]+"\n"))
	}
	if events := got.events(t); c.missing(events) < len(c.events) {
		c.updateEvents(t, events)
		set("expected/events.jsonl", linesOf(c.events))
	}
	// The case of the next run may read this one at the same time.
	temporary := archiveOf(c.name) + ".new"
	writeFile(t, temporary, string(txtar.Format(archive)))
	if err := os.Rename(temporary, archiveOf(c.name)); err != nil {
		t.Fatal(err)
	}
	if *c, err = reread(c); err != nil {
		t.Fatal(err)
	}
}

// reread returns the case as its file is now.
func reread(c *testCase) (testCase, error) {
	again, err := readCase(c.name)
	if err != nil {
		return testCase{}, err
	}
	return *again, nil
}

// fulfilled is the old text where it means the same as the new one.
func fulfilled(t *testing.T, name, old, text string) string {
	t.Helper()
	if old != "" && isJSON(name) && equalJSON(t, old, text) {
		return old
	}
	return text
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
