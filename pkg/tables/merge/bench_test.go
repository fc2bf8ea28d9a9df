package merge

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// fill writes a table with these ids, each in a row of about 100 bytes.
func fill(t testing.TB, dir string, ids func(yield func(int) bool)) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "t"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	text := csvtable.AppendRecord(nil, []string{"id", "name", "note"})
	for id := range ids {
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		text = csvtable.AppendRecord(text[:0], []string{fmt.Sprint(id), fmt.Sprintf("name of %d", id), fmt.Sprintf("%070d", id)})
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "t.manifest", byID)
}

// every is the ids from first on, step by step.
func every(first, step, count int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range count {
			if !yield(first + i*step) {
				return
			}
		}
	}
}

// BenchmarkMerge: a hundredth of a table has changed, and as many rows are new.
func BenchmarkMerge(b *testing.B) {
	const rows = 1_000_000
	d := room(b)
	fill(b, d.Earlier, every(0, 1, rows))
	info, err := os.Stat(filepath.Join(d.Earlier, "t"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		b.StopTimer()
		fill(b, d.Tables, every(rows-rows/100*50, 51, rows/50))
		b.StartTimer()
		if err := Tables(b.Context(), d, func(Result) {}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMemory: a table ten times as large needs no more memory.
func TestMemory(t *testing.T) {
	slowtest.OutsideCI(t, "it measures memory")
	slowtest.SkipRace(t, "the race detector has a memory of its own")
	const few, many = 20_000, 200_000
	used := map[int]uint64{}
	for _, rows := range []int{few, many} {
		d := room(t)
		fill(t, d.Earlier, every(0, 1, rows))
		fill(t, d.Tables, every(1, 2, rows))
		used[rows] = peak(t, func() {
			m := merger{dirs: d, name: "t", memory: 256 << 10}
			if err := m.run(t.Context(), func(Result) {}, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Logf("heaps of %v bytes by rows", used)
	// The larger table has 20 MB, the entries of its rows in the sorters have 15 MB.
	if used[many] > used[few]+6<<20 {
		t.Errorf("heaps of %v bytes by rows", used)
	}
}

// peak is how large the heap becomes, as far as the collector sees it: it runs often.
func peak(t *testing.T, do func()) uint64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.HeapSys
}
