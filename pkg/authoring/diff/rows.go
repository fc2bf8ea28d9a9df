package diff

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

const (
	// checkEvery is the number of rows between two checks of the context.
	checkEvery = 1024
	// maxUnmatched is the maximum number of rows with the same key that wait for their
	// counterpart. With a unique key there is at most one row.
	maxUnmatched = 100
	// maxShown is the maximum length, in characters, of a cell in a sample.
	maxShown = 200
)

type comparison struct {
	temp    string
	memory  int // maximum size, in bytes, of the rows of one table in memory
	samples int
	redact  func(string) string
	columns []string // common columns
	key     []string // columns of the primary key, or nil

	others []string // common columns outside of the key
	result rowCounts
	// unmatched are the rows of each table with the current key and without a counterpart
	// so far. At most one of the two lists has rows.
	unmatched [2][]extsort.Record
}

func (c *comparison) rows(ctx context.Context, first, second *input) (rowCounts, error) {
	c.result = rowCounts{Key: append([]string{}, c.key...), ChangedColumns: map[string]int{}, FirstSamples: [][]cell{}, SecondSamples: [][]cell{}, ChangedSamples: []change{}}
	c.others = missing(c.columns, c.key)
	a, b := &extsort.Sorter{Dir: c.temp, Limit: c.memory}, &extsort.Sorter{Dir: c.temp, Limit: c.memory}
	err := c.compare(ctx, first, second, a, b)
	if err = errors.Join(err, a.Close(), b.Close()); err != nil {
		return rowCounts{}, err
	}
	return c.result, nil
}

func (c *comparison) compare(ctx context.Context, first, second *input, a, b *extsort.Sorter) error {
	var err error
	if c.result.First, err = c.sort(ctx, first, a); err != nil {
		return err
	}
	if c.result.Second, err = c.sort(ctx, second, b); err != nil {
		return err
	}
	if len(c.columns) == 0 {
		return nil // no common columns
	}
	sortedA, err := a.Sorted()
	if err != nil {
		return sortError(err)
	}
	sortedB, err := b.Sorted()
	if err != nil {
		return sortError(err)
	}
	return sortError(c.merge(ctx, sortedA, sortedB))
}

// sortError wraps an error of the temporary files. It returns nil and errors of the
// context unchanged.
func sortError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return failure.Applicationf("cannot sort the rows of a table: %w", err)
}

// sort adds the rows of a table to a sorter and returns their number. Without a primary
// key, the whole row is the key.
func (c *comparison) sort(ctx context.Context, in *input, to *extsort.Sorter) (int64, error) {
	key, rest := indexes(c.columns, in.columns), []int(nil)
	if len(c.key) > 0 {
		key, rest = indexes(c.key, in.columns), indexes(c.others, in.columns)
	}
	var r extsort.Record
	for n := int64(0); ; n++ {
		cells, err := in.next()
		if err == io.EOF {
			return n, nil
		}
		if err == nil && n%checkEvery == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return n, err
		}
		r.Key, r.Value = appendCells(r.Key[:0], cells, key), appendCells(r.Value[:0], cells, rest)
		if err := to.Add(r); err != nil {
			return n, sortError(err)
		}
	}
}

func indexes(columns, header []string) []int {
	all := make([]int, len(columns))
	for i, column := range columns {
		all[i] = slices.Index(header, column)
	}
	return all
}

// appendCells packs cells and puts the length of each cell before its text. Shorter cells
// therefore sort first, as integers do.
func appendCells(dst []byte, cells []string, at []int) []byte {
	for _, i := range at {
		dst = binary.AppendUvarint(dst, uint64(len(cells[i])))
		dst = append(dst, cells[i]...)
	}
	return dst
}

// unpack reverses appendCells.
func unpack(packed []byte) []string {
	var cells []string
	for len(packed) > 0 {
		n, digits := binary.Uvarint(packed)
		end := digits + int(n)
		cells = append(cells, string(packed[digits:end]))
		packed = packed[end:]
	}
	return cells
}

// merge compares the sorted rows of both tables.
func (c *comparison) merge(ctx context.Context, a, b extsort.Source) error {
	left, right := cursor{from: a}, cursor{from: b}
	left.advance()
	right.advance()
	var key []byte // current key
	for n := 0; ; n++ {
		if err := errors.Join(left.err, right.err); err != nil {
			return err
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if left.done && right.done {
			c.endKey()
			return nil
		}
		order := compareCursors(left, right)
		next := left.Record
		if order > 0 {
			next = right.Record
		}
		if string(next.Key) != string(key) || n == 0 {
			c.endKey()
			key = append(key[:0], next.Key...)
		}
		switch {
		case order < 0:
			c.addUnmatched(0, left.Record)
			left.advance()
		case order > 0:
			c.addUnmatched(1, right.Record)
			right.advance()
		default:
			c.result.Same++
			left.advance()
			right.advance()
		}
	}
}

// cursor holds the next record of a table.
type cursor struct {
	extsort.Record
	from extsort.Source
	done bool
	err  error
}

func (c *cursor) advance() {
	c.Record, c.err = c.from.Next()
	if c.err == io.EOF {
		c.done, c.err = true, nil
	}
}

// compareCursors compares the next records. A table without further records comes last.
func compareCursors(a, b cursor) int {
	switch {
	case a.done:
		return 1
	case b.done:
		return -1
	default:
		return a.Compare(b.Record)
	}
}

// addUnmatched adds a row without an identical row in the other table. If the other table
// has an unmatched row with the same key, the row counts as changed.
func (c *comparison) addUnmatched(side int, r extsort.Record) {
	others := &c.unmatched[1-side]
	switch {
	case len(*others) > 0:
		other := (*others)[0]
		*others = (*others)[1:]
		if side == 0 {
			c.countChanged(r, other)
		} else {
			c.countChanged(other, r)
		}
	case len(c.key) > 0 && len(c.unmatched[side]) < maxUnmatched:
		c.unmatched[side] = append(c.unmatched[side], r.Clone())
	default:
		c.countOnly(side, r)
	}
}

// endKey counts the unmatched rows after the last row of a key.
func (c *comparison) endKey() {
	for side := range c.unmatched {
		for _, r := range c.unmatched[side] {
			c.countOnly(side, r)
		}
		c.unmatched[side] = c.unmatched[side][:0]
	}
}

func (c *comparison) countOnly(side int, r extsort.Record) {
	count, samples := &c.result.OnlyFirst, &c.result.FirstSamples
	if side == 1 {
		count, samples = &c.result.OnlySecond, &c.result.SecondSamples
	}
	*count++
	if len(*samples) < c.samples {
		*samples = append(*samples, c.cells(r))
	}
}

// cells returns the cells of a row with their columns, columns of the key first.
func (c *comparison) cells(r extsort.Record) []cell {
	columns := c.columns
	if len(c.key) > 0 {
		columns = append(slices.Clone(c.key), c.others...)
	}
	return c.withColumns(columns, append(unpack(r.Key), unpack(r.Value)...))
}

func (c *comparison) withColumns(columns, cells []string) []cell {
	all := make([]cell, len(columns))
	for i, column := range columns {
		all[i] = cell{c.redact(column), textfmt.Shorten(c.redact(cells[i]), maxShown)}
	}
	return all
}

func (c *comparison) countChanged(first, second extsort.Record) {
	c.result.Changed++
	a, b := unpack(first.Value), unpack(second.Value)
	for i, column := range c.others {
		if a[i] != b[i] {
			c.result.ChangedColumns[column]++
		}
	}
	if len(c.result.ChangedSamples) >= c.samples {
		return
	}
	change := change{Key: c.withColumns(c.key, unpack(first.Key)), Cells: []cellChange{}}
	for i, column := range c.others {
		if a[i] != b[i] {
			change.Cells = append(change.Cells, cellChange{c.redact(column), textfmt.Shorten(c.redact(a[i]), maxShown), textfmt.Shorten(c.redact(b[i]), maxShown)})
		}
	}
	c.result.ChangedSamples = append(c.result.ChangedSamples, change)
}
