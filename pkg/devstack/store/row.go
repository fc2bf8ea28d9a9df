package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"
)

// A stored row consists of timed, the time of its load in seconds since 1970, and the
// length and the text of each cell. If columns were added to the table later, the missing
// cells are "". Rows of earlier versions of this program have no time and begin with the
// first cell.

// maxPlainKey is the maximum length, in bytes, of a primary key that is stored unchanged.
// Longer keys are hashed.
const maxPlainKey = 512

// timed marks a row with a time. It is the length 0 encoded in two bytes. No cell begins
// with it, because lengths are encoded in as few bytes as possible.
var timed = []byte{0x80, 0}

var errRow = errors.New("a stored row is damaged")

func appendCell(row []byte, cell string) []byte {
	return append(binary.AppendUvarint(row, uint64(len(cell))), cell...)
}

// rowStart returns the beginning of the rows of a load at the given time.
func rowStart(at time.Time) []byte {
	return binary.AppendUvarint(bytes.Clone(timed), uint64(max(0, at.Unix())))
}

// splitRow returns the time of a row's load, in seconds since 1970, and the cells. The time
// is 0 if it is unknown.
func splitRow(row []byte) (loaded int64, cells []byte) {
	rest, found := bytes.CutPrefix(row, timed)
	seconds, n := binary.Uvarint(rest)
	if !found || n <= 0 {
		return 0, row
	}
	return int64(seconds), rest[n:]
}

// decodeRow returns the cells of a row, one for each column.
func decodeRow(row []byte, columns int) ([]string, error) {
	_, row = splitRow(row)
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

// rowBytes returns the total size of the cells of a row, in bytes.
func rowBytes(row []byte) (size int64) {
	_, row = splitRow(row)
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

// rowKey returns a key that is equal for rows with the same primary key only.
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
