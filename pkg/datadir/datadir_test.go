package datadir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// lay makes files with these contents below a new directory; a name that ends
// with a slash is a directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// tree is the reverse of lay: what is below a directory. Only empty directories
// are listed.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		delete(files, filepath.Dir(name)+"/")
		if entry.IsDir() {
			files[name+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	}))
	return files
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, root string) *Dir {
	t.Helper()
	d, err := Open(root)
	must(t, err)
	return d
}

func isApplicationError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil || failure.KindOf(err) != failure.Application {
		t.Fatalf("error = %v, want an application error", err)
	}
	if _, ok := err.(*failure.Error); !ok {
		t.Errorf("error is a %T, want a *failure.Error", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error = %q, want it to name %q", err, part)
		}
	}
}

func TestOpen(t *testing.T) {
	root := lay(t, map[string]string{"file": ""})
	for _, tt := range []struct {
		name, path string
		wants      []string
	}{
		{"missing", root + "/none", []string{root + "/none"}},
		{"a file", root + "/file", []string{root + "/file", "not a directory"}},
		{"empty", "", []string{"empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.path)
			isApplicationError(t, err, tt.wants...)
		})
	}
	if d := open(t, root+"//"); d.path != root {
		t.Errorf("path = %q, want it cleaned: %q", d.path, root)
	}
	if got := tree(t, root); len(got) != 1 {
		t.Errorf("Open made something: %v", got)
	}
}

func TestConfig(t *testing.T) {
	root := lay(t, map[string]string{"config.json": "not even JSON"})
	text, err := open(t, root).Config()
	if err != nil || string(text) != "not even JSON" {
		t.Errorf("Config = %q, %v", text, err)
	}
	for name, files := range map[string]map[string]string{"missing": {}, "a directory": {"config.json/": ""}} {
		t.Run(name, func(t *testing.T) {
			root := lay(t, files)
			_, err := open(t, root).Config()
			isApplicationError(t, err, root+"/config.json")
		})
	}
}

func TestState(t *testing.T) {
	tests := []struct {
		name    string
		files   map[string]string
		want    string
		warning string
	}{
		{"object", map[string]string{"in/state.json": ` {"b":1.50,"a":"\u00e9"} `}, `{"b":1.50,"a":"é"}`, ""},
		{"empty object", map[string]string{"in/state.json": "{}"}, "{}", ""},
		{"empty list", map[string]string{"in/state.json": "[]\n"}, "{}", ""},
		{"missing", map[string]string{"in/": ""}, "null", ""},
		{"no in", nil, "null", ""},
		{"empty file", map[string]string{"in/state.json": ""}, "null",
			"$ is not valid JSON (line 1, column 1: unexpected end of the text), starting without a state"},
		{"broken", map[string]string{"in/state.json": "{\n\"a\":"}, "null",
			"$ is not valid JSON (line 2, column 5: unexpected end of the text), starting without a state"},
		{"list", map[string]string{"in/state.json": "[1]"}, "null", "$ holds no object but: array, starting without a state"},
		{"scalar", map[string]string{"in/state.json": `"secret"`}, "null", "$ holds no object but: string, starting without a state"},
		{"null", map[string]string{"in/state.json": "null"}, "null", "$ holds no object but: null, starting without a state"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := lay(t, tt.files)
			state, warning, err := open(t, root).State()
			must(t, err)
			if got := state.JSON(); got != tt.want {
				t.Errorf("state = %s, want %s", got, tt.want)
			}
			if want := strings.Replace(tt.warning, "$", root+"/in/state.json", 1); warning != want {
				t.Errorf("warning = %q, want %q", warning, want)
			}
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		root := lay(t, map[string]string{"in/state.json/": ""})
		state, warning, err := open(t, root).State()
		isApplicationError(t, err, root+"/in/state.json")
		if !state.IsNull() || warning != "" {
			t.Errorf("State = %s, %q beside an error", state.JSON(), warning)
		}
	})
}

var newState = value.OfMembers(value.Member{Name: "é/", Value: value.OfInt(1)})

// newStateText is newState as the original spells it.
const newStateText = `{"\u00e9\/":1}`

func TestLastState(t *testing.T) {
	for _, tt := range []struct{ name, text, want, fails string }{
		{name: "an object", text: `{"a":1}`, want: `{"a":1}`},
		{name: "an empty list", text: `[]`, want: `{}`},
		{name: "no file", want: `null`},
		{name: "cut off", text: `{"a":`, fails: "is not valid JSON (line 1, column 6: "},
		{name: "no object", text: `[1]`, fails: "holds no object but: array"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"out/": "", "in/state.json": `{"b":2}`}
			if tt.text != "" {
				files["out/state.json"] = tt.text
			}
			d := open(t, lay(t, files))
			state, path, err := d.LastState()
			if path != filepath.Join(d.path, "out", "state.json") {
				t.Errorf("path = %s", path)
			}
			if tt.fails != "" {
				if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), path+" "+tt.fails) {
					t.Errorf("error = %v, want a user error with %q", err, tt.fails)
				}
				return
			}
			must(t, err)
			if got := state.JSON(); got != tt.want {
				t.Errorf("state = %s, want %s", got, tt.want)
			}
		})
	}
	d := open(t, lay(t, map[string]string{"out/state.json/": ""}))
	_, _, err := d.LastState()
	isApplicationError(t, err, "out/state.json")
}
