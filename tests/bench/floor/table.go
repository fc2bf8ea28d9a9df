package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// flushAt is how many bytes are gathered before they are written.
const flushAt = 32 << 10

// csv is one table.
type csv struct {
	file    *os.File
	columns []string
	cells   [][]byte // of the current row
	buf     []byte
}

func create(dir, name string, columns ...string) (*csv, error) {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	t := &csv{file: file, columns: columns, cells: make([][]byte, len(columns))}
	for i, c := range columns {
		t.cells[i] = []byte(c)
	}
	return t, t.row()
}

// column is the place of a property, which mostly is its place in the item.
func (t *csv) column(place int, name []byte) int {
	if place < len(t.columns) && t.columns[place] == string(name) {
		return place
	}
	return slices.Index(t.columns, string(name))
}

// set reads the next value, a scalar, into a cell.
func (t *csv) set(column int, dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	cell := t.cells[column][:0]
	switch raw[0] {
	case '"':
		cell, err = jsontext.AppendUnquote(cell, raw)
	case 't':
		cell = append(cell, '1')
	case 'f', 'n':
	default:
		cell = append(cell, raw...)
	}
	t.cells[column] = cell
	return err
}

// row ends a row; all cells are empty then.
func (t *csv) row() error {
	for i, cell := range t.cells {
		if i > 0 {
			t.buf = append(t.buf, ',')
		}
		t.buf = append(t.buf, '"')
		for {
			quote := bytes.IndexByte(cell, '"')
			if quote < 0 {
				break
			}
			t.buf = append(append(t.buf, cell[:quote+1]...), '"')
			cell = cell[quote+1:]
		}
		t.buf = append(append(t.buf, cell...), '"')
		t.cells[i] = t.cells[i][:0]
	}
	t.buf = append(t.buf, '\n')
	if len(t.buf) < flushAt {
		return nil
	}
	return t.flush()
}

func (t *csv) flush() error {
	_, err := t.file.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

func (t *csv) close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.file.Close()
}
