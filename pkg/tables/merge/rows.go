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
	// checkEvery is after how many rows the context is checked and progress reported.
	checkInterval = 1024
	// hashBytes is how many bytes of a SHA-256 stand for a key. Two keys with the same
	// ones cannot be found, also by an API that tries.
	hashSize = 16
	// numberBytes is the size of a position or a size in a sorter.
	numberSize = 8
)

// rows calls do for all rows, those of the earlier table first.
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

// findChanges finds the rows that have a key in common. It adds the places of all of
// them to changes: the first has the place of the row that takes its place, which is the
// last of them; the others have nothing, they are left out.
func (m *merger) findChanges(ctx context.Context, changes *extsort.Sorter) (err error) {
	keys := &extsort.Sorter{Dir: m.dirs.Temp, Limit: m.memory}
	defer func() { err = errors.Join(err, m.fileError(keys.Close())) }()
	var r extsort.Record
	var key []byte
	err = m.eachRow(ctx, func(s *source, cells []string, where recordRange) error {
		key = appendKey(key[:0], cells, s.key)
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

// appendKey packs the cells of a key, each after its length.
func appendKey(dst []byte, cells []string, key []int) []byte {
	for _, i := range key {
		dst = binary.AppendUvarint(dst, uint64(len(cells[i])))
		dst = append(dst, cells[i]...)
	}
	return dst
}

// appendNumber packs a number so that numbers sort as their bytes.
func appendNumber(dst []byte, n int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(n)) }

func parseNumber(packed []byte) int64 { return int64(binary.BigEndian.Uint64(packed)) }

// groups goes through the rows sorted by their keys, and adds what happens to those
// that are not alone.
func (m *merger) addChanges(ctx context.Context, sorted extsort.Source, changes *extsort.Sorter) error {
	var hash, first, last, size []byte // of the current key; first and last are places
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
		place := r.Key[hashSize:]
		if n > 1 && string(r.Key[:hashSize]) == string(hash) {
			several = true
			if err := changes.Add(extsort.Record{Key: place}); err != nil {
				return err
			}
		} else {
			if err := end(); err != nil {
				return err
			}
			several = false
			hash, first = append(hash[:0], r.Key[:hashSize]...), append(first[:0], place...)
		}
		last, size = append(last[:0], place...), append(size[:0], r.Value...)
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
			from := m.sourceOf(replacement)
			if cells, err = from.rereadRow(replacement); err != nil {
				return from.wrapError(m, err)
			}
			return m.fileError(m.writeRow(&w, s, from, cells))
		}
		return m.fileError(m.writeRow(&w, s, s, cells))
	})
	if err != nil {
		return err
	}
	if m.hasEarlier() {
		m.result.Before = m.sources[0].rows
	}
	return m.fileError(w.out.Flush())
}

// row writes a row at a place of one source with the cells of another.
func (m *merger) writeRow(w *writer, place, from *source, cells []string) error {
	m.result.Rows++
	if !place.earlier {
		m.result.Added++
	}
	return w.row(cells, from.columnIndexes)
}

// sourceOf is the file of a row.
func (m *merger) sourceOf(where recordRange) *source {
	if where.start < m.sources[0].end {
		return m.sources[0]
	}
	return m.current()
}

// nextChange is the next row that changes.
type nextChange struct {
	from        extsort.Source
	start       int64
	replacement recordRange // the row that takes its place; its size is 0 if there is none
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

func (w *writer) row(cells []string, places []int) error {
	clear(w.cells)
	for i, cell := range cells {
		w.cells[places[i]] = cell
	}
	w.text = csvtable.AppendRecord(w.text[:0], w.cells)
	_, err := w.out.Write(w.text)
	return err
}
