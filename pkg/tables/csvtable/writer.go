package csvtable

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// flushAt is how many bytes a Writer gathers before it writes them.
const flushSize = 32 << 10

// Writer writes the records of one table. It is not safe for concurrent use.
type Writer struct {
	set   *Set
	table Table
	path  string   // of the CSV file
	file  *os.File // nil while it is closed, see pool
	buf   []byte
	// counted is the capacity of buf as the pool knows it.
	countedCap int
	index      int // its index among the buffers of the pool
	aborted    bool
	rows       int     // without the header
	seen       []Kinds // of the cells of each column; nil unless the table is typed
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
			w.seen[i].Add(k)
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

// flushIfFull writes a buffer that is full, and all of them when they have become too
// large together.
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

// largeCell writes the contents of a cell, which are not gathered as a whole.
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

// Close completes the CSV file, then writes the manifest beside it.
func (w *Writer) Close() error {
	if err := w.complete(); err != nil {
		return err
	}
	manifest := filepath.Join(w.set.dir, w.table.ManifestName())
	if err := os.WriteFile(manifest, w.table.manifest(w.seen), 0o644); err != nil {
		return failure.Applicationf("writing the manifest of table %q: %w", w.table.FileName(), err)
	}
	return nil
}

// Abort abandons the table: the file is closed and removed, no manifest is
// written. It is for a run that fails, so its own faults do not matter beside
// the one that led here; the staging directory goes away as a whole.
func (w *Writer) Abort() {
	w.aborted = true
	_ = w.set.pool.remove(w)
	_ = os.Remove(w.path)
}

// complete writes what is still in memory and leaves the pool.
func (w *Writer) complete() error {
	err := w.flush()
	if dropped := w.set.pool.remove(w); err == nil && dropped != nil {
		err = w.writeError(dropped)
	}
	return err
}

// flush writes the buffer.
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

// AppendRecord appends texts as one CSV record, as Writer.Row writes it.
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
