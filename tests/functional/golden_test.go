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
			if !slices.Contains([]string{".", "in", "out", "out/tables", "out/files"}, path) {
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

// contentsOf are the contents of a file of a case: as in a body, the last line feed is not
// part of them.
func contentsOf(name, text string) string {
	if isJSON("out/files/" + name) {
		return text
	}
	return strings.TrimSuffix(text, "\n")
}

func isJSON(name string) bool {
	if strings.HasPrefix(name, "out/files/") { // its contents are compared byte for byte
		return strings.HasSuffix(name, ".manifest")
	}
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
	const tables, files, state, events = "expected/tables/", "expected/files/", "expected/state.json", "expected/events.jsonl"
	before := readFS(t, c.files, ".")
	after := maps.Clone(before)
	maps.DeleteFunc(after, func(name, _ string) bool {
		return strings.HasPrefix(name, tables) || strings.HasPrefix(name, files) || strings.HasSuffix(name, "/")
	})
	written := readTree(t, dir)
	for path, text := range written {
		if name, ok := strings.CutPrefix(path, "out/tables/"); ok && c.leavesTables() && !strings.HasSuffix(name, "/") {
			after[tables+name] = fulfilled(t, name, before[tables+name], text)
		}
		if name, ok := strings.CutPrefix(path, "out/files/"); ok && c.leavesTables() && !strings.HasSuffix(name, "/") {
			after[files+name] = fulfilled(t, path, before[files+name], text)
			if !strings.HasSuffix(name, ".manifest") && text != "" {
				after[files+name] += "\n"
			}
		}
	}
	if old, ok := before[state]; ok {
		after[state] = fulfilled(t, state, old, written["out/state.json"]+"\n")
	}
	if all := got.events(t); c.missing(all) < len(c.events) {
		c.updateEvents(t, all)
		after[events] = linesOf(c.events)
	}
	if c.dir == "" {
		c.files = updateArchive(t, archiveOf(c.name), after)
		return
	}
	if err := os.RemoveAll(filepath.Join(c.dir, tables)); err != nil {
		t.Fatal(err)
	}
	for name, text := range after {
		if text != before[name] || strings.HasPrefix(name, tables) {
			writeFile(t, filepath.Join(c.dir, name), text)
		}
	}
}

// updateArchive writes the files of a case in their order. New ones come before the other
// expectations.
func updateArchive(t *testing.T, path string, files map[string]string) fs.FS {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { _, ok := files[f.Name]; return !ok })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := txtar.File{Name: name, Data: []byte(files[name])}
		if i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name }); i >= 0 {
			archive.Files[i] = f
			continue
		}
		at := slices.IndexFunc(archive.Files, func(f txtar.File) bool {
			return strings.HasPrefix(f.Name, "expected/") && (f.Name > name || !strings.HasPrefix(f.Name, "expected/tables/"))
		})
		if at < 0 {
			at = len(archive.Files)
		}
		archive.Files = slices.Insert(archive.Files, at, f)
	}
	// The case of the next run may read this one at the same time.
	writeFile(t, path+".new", string(txtar.Format(archive)))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	updated, err := filesOfArchive(archive)
	if err != nil {
		t.Fatal(err)
	}
	return updated
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
