package store

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// A row is stored as the length and the text of each cell. If its table got more
// columns later, the missing cells are "".

// maxPlainKey is the maximum length of a primary key that is stored as it is;
// longer ones are hashed.
const maxPlainKey = 512

var errRow = errors.New("a stored row is damaged")

func appendCell(row []byte, cell string) []byte {
	return append(binary.AppendUvarint(row, uint64(len(cell))), cell...)
}

// decodeRow returns the cells of a row, one for each column.
func decodeRow(row []byte, columns int) ([]string, error) {
	cells, text := make([]string, columns), string(row)
	for i := 0; len(text) > 0; i++ {
		length, n := binary.Uvarint(row[len(row)-len(text):])
		if n <= 0 || length > uint64(len(text)-n) || i == columns {
			return nil, errRow
		}
		cells[i], text = text[n:n+int(length)], text[n+int(length):]
	}
	return cells, nil
}

// rowBytes is the size of all cells of a row.
func rowBytes(row []byte) (size int64) {
	for len(row) > 0 {
		length, n := binary.Uvarint(row)
		if n <= 0 || length > uint64(len(row)-n) {
			return size
		}
		size += int64(length)
		row = row[n+int(length):]
	}
	return size
}

// rowKey is equal for rows with the same primary key, and for no others.
func rowKey(cells []string, positions []int) []byte {
	key := []byte{'p'}
	for _, i := range positions {
		key = appendCell(key, cells[i])
	}
	if len(key) <= maxPlainKey {
		return key
	}
	sum := sha256.Sum256(key)
	return append([]byte{'h'}, sum[:]...)
}
