package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// Limits of the rows that are read for the shapes of a table.
const (
	MaxSampleRows  = 10_000
	MaxSampleBytes = 16 << 20
)

// The shapes of cells.
const (
	integer = "integer"
	number  = "number"
	date    = "date"
	instant = "time"
	jsonish = "JSON"
	text    = "text"
)

// shapes holds the shapes of a table's columns.
type shapes struct {
	sampled int
	columns []Column
}

// Tables reads the first rows of all CSV files in a directory. It may be called before or
// after the events of the tables. It returns an application error if a file cannot be
// read.
func (c *Collector) Tables(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return failure.Applicationf("cannot look at the tables for the report: %w", err)
	}
	for _, entry := range entries {
		if entry.IsDir() || strings.HasSuffix(entry.Name(), ".manifest") {
			continue
		}
		s, err := shapesOf(filepath.Join(dir, entry.Name()))
		if err != nil {
			return failure.Applicationf("cannot look at a table for the report: %w", err)
		}
		// Events hold the masked name of the table.
		name := c.redact(entry.Name())
		c.shapes[name] = append(c.shapes[name], s)
	}
	return nil
}

func (c *Collector) addTable(e event.TableWritten) {
	t := &table{Table: e.Table, Rows: e.Rows, Columns: make([]Column, len(e.Columns))}
	for i, name := range e.Columns {
		t.Columns[i] = Column{Name: name, Shapes: []Shape{}}
		if i < len(e.Types) {
			t.Columns[i].Type = e.Types[i]
		}
	}
	c.report.Tables = append(c.report.Tables, t)
	c.report.Totals.Tables++
	c.report.Totals.Rows += e.Rows
}

// setShapes sets the shapes of a table. Tables that share one masked name get no shapes,
// because the masked name does not identify a file.
func (c *Collector) setShapes(t *table) {
	all := c.shapes[t.Table]
	if len(all) != 1 || len(all[0].columns) != len(t.Columns) {
		return
	}
	t.Sampled = all[0].sampled
	for i, column := range all[0].columns {
		column.Name, column.Type = t.Columns[i].Name, t.Columns[i].Type
		t.Columns[i] = column
	}
}

func shapesOf(path string) (shapes, error) {
	file, err := os.Open(path)
	if err != nil {
		return shapes{}, err
	}
	defer file.Close()
	return readShapes(file)
}

func readShapes(from io.Reader) (s shapes, err error) {
	r := csvtable.NewReader(from, ',', `"`)
	header, err := r.Read()
	if err != nil {
		return s, err
	}
	s.columns = make([]Column, len(header))
	for i := range s.columns {
		s.columns[i].Shapes = []Shape{}
	}
	for size := 0; s.sampled < MaxSampleRows && size < MaxSampleBytes; {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
		if len(cells) != len(header) {
			return s, fmt.Errorf("a row of %d cells below %d columns", len(cells), len(header))
		}
		s.sampled++
		for i, cell := range cells {
			s.columns[i].Add(cell)
			size += len(cell)
		}
	}
	for _, c := range s.columns {
		slices.SortStableFunc(c.Shapes, func(a, b Shape) int { return b.Count - a.Count })
	}
	return s, nil
}

// Add counts a cell in its shape.
func (c *Column) Add(cell string) {
	if cell == "" {
		c.Empty++
		return
	}
	shape, length := shapeOf(cell), utf8.RuneCountInString(cell)
	i := slices.IndexFunc(c.Shapes, func(s Shape) bool { return s.Shape == shape })
	if i < 0 {
		c.Shapes = append(c.Shapes, Shape{Shape: shape, Count: 1, Shortest: length, Longest: length})
		return
	}
	s := &c.Shapes[i]
	s.Count++
	s.Shortest, s.Longest = min(s.Shortest, length), max(s.Longest, length)
}

// shapeOf returns the shape of a cell, which must not be empty.
func shapeOf(cell string) string {
	switch first := cell[0]; {
	case first == '{' || first == '[':
		if json.Valid([]byte(cell)) {
			return jsonish
		}
	case first == '-' || '0' <= first && first <= '9':
		return shapeOfDigits(cell)
	}
	return text
}

// longestNumber is the maximum length, in bytes, of a number or a time.
const longestNumber = 40

// shapeOfDigits returns the shape of a cell that begins with a digit or a minus sign.
func shapeOfDigits(cell string) string {
	if len(cell) > longestNumber {
		return text
	}
	if json.Valid([]byte(cell)) { // false for 007
		if _, err := strconv.ParseInt(cell, 10, 64); err == nil {
			return integer
		}
		return number
	}
	if _, err := time.Parse(time.DateOnly, cell); err == nil {
		return date
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700"} {
		if _, err := time.Parse(layout, cell); err == nil {
			return instant
		}
	}
	return text
}
