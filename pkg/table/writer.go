package table

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// flushAt is how many bytes a Writer gathers before it writes them.
const flushAt = 32 << 10

// Writer writes the records of one table. It is not safe for concurrent use.
type Writer struct {
	table Table
	dir   string
	file  *os.File
	buf   []byte
	rows  int
	seen  []kinds // of the cells of each column; nil unless the table is typed
}

// Create starts the CSV file of a table in a directory and writes its header.
// A name that cannot be a file name, or that is there already, is a user error.
func Create(dir string, t Table) (*Writer, error) {
	if err := t.CheckName(); err != nil {
		return nil, err
	}
	if len(t.Columns) == 0 {
		return nil, failure.Applicationf("table %q has no columns", t.FileName())
	}
	file, err := os.OpenFile(filepath.Join(dir, t.FileName()), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, writtenTwice(t)
	}
	if err != nil {
		return nil, failure.Applicationf("creating table %q: %w", t.FileName(), err)
	}
	w := &Writer{table: t, dir: dir, file: file}
	w.buf = appendHeader(w.buf, t.Columns)
	if t.Typed {
		w.seen = make([]kinds, len(t.Columns))
	}
	return w, nil
}

func writtenTwice(t Table) error {
	return failure.Userf("table %q is written twice: two tables of this run have that file name", t.FileName())
}

// Row appends one record: one cell for each column, in their order, which is
// copied. A typed table wants to know the kind of each cell too, for others it
// may be nil.
func (w *Writer) Row(cells [][]byte, kinds []Kind) error {
	if len(cells) != len(w.table.Columns) {
		return failure.Applicationf("table %q: %d cells for %d columns", w.table.FileName(), len(cells), len(w.table.Columns))
	}
	if w.seen != nil {
		if len(kinds) != len(cells) {
			return failure.Applicationf("table %q: kinds of %d cells for %d columns", w.table.FileName(), len(kinds), len(cells))
		}
		for i, k := range kinds {
			w.seen[i].add(k)
		}
	}
	w.rows++
	for _, cell := range cells {
		if len(cell) >= flushAt {
			return w.largeRow(cells)
		}
	}
	w.buf = appendRecord(w.buf, cells)
	if len(w.buf) < flushAt {
		return nil
	}
	return w.flush()
}

// largeRow writes a record with large cells, which are not gathered as a whole.
func (w *Writer) largeRow(cells [][]byte) error {
	for i, cell := range cells {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(w.buf, '"')
		for len(cell) > 0 {
			n := min(len(cell), flushAt)
			w.buf = appendQuoted(w.buf, cell[:n])
			cell = cell[n:]
			if len(w.buf) >= flushAt {
				if err := w.flush(); err != nil {
					return err
				}
			}
		}
		w.buf = append(w.buf, '"')
	}
	w.buf = append(w.buf, '\n')
	return w.flush()
}

// Rows is the number of records so far, the header not counted.
func (w *Writer) Rows() int { return w.rows }

// Table is the table as it was given to Create or Adopt.
func (w *Writer) Table() Table { return w.table }

// Close completes the CSV file, then writes the manifest beside it.
func (w *Writer) Close() error {
	err := w.flush()
	if closed := w.file.Close(); err == nil && closed != nil {
		err = w.failed(closed)
	}
	if err != nil {
		return err
	}
	manifest := filepath.Join(w.dir, w.table.ManifestName())
	if err := os.WriteFile(manifest, w.table.manifest(w.seen), 0o644); err != nil {
		return failure.Applicationf("writing the manifest of table %q: %w", w.table.FileName(), err)
	}
	return nil
}

// Abort gives the table up: the file is closed and removed, no manifest is
// written. It is for a run that fails, so its own faults do not matter beside
// the one that led here; the staging directory goes away as a whole.
func (w *Writer) Abort() {
	_ = w.file.Close()
	_ = os.Remove(w.file.Name())
}

func (w *Writer) flush() error {
	_, err := w.file.Write(w.buf)
	w.buf = w.buf[:0]
	if err != nil {
		return w.failed(err)
	}
	return nil
}

func (w *Writer) failed(err error) error {
	return failure.Applicationf("writing table %q: %w", w.table.FileName(), err)
}

// appendHeader appends the names of columns as a CSV record.
func appendHeader(dst []byte, columns []string) []byte {
	cells := make([][]byte, len(columns))
	for i, column := range columns {
		cells[i] = []byte(column)
	}
	return appendRecord(dst, cells)
}

// appendRecord appends the cells as one CSV record.
func appendRecord(dst []byte, cells [][]byte) []byte {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(append(dst, '"'), cell), '"')
	}
	return append(dst, '\n')
}

// appendQuoted appends the contents of a cell, with every quote doubled.
func appendQuoted(dst, cell []byte) []byte {
	for {
		quote := bytes.IndexByte(cell, '"')
		if quote < 0 {
			return append(dst, cell...)
		}
		dst = append(dst, cell[:quote+1]...)
		dst = append(dst, '"')
		cell = cell[quote+1:]
	}
}
