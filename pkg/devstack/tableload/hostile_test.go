//go:build unix

package tableload

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// TestLoadOfNoFiles: what a component leaves instead of files is refused, and
// neither read nor waited for. It may have run in a container, whose links mean
// something else on this machine.
func TestLoadOfNoFiles(t *testing.T) {
	for _, row := range []struct {
		name string
		// leave makes something below the data directory; outside is a directory
		// with the file t of another person.
		leave func(t *testing.T, dir, outside string)
		want  string
	}{
		{"a link to a file of this machine", link("out/tables/t", "t"), `"out/tables/t" is neither a file nor a directory`},
		{"a link to a directory of this machine", link("out/tables/d", "."), `"out/tables/d" is neither a file nor a directory`},
		{"a link as a slice", link("out/tables/d/t", "t"), `"out/tables/d/t" is neither a file nor a directory`},
		{"a link as a manifest", link("out/tables/t.manifest", "t"), `"out/tables/t.manifest" is neither a file nor a directory`},
		{"a link in the place of the tables", link("out/tables", "."), `cannot list out/tables: `},
		{"a link above the tables", link("out", "."), `cannot list out/tables: `},
		{"a link inside", func(t *testing.T, dir, _ string) { symlink(t, "../../in", filepath.Join(dir, "out/tables/t")) }, `"out/tables/t" is neither`},
		{"a pipe", pipe("out/tables/t"), `"out/tables/t" is neither a file nor a directory`},
		{"a pipe as a slice", pipe("out/tables/d/t"), `"out/tables/d/t" is neither a file nor a directory`},
		{"a pipe as a manifest", pipe("out/tables/t.manifest"), `"out/tables/t.manifest" is neither a file nor a directory`},
		{"a pipe in the place of the tables", pipe("out/tables"), `out/tables must be a directory`},
		{"a file in the place of the tables", file0("out/tables", 0), `out/tables must be a directory`},
		{"a directory as a manifest", func(t *testing.T, dir, _ string) {
			file0("out/tables/t", 0)(t, dir, "")
			must(t, os.Mkdir(filepath.Join(dir, "out/tables/t.manifest"), 0o700))
		}, `manifest "out/tables/t.manifest" is a directory`},
		{"a huge manifest", func(t *testing.T, dir, _ string) {
			file0("out/tables/t", 0)(t, dir, "")
			file0("out/tables/t.manifest", maxManifest+1)(t, dir, "")
		}, `manifest "out/tables/t.manifest" has 16777217 bytes, at most 16777216 are allowed`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b, outside := newBench(t), t.TempDir()
			must(t, os.WriteFile(filepath.Join(outside, "t"), []byte("secret\n1\n"), 0o600))
			row.leave(t, b.Dir, outside)
			loaded, err := Load(context.Background(), b.Options)
			if err == nil || !strings.Contains(err.Error(), row.want) || failure.KindOf(err) != failure.User || len(loaded) != 0 {
				t.Errorf("got  %v (%s), %v\nwant %s", err, failure.KindOf(err), loaded, row.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(at), 0o700))
	must(t, os.Symlink(to, at))
}

// link makes a link to something outside.
func link(at, to string) func(t *testing.T, dir, outside string) {
	return func(t *testing.T, dir, outside string) {
		symlink(t, filepath.Join(outside, to), filepath.Join(dir, at))
	}
}

func pipe(at string) func(t *testing.T, dir, outside string) {
	return func(t *testing.T, dir, _ string) {
		path := filepath.Join(dir, at)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, syscall.Mkfifo(path, 0o600))
	}
}

// file0 makes a file of zeros, which takes no room on the disk.
func file0(at string, size int64) func(t *testing.T, dir, outside string) {
	return func(t *testing.T, dir, _ string) {
		path := filepath.Join(dir, at)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Truncate(path, size))
	}
}

// FuzzLoad: no matter what a component leaves under any name, loading it is done
// or refused; nothing is written but into the store, and the API and the page
// can show what was loaded.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"t", "t.csv", "in.c-b.t", "in.c-b..", "..x", "a\\b", "a:b", "\xff", "-", " ", "š", strings.Repeat("x", 200), "sys.c-b.t", "a.b.c.d"} {
		f.Add(name, "a,b\n1,2\n", `{}`, "")
	}
	for _, manifest := range []string{
		``, `{`, `[]`, `null`, `{"columns":["a","b"]}`, `{"columns":["../x","\u0000"]}`, `{"columns":["a","a"]}`, `{"destination":"in.c-../../x.y"}`, `{"destination":"../../etc/passwd"}`,
		`{"destination":"in.c-b.t","primary_key":["a"],"incremental":true}`, `{"delimiter":"\u0000","enclosure":""}`, `{"delimiter":"\ud800"}`, `{"columns":["` + strings.Repeat("x", 300) + `"]}`,
		`{"schema":[{"name":"a","data_type":{"base":{"type":"INTEGER"}},"primary_key":true},{"name":"b","data_type":{"base":{"type":"DATE"}}}]}`, strings.Repeat("[", 20000),
		`{"column_metadata":{"":[]}}`, `{"metadata":[{"key":"a","value":1e999}]}`, `{"has_header":true,"columns":["a","b"]}`,
	} {
		for _, types := range []string{"", Hints, Authoritative} {
			f.Add("t.csv", "1,2\n\n\"", manifest, types)
			f.Add("t.csv", "1,2026-01-01\n", manifest, types)
		}
	}
	opened, err := store.Open(filepath.Join(f.TempDir(), "store"), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := opened.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, name, text, manifest, types string) {
		if types != "" && types != Hints && types != Authoritative {
			return
		}
		root := t.TempDir()
		dir := filepath.Join(root, "data")
		tables := filepath.Join(dir, "out", "tables")
		must(t, os.MkdirAll(tables, 0o700))
		if strings.ContainsAny(name, "/\x00") || len(name) > 200 || name == "" || name == "." || name == ".." {
			return // no file can have this name
		}
		must(t, os.WriteFile(filepath.Join(tables, name), []byte(text), 0o600))
		must(t, os.WriteFile(filepath.Join(tables, name+csvtable.ManifestSuffix), []byte(manifest), 0o600))
		before := listing(t, root)
		loaded, err := Load(t.Context(), Options{
			Store: opened, Dir: dir, Component: "acme.ex", Config: "1", DataTypes: cmp.Or(types, NoTypes), Table: func(string) {}, Warn: func(string) {},
		})
		if err != nil && failure.KindOf(err) != failure.User {
			t.Fatalf("not a user error: %v", err)
		}
		if after := listing(t, root); after != before {
			t.Fatalf("there is now\n%s\nbefore there was\n%s", after, before)
		}
		for _, table := range loaded {
			read := 0
			must(t, opened.Rows(table.ID, func(cells []string) bool {
				if len(cells) != len(table.Columns) {
					t.Errorf("table %q: %d cells, %d columns", table.ID, len(cells), len(table.Columns))
				}
				read++
				return true
			}))
			if read != table.Rows {
				t.Fatalf("table %q: %d rows, reported %d", table.ID, read, table.Rows)
			}
			if _, err := json.Marshal(table); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// listing is every name below a directory.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return strings.Join(names, "\n")
}
