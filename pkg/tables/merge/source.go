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
	key           []int // indexes of the primary key's columns
	columnIndexes []int // index of each column in the merged table
	rows          int

	// base and end are the bounds of this file if both files are read as one text, with
	// the earlier table first.
	base, end int64

	records *csvtable.Reader // reader of the whole file
	single  *csvtable.Reader // reader of one record
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

// rewind starts to read the file again and returns its header.
func (s *source) rewind() ([]string, error) {
	s.records = csvtable.NewReader(io.NewSectionReader(s.file, 0, s.size), ',', `"`)
	cells, err := s.records.Read()
	if err == io.EOF {
		return nil, failure.Userf("line 1 is missing: the file is empty, a header is expected")
	}
	return cells, err
}

// recordRange is the range of a record, including its line end, in the text of both
// files.
type recordRange struct{ start, size int64 }

// next reads the next row. It returns io.EOF after the last. The cells are valid until
// the next call.
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

// rereadRow reads a row that was read before. The cells are valid until the next call.
func (s *source) rereadRow(where recordRange) ([]string, error) {
	in := io.NewSectionReader(s.file, where.start-s.base, where.size)
	if s.single == nil {
		s.single = csvtable.NewReader(in, ',', `"`)
	} else {
		s.single.Reset(in)
	}
	return s.single.Read()
}

// wrapError adds the name of the file to an error.
func (s *source) wrapError(m *merger, err error) error {
	if s.earlier {
		return earlierError(s.path, err)
	}
	if failure.KindOf(err) == failure.User {
		return failure.Wrap("cannot merge table "+m.name, "", err)
	}
	return m.fileError(err)
}
