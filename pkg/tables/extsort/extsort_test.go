package extsort

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// drain reads a source to its end.
func drain(t *testing.T, from Source) []string {
	t.Helper()
	var all []string
	for {
		r, err := from.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%q %q", r.Key, r.Value))
	}
}

// TestSorter: with any memory the result is that of a sort in memory, and no file is
// left. With 40 bytes there are thousands of files, which are merged in several levels.
func TestSorter(t *testing.T) {
	for _, limit := range []int{40, 1000, 1 << 20} {
		for _, n := range []int{0, 1, 1200} {
			t.Run(fmt.Sprintf("%d records, %d bytes", n, limit), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(1, uint64(limit+n)))
				dir := t.TempDir()
				s := &Sorter{Dir: dir, Limit: limit}
				var want []Record
				for range n {
					r := Record{fmt.Appendf(nil, "%d", random.IntN(500)), bytes.Repeat([]byte("x"), random.IntN(30))}
					want = append(want, r.Clone())
					if err := s.Add(r); err != nil {
						t.Fatal(err)
					}
					clear(r.Key) // add has copied it
					if used := len(s.text) + spanBytes*(len(s.spans)-1); used > limit && len(s.spans) > 1 {
						t.Fatalf("%d bytes in memory, at most %d are wanted", used, limit)
					}
				}
				slices.SortFunc(want, Record.Compare)
				m, err := s.Sorted()
				if err != nil {
					t.Fatal(err)
				}
				if got, want := drain(t, m), drain(t, &listed{want}); !slices.Equal(got, want) {
					t.Errorf("got %d records in another order, want %d", len(got), len(want))
				}
				open := 0
				for _, level := range s.levels {
					if open += len(level); len(level) >= fanIn {
						t.Errorf("%d files of one level", len(level))
					}
				}
				if limit == 40 && n == 1200 && (len(s.levels) < 3 || open == 0) {
					t.Errorf("%d levels, %d files: nothing was merged", len(s.levels), open)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left behind: %v, %v", left, err)
				}
			})
		}
	}
}

// listed is a source of given records.
type listed struct{ records []Record }

func (l *listed) Next() (Record, error) {
	if len(l.records) == 0 {
		return Record{}, io.EOF
	}
	r := l.records[0]
	l.records = l.records[1:]
	return r, nil
}

// TestSorterBroken: a file that ends in the middle of a record is an error, not
// the end.
func TestSorterBroken(t *testing.T) {
	whole, err := newMerge([]Source{&listed{[]Record{{[]byte("key"), []byte("rest")}}}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := writeFile(t.TempDir(), whole)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(text); n++ {
		if err := f.Truncate(int64(n)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := newMerge(sources([]*os.File{f})); err != io.ErrUnexpectedEOF {
			t.Errorf("%d of %d bytes: %v", n, len(text), err)
		}
		if _, err := f.WriteAt(text, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := writeFile(t.TempDir()+"/none", whole); err == nil {
		t.Error("a directory that is not there must be an error")
	}
}
