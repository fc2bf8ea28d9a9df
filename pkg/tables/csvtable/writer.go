package csvtable

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// flushSize is the number of bytes that a Writer buffers before it writes them.
const flushSize = 32 << 10

// Writer writes the records of one table. It is not safe for concurrent use.
type Writer struct {
	set   *Set
	table Table
	path  string   // path of the CSV file
	file  *os.File // nil while the file is closed, see pool
	buf   []byte
	// countedCap is the part of pool.buffered that belongs to this writer: the capacity
	// of buf at the last count.
	countedCap int
	index      int // index in pool.buffers
	aborted    bool
	rows       int     // number of rows without the header
	seen       []Kinds // kinds of the cells of each column; nil unless the table is typed
}

func writtenTwice(t Table) error {
	return failure.Userf("table %q is written twice: two tables of this run have that file name", t.FileName())
}

// Row appends a copy of one record, with one cell for each column. A typed table also
// needs the kind of each cell; for other tables kinds may be nil.
func (w *Writer) Row(cells [][]byte, kinds []Kind) error {
	if len(cells) != len(w.table.Columns) {
		return failure.Applicationf("table %q: %d cells for %d columns", w.table.FileName(), len(cells), len(w.table.Columns))
	}
	if w.seen != nil {
		if len(kinds) != len(cells) {
			return failure.Applicationf("table %q: kinds of %d cells for %d columns", w.table.FileName(), len(kinds), len(cells))
		}
		for i, k := range kinds {
			if k == Text && len(cells[i]) == 0 {
				k = emptyText
			}
			w.seen[i].add(k)
		}
	}
	size := 0
	for _, cell := range cells {
		size += len(cell)
	}
	if size > maxRow {
		return failure.Userf("a row of table %q has cells of more than %d MiB together, which is the limit; leave out the large columns with a mapping or 'responseFilter'", w.table.FileName(), maxRow>>20)
	}
	dst := append(w.buf, '"')
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, `","`...)
		}
		if len(cell) >= flushSize {
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
	}
	w.buf = append(dst, '"', '\n')
	w.rows++
	if len(w.buf) < flushSize && cap(w.buf) == w.countedCap {
		return nil
	}
	return w.flushIfFull()
}

// flushIfFull writes the buffer if it is full, and the buffers of all writers if they
// exceed maxBuffered together.
func (w *Writer) flushIfFull() error {
	if len(w.buf) >= flushSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if cap(w.buf) != w.countedCap {
		w.set.pool.count(w)
	}
	if w.set.pool.buffered <= maxBuffered {
		return nil
	}
	return w.set.pool.spill()
}

// largeCell writes the contents of a cell in parts, without buffering the whole cell.
func (w *Writer) largeCell(cell []byte) error {
	for part := range slices.Chunk(cell, flushSize) {
		w.buf = append(w.buf, bytes.ReplaceAll(part, []byte(`"`), []byte(`""`))...)
		if len(w.buf) >= flushSize {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close completes the CSV file and then writes the manifest beside it.
func (w *Writer) Close() error {
	if err := w.complete(); err != nil {
		return err
	}
	manifest := filepath.Join(w.set.dir, w.table.manifestName())
	if err := os.WriteFile(manifest, w.table.manifest(w.seen), 0o644); err != nil {
		return failure.Applicationf("writing the manifest of table %q: %w", w.table.FileName(), err)
	}
	return nil
}

// abort closes and removes the CSV file. It writes no manifest. It ignores errors,
// because the run has already failed with another error, and the staging directory is
// removed as a whole.
func (w *Writer) abort() {
	w.aborted = true
	_ = w.set.pool.remove(w)
	_ = os.Remove(w.path)
}

// Discard removes a draft. The writer must not be used afterwards.
func (w *Writer) Discard() { w.abort() }

// complete writes the buffer and removes the writer from the pool.
func (w *Writer) complete() error {
	err := w.flush()
	if dropped := w.set.pool.remove(w); err == nil && dropped != nil {
		err = w.writeError(dropped)
	}
	return err
}

func (w *Writer) flush() error {
	switch {
	case w.aborted:
		return w.writeError(os.ErrClosed)
	case len(w.buf) == 0:
		return nil
	}
	file, err := w.set.pool.file(w)
	if err == nil {
		_, err = file.Write(w.buf)
	}
	w.buf = w.buf[:0]
	if err != nil {
		return w.writeError(err)
	}
	return nil
}

func (w *Writer) writeError(err error) error {
	return failure.Applicationf("writing table %q: %w", w.table.FileName(), err)
}

// AppendRecord appends one CSV record in the format of Writer.Row.
func AppendRecord(dst []byte, texts []string) []byte {
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
