package functional

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readTree reads all files below a directory, by their paths with slashes.
// Directories count, too, under a path with a slash at the end, unless they are
// empty and belong to the output. A directory that does not exist is empty.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
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
		text, err := os.ReadFile(filepath.Join(dir, path))
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
	expected := filepath.Join(c.path, "expected")
	tables := filepath.Join(expected, "tables")
	before := readTree(t, expected)
	if err := os.RemoveAll(tables); err != nil {
		t.Fatal(err)
	}
	files := readTree(t, dir)
	for name, text := range files {
		if name, ok := strings.CutPrefix(name, "out/tables/"); ok && c.leavesTables() {
			writeFile(t, filepath.Join(tables, name), fulfilled(t, name, before["tables/"+name], text))
		}
	}
	if old, ok := before["state.json"]; ok {
		// The case of the next run may read it at this moment.
		path := filepath.Join(expected, "state.json")
		writeFile(t, path+".new", fulfilled(t, "state.json", old, files["out/state.json"]+"\n"))
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	if events := got.events(t); c.missing(events) < len(c.events) {
		c.updateEvents(t, events)
		writeFile(t, filepath.Join(expected, "events.jsonl"), linesOf(c.events))
	}
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
