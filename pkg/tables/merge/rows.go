package merge

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
)

const (
	// checkInterval is the number of rows between two checks of the context and two
	// reports of progress.
	checkInterval = 1024
	// hashSize is the number of bytes of a SHA-256 that represent a key. It is not
	// feasible to find two keys with the same bytes, not even for an API that tries.
	hashSize = 16
	// numberSize is the size of an offset or a size in a record of a sorter.
	numberSize = 8
)

// eachRow calls do for all rows. The rows of the earlier table come first.
func (m *merger) eachRow(ctx context.Context, do func(s *source, cells []string, where recordRange) error) error {
	n := 0
	for _, s := range m.sources {
		if _, err := s.rewind(); err != nil {
			return s.wrapError(m, err)
		}
		for s.rows = 0; ; s.rows++ {
			if n++; n%checkInterval == 0 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				m.read += checkInterval
				if m.progress != nil {
					m.progress(m.name, m.read)
				}
			}
			cells, where, err := s.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return s.wrapError(m, err)
			}
			if err := do(s, cells, where); err != nil {
				return err
			}
		}
	}
	return nil
}

// findChanges finds the rows that share their key with another row. It adds a record
// for each of these rows to changes, with the start of the row as its key. The value
// for the first row is the range of the last row, which replaces the first. The value
// for the other rows is empty: they are dropped.
func (m *merger) findChanges(ctx context.Context, changes *extsort.Sorter) (err error) {
	keys := &extsort.Sorter{Dir: m.dirs.Temp, Limit: m.memory}
	defer func() { err = errors.Join(err, m.fileError(keys.Close())) }()
	var r extsort.Record
	var key []byte
	err = m.eachRow(ctx, func(s *source, cells []string, where recordRange) error {
		key = key[:0]
		for _, i := range s.key { // each cell after its length
			key = append(binary.AppendUvarint(key, uint64(len(cells[i]))), cells[i]...)
		}
		hash := sha256.Sum256(key)
		r.Key = appendNumber(append(r.Key[:0], hash[:hashSize]...), where.start)
		r.Value = appendNumber(r.Value[:0], where.size)
		return m.fileError(keys.Add(r))
	})
	if err != nil {
		return err
	}
	sorted, err := keys.Sorted()
	if err != nil {
		return m.fileError(err)
	}
	return m.fileError(m.addChanges(ctx, sorted, changes))
}

// appendNumber packs a number. Packed numbers sort like the numbers.
func appendNumber(dst []byte, n int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(n)) }

func parseNumber(packed []byte) int64 { return int64(binary.BigEndian.Uint64(packed)) }

// addChanges reads the rows sorted by their keys, and adds the changes of rows that
// share a key.
func (m *merger) addChanges(ctx context.Context, sorted extsort.Source, changes *extsort.Sorter) error {
	var hash, first, last, size []byte // first and last are starts of rows with the current key
	several := false
	end := func() error {
		if !several {
			return nil
		}
		if m.hasEarlier() && parseNumber(first) < m.current().base && parseNumber(last) >= m.current().base {
			m.result.Replaced++
		}
		return changes.Add(extsort.Record{Key: first, Value: append(last, size...)})
	}
	for n := 1; ; n++ {
		if n%checkInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, err := sorted.Next()
		if err == io.EOF {
			return end()
		}
		if err != nil {
			return err
		}
		start := r.Key[hashSize:]
		if n > 1 && string(r.Key[:hashSize]) == string(hash) {
			several, m.changed = true, true
			if err := changes.Add(extsort.Record{Key: start}); err != nil {
				return err
			}
		} else {
			if err := end(); err != nil {
				return err
			}
			several = false
			hash, first = append(hash[:0], r.Key[:hashSize]...), append(first[:0], start...)
		}
		last, size = append(last[:0], start...), append(size[:0], r.Value...)
	}
}

// write writes the merged table to a new file.
func (m *merger) write(ctx context.Context, path string, changes *extsort.Sorter) (err error) {
	sorted, err := changes.Sorted()
	if err != nil {
		return m.fileError(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return m.fileError(err)
	}
	defer func() { err = errors.Join(err, m.fileError(file.Close())) }()
	w := writer{out: bufio.NewWriterSize(file, 64<<10), cells: make([]string, len(m.columns))}
	if _, err := w.out.Write(csvtable.AppendRecord(nil, m.columns)); err != nil {
		return m.fileError(err)
	}
	change := nextChange{from: sorted}
	if err := change.advance(); err != nil {
		return m.fileError(err)
	}
	err = m.eachRow(ctx, func(s *source, cells []string, where recordRange) error {
		if !change.done && change.start == where.start {
			replacement := change.replacement
			if err := change.advance(); err != nil {
				return m.fileError(err)
			}
			if replacement.size == 0 {
				return nil
			}
			from := m.sources[0]
			if replacement.start >= from.end {
				from = m.current()
			}
			if cells, err = from.rereadRow(replacement); err != nil {
				return from.wrapError(m, err)
			}
			return m.rowError(m.writeRow(&w, s, from, cells))
		}
		return m.rowError(m.writeRow(&w, s, s, cells))
	})
	if err != nil {
		return err
	}
	if m.hasEarlier() {
		m.result.Before = m.sources[0].rows
	}
	return m.fileError(w.out.Flush())
}

// writeRow writes a row with cells of source from. target is the source of the row that
// it replaces, or from if it replaces no row.
func (m *merger) writeRow(w *writer, target, from *source, cells []string) error {
	m.result.Rows++
	if !target.earlier {
		m.result.Added++
	}
	clear(w.cells)
	for i, cell := range cells {
		m.result.Bytes += int64(len(cell))
		w.cells[from.columnIndexes[i]] = cell
	}
	if from.earlier {
		if err := m.checkRow(w.cells); err != nil {
			return err
		}
	}
	w.text = csvtable.AppendRecord(w.text[:0], w.cells)
	_, err := w.out.Write(w.text)
	return err
}

// nextChange reads the changes in the order of the rows.
type nextChange struct {
	from        extsort.Source
	start       int64       // start of the row that changes
	replacement recordRange // range of the row that replaces it; its size is 0 if it is dropped
	done        bool
}

func (p *nextChange) advance() error {
	r, err := p.from.Next()
	if err == io.EOF {
		p.done = true
		return nil
	}
	if err != nil {
		return err
	}
	p.start, p.replacement = parseNumber(r.Key), recordRange{}
	if len(r.Value) > 0 {
		p.replacement = recordRange{parseNumber(r.Value), parseNumber(r.Value[numberSize:])}
	}
	return nil
}

// writer writes the rows of the merged table.
type writer struct {
	out   *bufio.Writer
	cells []string
	text  []byte
}
