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
	// maxRun is how many bytes of records, with their places, are sorted in
	// memory.
	maxRun = 8 << 20
	// spanBytes is the size of a place.
	spanBytes = 24
	// fanIn is how many sorted files are read at once to make one of them.
	fanIn = 32
)

// record is a row on its way through a sorter: the cells of its key and its
// other cells, each part packed (see appendCells). Both parts are equal exactly
// when the cells are.
type record struct{ key, rest []byte }

func (r record) compare(other record) int {
	if c := bytes.Compare(r.key, other.key); c != 0 {
		return c
	}
	return bytes.Compare(r.rest, other.rest)
}

func (r record) clone() record { return record{bytes.Clone(r.key), bytes.Clone(r.rest)} }

// sorter sorts records, however many there are: as many as fit into memory are
// sorted there and written to a temporary file; these are merged. No library
// does it by the size of records instead of their number.
type sorter struct {
	dir    string
	limit  int
	text   []byte
	spans  []span
	levels [][]*os.File // sorted files; those of one level are of like size
}

// span is where a record lies in the text of a sorter.
type span struct{ key, rest, end int }

func (s *sorter) record(at span) record {
	return record{s.text[at.key:at.rest], s.text[at.rest:at.end]}
}

// add takes a copy of a record.
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

// spill writes what is in memory to a sorted file.
func (s *sorter) spill() error {
	m, err := newMerge([]source{s.memory()})
	if err != nil {
		return err
	}
	err = s.file(0, m)
	s.text, s.spans = s.text[:0], s.spans[:0]
	return err
}

// file writes sorted records to a file of a level. A level that is full becomes
// one file of the next.
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

// sorted is all records in their order. The sorter must not be closed before they
// are read.
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

// memory is what is in memory, in its order.
func (s *sorter) memory() source {
	slices.SortFunc(s.spans, func(a, b span) int { return s.record(a).compare(s.record(b)) })
	return &memorySource{sorter: s}
}

// source yields records in their order and io.EOF after the last. A record is
// gone when the next one comes.
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

// fileSource reads what write has written.
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
		return record{}, err // io.EOF before the first byte only
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

// noEOF is an error that cannot be taken for the end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// write writes sorted records to a temporary file and goes back to its start.
// The name is removed at once: the file vanishes with its handle, even when the
// program is killed.
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

// merge yields the records of several sources in their common order. It is a
// source itself.
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
	// Only now the record that was given last may go.
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
