package platformapi

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
)

// runBytes is the maximum size, in bytes, of the rows that a sorter holds in memory.
const runBytes = 8 << 20

// sorter sorts any number of rows with bounded memory. It sorts rows that do not fit in
// parts, writes the parts to a temporary file, and merges them. The sort is stable.
type sorter struct {
	compare func(a, b []string) int
	limit   int // number of rows to keep, 0 for all
	rows    [][]string
	size    int
	spilled *os.File
	ends    []int64 // end offset of each part in the file
}

func newSorter(compare func(a, b []string) int, limit int) *sorter {
	return &sorter{compare: compare, limit: limit}
}

// add adds a row and spills the rows to the file if they are too large.
func (s *sorter) add(row []string) error {
	s.rows = append(s.rows, row)
	s.size += rowSize(row)
	if s.size < runBytes {
		return nil
	}
	s.sort()
	if s.size < runBytes/2 {
		return nil // the limit has dropped enough rows
	}
	return s.spill()
}

// rowSize estimates the memory of a row, in bytes.
func rowSize(row []string) int {
	size := 24 // the header of a slice
	for _, cell := range row {
		size += len(cell) + 16 // the header of a string
	}
	return size
}

// sort sorts the rows in memory and drops the rows beyond the limit.
func (s *sorter) sort() {
	slices.SortStableFunc(s.rows, s.compare)
	if s.limit == 0 || s.limit >= len(s.rows) {
		return
	}
	s.rows = slices.Clone(s.rows[:s.limit])
	s.size = 0
	for _, row := range s.rows {
		s.size += rowSize(row)
	}
}

// spill writes the rows in memory, which must be sorted, to the file as a new part.
func (s *sorter) spill() (err error) {
	if s.spilled == nil {
		if s.spilled, err = os.CreateTemp("", "sorted-rows-*"); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(s.spilled, 1<<16)
	var text []byte
	for _, row := range s.rows {
		text = binary.AppendUvarint(text[:0], uint64(len(row)))
		for _, cell := range row {
			text = append(binary.AppendUvarint(text, uint64(len(cell))), cell...)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	end, err := s.spilled.Seek(0, io.SeekCurrent)
	s.ends, s.rows, s.size = append(s.ends, end), nil, 0
	return err
}

// each calls emit with the rows in order.
func (s *sorter) each(emit func([]string) error) error {
	s.sort()
	if s.spilled == nil {
		for _, row := range s.rows {
			if err := emit(row); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	merge := &parts{compare: s.compare}
	start := int64(0)
	for i, end := range s.ends {
		p := &part{number: i, from: bufio.NewReaderSize(io.NewSectionReader(s.spilled, start, end-start), 1<<14)}
		start = end
		if err := p.next(); err != nil {
			return err
		}
		if p.row != nil {
			merge.list = append(merge.list, p)
		}
	}
	heap.Init(merge)
	left := s.limit
	if left == 0 {
		left = math.MaxInt
	}
	for ; len(merge.list) > 0 && left > 0; left-- {
		first := merge.list[0]
		if err := emit(first.row); err != nil {
			return err
		}
		if err := first.next(); err != nil {
			return err
		}
		if first.row == nil {
			heap.Pop(merge)
		} else {
			heap.Fix(merge, 0)
		}
	}
	return nil
}

// close removes the temporary file.
func (s *sorter) close() {
	if s.spilled != nil {
		// Errors are ignored: the rows are not needed any more.
		_, _ = s.spilled.Close(), os.Remove(s.spilled.Name())
	}
}

// part is a sorted part of the file. row is its next row, nil at the end.
type part struct {
	number int
	from   *bufio.Reader
	row    []string
}

func (p *part) next() error {
	p.row = nil
	cells, err := binary.ReadUvarint(p.from)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	row := make([]string, cells)
	for i := range row {
		length, err := binary.ReadUvarint(p.from)
		if err != nil {
			return err
		}
		cell := make([]byte, length)
		if _, err := io.ReadFull(p.from, cell); err != nil {
			return err
		}
		row[i] = string(cell)
	}
	p.row = row
	return nil
}

// parts is a heap of parts, ordered by their next rows.
type parts struct {
	compare func(a, b []string) int
	list    []*part
}

func (p *parts) Len() int { return len(p.list) }
func (p *parts) Less(i, j int) bool {
	order := p.compare(p.list[i].row, p.list[j].row)
	return order < 0 || order == 0 && p.list[i].number < p.list[j].number
}
func (p *parts) Swap(i, j int) { p.list[i], p.list[j] = p.list[j], p.list[i] }
func (p *parts) Push(x any)    { p.list = append(p.list, x.(*part)) }
func (p *parts) Pop() any {
	last := p.list[len(p.list)-1]
	p.list = p.list[:len(p.list)-1]
	return last
}
