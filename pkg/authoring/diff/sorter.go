package diff

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
	// maxRun is how many bytes of records and spans are sorted in memory.
	maxRun = 8 << 20
	// spanBytes is the size of a span.
	spanBytes = 24
	// fanIn is how many sorted files are merged into one.
	fanIn = 32
)

// record is a row in a sorter: the cells of its key and its other cells, packed (see
// appendCells). Packed cells are equal exactly if the cells are.
type record struct{ key, rest []byte }

func (r record) compare(other record) int {
	if c := bytes.Compare(r.key, other.key); c != 0 {
		return c
	}
	return bytes.Compare(r.rest, other.rest)
}

func (r record) clone() record { return record{bytes.Clone(r.key), bytes.Clone(r.rest)} }

// sorter sorts any number of records: it sorts them in memory, writes them to a
// temporary file when the limit is reached, and merges the files. Libraries limit the
// number of records, not their size.
type sorter struct {
	dir    string
	limit  int
	text   []byte
	spans  []span
	levels [][]*os.File // sorted files; those of one level have similar sizes
}

// span is the place of a record in the text of a sorter.
type span struct{ key, rest, end int }

func (s *sorter) record(at span) record {
	return record{s.text[at.key:at.rest], s.text[at.rest:at.end]}
}

// add copies a record.
func (s *sorter) add(r record) error {
	if len(s.text) > 0 && len(s.text)+len(r.key)+len(r.rest)+spanBytes*len(s.spans) > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	at := span{key: len(s.text), rest: len(s.text) + len(r.key)}
	s.text = append(append(s.text, r.key...), r.rest...)
	at.end = len(s.text)
	s.spans = append(s.spans, at)
	return nil
}

// spill writes the records in memory to a sorted file.
func (s *sorter) spill() error {
	m, err := newMerge([]source{s.memory()})
	if err != nil {
		return err
	}
	err = s.file(0, m)
	s.text, s.spans = s.text[:0], s.spans[:0]
	return err
}

// file writes sorted records to a file of a level. It merges a full level into one file
// of the next.
func (s *sorter) file(level int, sorted *merge) error {
	f, err := write(s.dir, sorted)
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
		err = s.file(level+1, m)
	}
	return errors.Join(err, closeAll(full))
}

// sorted returns all records in their order. The sorter must be closed after reading.
func (s *sorter) sorted() (*merge, error) {
	all := []source{s.memory()}
	for _, level := range s.levels {
		all = append(all, sources(level)...)
	}
	return newMerge(all)
}

func (s *sorter) close() error {
	var err error
	for _, level := range s.levels {
		err = errors.Join(err, closeAll(level))
	}
	s.levels = nil
	return err
}

// memory returns the records in memory in their order.
func (s *sorter) memory() source {
	slices.SortFunc(s.spans, func(a, b span) int { return s.record(a).compare(s.record(b)) })
	return &memorySource{sorter: s}
}

// source returns records in their order, and io.EOF after the last. A record is valid
// until the next call.
type source interface{ next() (record, error) }

type memorySource struct {
	sorter *sorter
	read   int
}

func (m *memorySource) next() (record, error) {
	if m.read == len(m.sorter.spans) {
		return record{}, io.EOF
	}
	m.read++
	return m.sorter.record(m.sorter.spans[m.read-1]), nil
}

// fileSource reads a file of write.
type fileSource struct {
	in   *bufio.Reader
	text []byte
}

func sources(files []*os.File) []source {
	all := make([]source, len(files))
	for i, f := range files {
		all[i] = &fileSource{in: bufio.NewReaderSize(f, 32<<10)}
	}
	return all
}

func (f *fileSource) next() (record, error) {
	key, err := binary.ReadUvarint(f.in)
	if err != nil {
		return record{}, err // io.EOF only before the first byte
	}
	rest, err := binary.ReadUvarint(f.in)
	if err != nil {
		return record{}, noEOF(err)
	}
	f.text = slices.Grow(f.text[:0], int(key+rest))[:key+rest]
	if _, err := io.ReadFull(f.in, f.text); err != nil {
		return record{}, noEOF(err)
	}
	return record{f.text[:key], f.text[key:]}, nil
}

// noEOF turns io.EOF into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// write writes sorted records to a temporary file and seeks to its start. The name is
// removed at once, so that the file is gone when it is closed or the program killed.
func write(dir string, sorted *merge) (file *os.File, err error) {
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
		r, err := sorted.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		sizes = binary.AppendUvarint(binary.AppendUvarint(sizes[:0], uint64(len(r.key))), uint64(len(r.rest)))
		for _, part := range [][]byte{sizes, r.key, r.rest} {
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

// merge is a source of the records of several sources.
type merge struct {
	heads heads
	begun bool
}

// head is the next record of a source.
type head struct {
	record
	from source
}

func newMerge(all []source) (*merge, error) {
	m := &merge{}
	for _, from := range all {
		r, err := from.next()
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

func (m *merge) next() (record, error) {
	// The last record had to stay valid until now.
	if m.begun {
		r, err := m.heads[0].from.next()
		switch {
		case err == io.EOF:
			heap.Pop(&m.heads)
		case err != nil:
			return record{}, err
		default:
			m.heads[0].record = r
			heap.Fix(&m.heads, 0)
		}
	}
	m.begun = len(m.heads) > 0
	if !m.begun {
		return record{}, io.EOF
	}
	return m.heads[0].record, nil
}

// heads is a heap of records, the smallest first.
type heads []head

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].compare(h[j].record) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(head)) }

func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
