package fileload

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "store"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// lay makes a data directory with these files in out/files.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, filesDir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filesDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func parsed(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestLoad: files have the tags of their manifest or their mapping, and the platform's
// own; any contents arrive byte for byte.
func TestLoad(t *testing.T) {
	s := open(t)
	contents := "<script>alert(1)</script>\x00\xff"
	dir := lay(t, map[string]string{
		"a.html": contents, "a.html.manifest": `{"is_permanent":true,"tags":["x","runId: 7","x",5]}`,
		"b": "", "c": "c", "c.manifest": `{"tags":["not this"]}`, "d": "d", "d.manifest": `[]`, ".hidden": "no", "dir/x": "no",
	})
	var warnings []string
	o := Options{Store: s, Dir: dir, Component: "ex", Config: "c", Row: "r", Branch: "1", Job: "7",
		Storage: parsed(t, `{"output":{"files":[{"source":"c","tags":["mapped"],"is_permanent":true}]}}`),
		Warn:    func(text string) { warnings = append(warnings, text) }}
	stored, err := Load(t.Context(), o)
	if err != nil || stored != 4 || len(warnings) != 1 || !strings.Contains(warnings[0], `"dir"`) {
		t.Fatalf("%d stored, warnings %q, %v", stored, warnings, err)
	}
	system := []string{"componentId: ex", "configurationId: c", "configurationRowId: r", "branchId: 1", "runId: 7"}
	want := map[string]store.File{
		"a.html": {Permanent: true, Tags: []string{"x", "runId: 7", "5", "componentId: ex", "configurationId: c", "configurationRowId: r", "branchId: 1"}},
		"b":      {Tags: system}, "c": {Permanent: true, Tags: append([]string{"mapped"}, system...)}, "d": {Tags: system},
	}
	texts := map[string]string{"a.html": contents, "b": "", "c": "c", "d": "d"}
	var found []store.File
	if err := s.Files(func(f store.File) bool {
		found = append(found, f)
		return true
	}); err != nil || len(found) != len(want) {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, f := range found {
		_, file, err := s.OpenFile(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if closing := file.Close(); err != nil || closing != nil || string(text) != texts[f.Name] {
			t.Errorf("%s holds %q, %v", f.Name, text, err)
		}
		if w := want[f.Name]; f.Permanent != w.Permanent || !slices.Equal(f.Tags, w.Tags) || f.Kind != Kind || f.RunID != "7" {
			t.Errorf("%s: %+v, want %+v", f.Name, f, w)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		files      map[string]string
		storage    string
	}{
		{"a manifest alone", `Found orphaned file manifest: "a.manifest"`, map[string]string{"a.manifest": "{}"}, "{}"},
		{"a manifest with other text", "Failed to parse manifest", map[string]string{"a": "", "a.manifest": "{"}, "{}"},
		{"a manifest that is a list", "expected an object", map[string]string{"a": "", "a.manifest": "[1]"}, "{}"},
		{"an unknown key", `unknown key "tag"`, map[string]string{"a": "", "a.manifest": `{"tag":[]}`}, "{}"},
		{"tags in a text", `"tags" must be a list`, map[string]string{"a": "", "a.manifest": `{"tags":"x"}`}, "{}"},
		{"a tag that is an object", `"tags" must be a list of texts`, map[string]string{"a": "", "a.manifest": `{"tags":[{}]}`}, "{}"},
		{"a flag that is a text", `"is_permanent" must be`, map[string]string{"a": "", "a.manifest": `{"is_permanent":"1"}`}, "{}"},
		{"a huge manifest", "at most", map[string]string{"a": "", "a.manifest": strings.Repeat(" ", maxManifest+1)}, "{}"},
		{"a mapping of a missing file", `File "x" not found.`, map[string]string{"a": ""}, `{"output":{"files":[{"source":"x"}]}}`},
		{"a mapping without a source", "storage.output.files.0.source", nil, `{"output":{"files":[{}]}}`},
		{"a mapping with an unknown key", "storage.output.files.0", nil, `{"output":{"files":[{"source":"a","x":1}]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			_, err := Load(t.Context(), Options{Store: s, Dir: lay(t, tt.files), Storage: parsed(t, tt.storage)})
			if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if err := s.Files(func(f store.File) bool { t.Errorf("%s was stored", f.Name); return true }); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLoadRefusesLinks(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	inFiles := lay(t, nil)
	dirLink := t.TempDir()
	for _, link := range [][2]string{{secret, filepath.Join(inFiles, filesDir, "a")}, {filepath.Dir(secret), filepath.Join(dirLink, "out")}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{inFiles, dirLink} {
		s := open(t)
		n, err := Load(t.Context(), Options{Store: s, Dir: dir})
		if n != 0 || err == nil || failure.KindOf(err) != failure.User {
			t.Errorf("%d stored, %v", n, err)
		}
	}
}

func TestLoadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := Load(ctx, Options{Store: open(t), Dir: lay(t, map[string]string{"a": "a"})}); n != 0 || err == nil {
		t.Errorf("%d stored, %v", n, err)
	}
}
