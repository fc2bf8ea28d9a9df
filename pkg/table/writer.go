package table

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	dst := w.buf
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		if len(cell) >= flushAt {
			w.buf = dst
			if err := w.largeCell(cell); err != nil {
				return err
			}
			dst, cell = w.buf, nil
		}
		for {
			quote := bytes.IndexByte(cell, '"')
			if quote < 0 {
				break
			}
			dst = append(dst, cell[:quote+1]...)
			dst = append(dst, '"')
			cell = cell[quote+1:]
		}
		dst = append(dst, cell...)
		dst = append(dst, '"')
	}
	w.buf = append(dst, '\n')
	w.rows++
	if len(w.buf) < flushAt {
		return nil
	}
	return w.flush()
}

// largeCell writes the contents of a cell, which are not gathered as a whole.
func (w *Writer) largeCell(cell []byte) error {
	for part := range slices.Chunk(cell, flushAt) {
		w.buf = append(w.buf, bytes.ReplaceAll(part, []byte(`"`), []byte(`""`))...)
		if len(w.buf) >= flushAt {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
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
	for i, column := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(column, `"`, `""`)...)
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
