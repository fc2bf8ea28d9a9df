package mapping

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// noise is text that cannot be compressed much.
func noise(r *rand.Rand, size int) string {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte('!' + r.IntN(90))
	}
	return string(b)
}

func TestSpool(t *testing.T) {
	rows := []struct {
		name   string
		rows   int
		inFile bool
	}{
		{"empty", 0, false}, {"one row", 1, false}, {"in memory", 100, false}, {"in a file", 3000, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			s := newSpool(dir)
			r := rand.New(rand.NewPCG(1, 1))
			var want []value.Value
			for i := range row.rows {
				v := value.OfItems(value.OfInt(int64(i)), value.OfString(noise(r, 1000)))
				want = append(want, v)
				if err := s.add("rb"[i%2], pack(v)); err != nil {
					t.Fatal(err)
				}
			}
			i := 0
			err := s.each(func(kind byte, v value.Packed) error {
				if kind != "rb"[i%2] || !v.Value().Equal(want[i]) {
					return fmt.Errorf("record %d is %c %s", i, kind, v.Value().JSON())
				}
				i++
				return nil
			})
			if err != nil || i != row.rows {
				t.Errorf("%d records, %v", i, err)
			}
			checkFiles(t, dir, row.inFile)
			if err := s.close(); err != nil {
				t.Error(err)
			}
			checkFiles(t, dir, false)
			if err := s.close(); err != nil {
				t.Errorf("closing again: %v", err)
			}
		})
	}
}

func checkFiles(t *testing.T, dir string, want bool) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || (len(files) > 0) != want {
		t.Errorf("files %v, %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

func TestSpoolFaults(t *testing.T) {
	t.Run("no directory", func(t *testing.T) {
		a, err := NewAutomatic(Options{TempDir: filepath.Join(t.TempDir(), "none")})
		if err != nil {
			t.Fatal(err)
		}
		b := a.Batch("t", nil)
		r := rand.New(rand.NewPCG(1, 1))
		for range 5000 {
			if err = b.Row(pack(value.OfString(noise(r, 1000)))); err != nil {
				break
			}
		}
		if !errors.Is(err, fs.ErrNotExist) || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		s := newSpool(t.TempDir())
		if err := s.add(rowRecord, pack(value.OfString("x"))); err != nil {
			t.Fatal(err)
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		s.memory.Truncate(s.memory.Len() - 1)
		err := s.each(func(byte, value.Packed) error { return nil })
		if err == nil || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
	})
	t.Run("damaged file", func(t *testing.T) {
		s := newSpool(t.TempDir())
		r := rand.New(rand.NewPCG(1, 1))
		for range 3000 {
			if err := s.add(rowRecord, pack(value.OfString(noise(r, 1000)))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.file.WriteAt([]byte("?"), 1_000_000); err != nil {
			t.Fatal(err)
		}
		err := s.each(func(byte, value.Packed) error { return nil })
		if err == nil || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("the visitor's own", func(t *testing.T) {
		s := newSpool(t.TempDir())
		if err := s.add(rowRecord, pack(value.Value{})); err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		if err := s.each(func(byte, value.Packed) error { return stop }); err != stop {
			t.Errorf("got %v", err)
		}
	})
}

func TestMemoryStaysFlat(t *testing.T) {
	slowtest.SkipRace(t, "it looks at the memory")
	c := newCollector(t, "")
	b := c.Batch("t", nil)
	r := rand.New(rand.NewPCG(1, 1))
	for range 30_000 {
		if err := b.Row(pack(value.OfMembers(value.Member{Name: "v", Value: value.OfItems(value.OfString(noise(r, 1000)))}))); err != nil {
			t.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if const30MB := uint64(12 << 20); m.HeapAlloc > const30MB {
		t.Errorf("%d bytes in use while 30 MB of rows wait", m.HeapAlloc)
	}
	dir := t.TempDir()
	results, err := writeInto(dir, c.AutomaticMapper, Defaults{})
	if err != nil || len(results) != 2 || results[1].Rows != 30_000 {
		t.Errorf("results %v, %v", results, err)
	}
}

// TestIDsOfEarlierRowsAreForgotten: they would grow with the data, and with the
// largest row.
func TestIDsOfEarlierRowsAreForgotten(t *testing.T) {
	for name, rows := range map[string][]string{
		"many rows": slices.Repeat([]string{`{"v":[1]}`}, 100),
		"one row":   {`{"rows":[{}` + strings.Repeat(`,{"v":[1]}`, 100) + `]}`},
	} {
		c := collect(t, "", rowsOf(rows...))
		set := csvtable.NewSet(t.TempDir(), "")
		defer set.Abort()
		l := c.layout()
		if err := l.create(set, csvtable.Table{}); err != nil {
			t.Fatal(err)
		}
		convert := &converter{stop: t.Context().Err, roots: l.roots, hasher: newHasher(), warn: c.warn}
		if err := c.spool.each(convert.convertRecord); err != nil {
			t.Fatal(err)
		}
		if n := cap(convert.ids); n == 0 || n > 128 { // two ids
			t.Errorf("%s: %d bytes of ids are kept", name, n)
		}
	}
}

func TestWriteFaults(t *testing.T) {
	rows := []struct {
		name     string
		dataType string
		bucket   string
		want     string
	}{
		{"nothing left of the name", "ě", "b", `data type "ě": table "b." cannot be written to a file: the table has no name`},
		{"slash in the bucket", "t", "a/b", `data type "t": table "a/b.t" cannot be written to a file: a slash`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := collect(t, "", page{dataType: "first", rows: []string{`1`}}, page{dataType: row.dataType, rows: []string{`1`}})
			dir := t.TempDir()
			_, err := writeInto(dir, c.AutomaticMapper, Defaults{Bucket: row.bucket})
			if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), strings.TrimPrefix(row.want, `data type "t": table "a/b.t" `)) {
				t.Errorf("got %v", err)
			}
			checkFiles(t, dir, false)
		})
	}
	t.Run("a spool that is gone", func(t *testing.T) {
		c := collect(t, "", rowsOf(`{"id":1}`))
		if err := c.spool.flush(); err != nil {
			t.Fatal(err)
		}
		c.spool.memory.Truncate(c.spool.memory.Len() - 1)
		dir := t.TempDir()
		if _, err := writeInto(dir, c.AutomaticMapper, Defaults{}); err == nil || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
		checkFiles(t, dir, false)
	})
	t.Run("a batch of an unknown data type", func(t *testing.T) {
		c := collect(t, "", rowsOf(`{"id":1}`))
		if err := c.spool.add(batchRecord, pack(testvalue.Parse(t, `[7,{}]`))); err != nil {
			t.Fatal(err)
		}
		if _, err := writeInto(t.TempDir(), c.AutomaticMapper, Defaults{}); err == nil || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
	})
}

func TestResults(t *testing.T) {
	c := collect(t, "", page{dataType: "u", rows: []string{`{"v":[1,2]}`}}, rowsOf(`{"id":1}`))
	dir := t.TempDir()
	results, err := writeInto(dir, c.AutomaticMapper, Defaults{Bucket: "b", Incremental: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprint(r.Table.FileName(), r.Table.Columns, r.Rows))
	}
	if fmt.Sprint(got) != "[b.u[v] 1 b.u_v[data JSON_parentId] 2 b.t[id] 1]" {
		t.Errorf("results %v", got)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "b.u_v.manifest"))
	if err != nil || string(manifest) != `{"destination":"in.c-b.u_v","incremental":true}` {
		t.Errorf("manifest %s, %v", manifest, err)
	}
}
