// Package extsort sorts any number of records in little memory. If there are many
// records, it sorts them in temporary files.
//
// Records are bytes; the callers define their meaning. Package diff compares the rows
// of tables, and package merge finds rows with the same key.
package extsort

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

const (
	// Memory is the usual limit, in bytes, of records and spans that are sorted in
	// memory.
	Memory = 8 << 20
	// spanBytes is the size of a span in bytes.
	spanBytes = 24
	// fanIn is the number of sorted files that are merged into one.
	fanIn = 16
)

// Record is a record. Records are sorted by key, then by value.
type Record struct{ Key, Value []byte }

// Compare returns -1, 0 or 1.
func (r Record) Compare(other Record) int {
	if c := bytes.Compare(r.Key, other.Key); c != 0 {
		return c
	}
	return bytes.Compare(r.Value, other.Value)
}

// Clone returns a copy of the record with memory of its own.
func (r Record) Clone() Record { return Record{bytes.Clone(r.Key), bytes.Clone(r.Value)} }

// Sorter sorts any number of records: it sorts them in memory, writes them to a
// temporary file when the limit is reached, and merges the files. Libraries limit the
// number of records, not their size.
//
// Dir is the directory of the files. Limit is the number of bytes that are sorted in
// memory.
type Sorter struct {
	Dir    string
	Limit  int
	text   []byte
	spans  []span
	levels [][]*os.File // sorted files; the files of a level have similar sizes
}

// span is the range of a record in Sorter.text: the offsets of its key, its value and
// its end.
type span struct{ key, value, end int }

func (s *Sorter) record(at span) Record {
	return Record{s.text[at.key:at.value], s.text[at.value:at.end]}
}

// Add adds a copy of a record.
func (s *Sorter) Add(r Record) error {
	if len(s.text) > 0 && len(s.text)+len(r.Key)+len(r.Value)+spanBytes*len(s.spans) > s.Limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	at := span{key: len(s.text), value: len(s.text) + len(r.Key)}
	s.text = append(append(s.text, r.Key...), r.Value...)
	at.end = len(s.text)
	s.spans = append(s.spans, at)
	return nil
}

// spill writes the records in memory to a sorted file.
func (s *Sorter) spill() error {
	m, err := newMerge([]Source{s.sortedMemory()})
	if err != nil {
		return err
	}
	err = s.addFile(0, m)
	s.text, s.spans = s.text[:0], s.spans[:0]
	return err
}

// addFile writes sorted records to a file of a level. It merges a full level into one
// file of the next level.
func (s *Sorter) addFile(level int, sorted *merge) error {
	f, err := writeFile(s.Dir, sorted)
	if err != nil {
		return err
	}
	if level == len(s.levels) {
		s.levels = append(s.levels, nil)
	}
	s.levels[level] = append(s.levels[level], f)
	if len(s.levels[level]) < fanIn {
		return nil
	}
	full := s.levels[level]
	s.levels[level] = nil
	m, err := newMerge(sources(full))
	if err == nil {
		err = s.addFile(level+1, m)
	}
	return errors.Join(err, closeAll(full))
}

// Sorted returns all records in their order. Close the sorter after reading them.
func (s *Sorter) Sorted() (Source, error) {
	all := []Source{s.sortedMemory()}
	for _, level := range s.levels {
		all = append(all, sources(level)...)
	}
	return newMerge(all)
}

// Close removes the files.
func (s *Sorter) Close() error {
	var err error
	for _, level := range s.levels {
		err = errors.Join(err, closeAll(level))
	}
	s.levels = nil
	return err
}

// sortedMemory returns the records in memory in their order.
func (s *Sorter) sortedMemory() Source {
	slices.SortFunc(s.spans, func(a, b span) int { return s.record(a).Compare(s.record(b)) })
	return &memorySource{sorter: s}
}

// Source returns records in their order, and io.EOF after the last. A record is valid
// until the next call.
type Source interface{ Next() (Record, error) }

type memorySource struct {
	sorter *Sorter
	read   int
}

func (m *memorySource) Next() (Record, error) {
	if m.read == len(m.sorter.spans) {
		return Record{}, io.EOF
	}
	m.read++
	return m.sorter.record(m.sorter.spans[m.read-1]), nil
}

// fileSource reads a file that writeFile has written.
type fileSource struct {
	in   *bufio.Reader
	text []byte
}

func sources(files []*os.File) []Source {
	all := make([]Source, len(files))
	for i, f := range files {
		all[i] = &fileSource{in: bufio.NewReaderSize(f, 32<<10)}
	}
	return all
}

func (f *fileSource) Next() (Record, error) {
	key, err := binary.ReadUvarint(f.in)
	if err != nil {
		return Record{}, err // io.EOF only before the first byte
	}
	rest, err := binary.ReadUvarint(f.in)
	if err != nil {
		return Record{}, noEOF(err)
	}
	f.text = slices.Grow(f.text[:0], int(key+rest))[:key+rest]
	if _, err := io.ReadFull(f.in, f.text); err != nil {
		return Record{}, noEOF(err)
	}
	return Record{f.text[:key], f.text[key:]}, nil
}

// noEOF turns io.EOF into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeFile writes sorted records to a temporary file and seeks to its start. It
// removes the name at once: the system deletes the file when it is closed or the
// program is killed.
func writeFile(dir string, sorted *merge) (file *os.File, err error) {
	f, err := os.CreateTemp(dir, "sorted-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(f, 64<<10)
	var sizes []byte
	for {
		r, err := sorted.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		sizes = binary.AppendUvarint(binary.AppendUvarint(sizes[:0], uint64(len(r.Key))), uint64(len(r.Value)))
		for _, part := range [][]byte{sizes, r.Key, r.Value} {
			if _, err := out.Write(part); err != nil {
				return nil, err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// merge merges sorted sources. It is a Source.
type merge struct {
	heads heads
	begun bool
}

// head is the next record of a source.
type head struct {
	Record
	from Source
}

func newMerge(all []Source) (*merge, error) {
	m := &merge{}
	for _, from := range all {
		r, err := from.Next()
		if err == io.EOF {
			continue
		}
		if err != nil {
			return nil, err
		}
		m.heads = append(m.heads, head{r, from})
	}
	heap.Init(&m.heads)
	return m, nil
}

func (m *merge) Next() (Record, error) {
	// Only now may the source of the last record advance: the record was valid until
	// this call.
	if m.begun {
		r, err := m.heads[0].from.Next()
		switch {
		case err == io.EOF:
			heap.Pop(&m.heads)
		case err != nil:
			return Record{}, err
		default:
			m.heads[0].Record = r
			heap.Fix(&m.heads, 0)
		}
	}
	m.begun = len(m.heads) > 0
	if !m.begun {
		return Record{}, io.EOF
	}
	return m.heads[0].Record, nil
}

// heads is a heap of records, the smallest first.
type heads []head

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].Compare(h[j].Record) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(head)) }

func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
