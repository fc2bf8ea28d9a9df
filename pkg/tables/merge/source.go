package merge

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// source is one of the two tables.
type source struct {
	path          string
	earlier       bool
	file          *os.File
	size          int64
	columns       []string
	key           []int // the places of the primary key in a row
	columnIndexes []int // the place of each column in the merged table
	rows          int

	// base and end are where the file begins and ends if both files are one text, the
	// earlier one first.
	base, end int64

	records *csvtable.Reader // of the file, from its start
	single  *csvtable.Reader // of one record
}

// openSource opens a table and reads its header. A table that is not valid is a user
// error.
func openSource(path string, key []string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, failure.Applicationf("cannot read a table: %w", err)
	}
	s := &source{path: path, file: file}
	if err := s.readHeader(key); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

func (s *source) readHeader(key []string) error {
	info, err := s.file.Stat()
	if err != nil {
		return failure.Applicationf("cannot read a table: %w", err)
	}
	s.size = info.Size()
	cells, err := s.rewind()
	if err != nil {
		return err
	}
	s.columns = slices.Clone(cells)
	seen := map[string]bool{}
	for _, name := range s.columns {
		if seen[name] {
			return failure.Userf("line 1 has two columns named %q", name)
		}
		seen[name] = true
	}
	for _, name := range key {
		at := slices.Index(s.columns, name)
		if at < 0 {
			return failure.Userf("line 1 has no column %q, which the primary key needs", name)
		}
		s.key = append(s.key, at)
	}
	return nil
}

// rewind begins to read the file, and returns its header.
func (s *source) rewind() ([]string, error) {
	s.records = csvtable.NewReader(io.NewSectionReader(s.file, 0, s.size), ',', `"`)
	cells, err := s.records.Read()
	if err == io.EOF {
		return nil, failure.Userf("line 1 is missing: the file is empty, a header is expected")
	}
	return cells, err
}

// recordRange is the place of a record in the text of both files, with its line end.
type recordRange struct{ start, size int64 }

// next reads a row, and io.EOF after the last. The cells are valid until the next call.
func (s *source) next() (cells []string, where recordRange, err error) {
	begin := s.records.Offset()
	cells, err = s.records.Read()
	if err != nil {
		return nil, recordRange{}, err
	}
	if len(cells) != len(s.columns) {
		return nil, recordRange{}, failure.Userf("line %d has %d cells, expected one for each of the %d columns", s.records.Line(), len(cells), len(s.columns))
	}
	return cells, recordRange{s.base + begin, s.records.Offset() - begin}, nil
}

// row reads one row that was read before. The cells are valid until the next call.
func (s *source) rereadRow(where recordRange) ([]string, error) {
	in := io.NewSectionReader(s.file, where.start-s.base, where.size)
	if s.single == nil {
		s.single = csvtable.NewReader(in, ',', `"`)
	} else {
		s.single.Reset(in)
	}
	return s.single.Read()
}

// within names the file of an error.
func (s *source) wrapError(m *merger, err error) error {
	if s.earlier {
		return earlierError(s.path, err)
	}
	if failure.KindOf(err) == failure.User {
		return failure.Wrap("cannot merge table "+m.name, "", err)
	}
	return m.fileError(err)
}
