package response

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// The records of a zip with the position of its list of files (APPNOTE.TXT, 4.3).
const (
	zipEnd       = "PK\x05\x06"
	zipEnd64     = "PK\x06\x06"
	zipLocator64 = "PK\x06\x07"

	zipEndBytes       = 22
	zipEnd64Bytes     = 56
	zipLocator64Bytes = 20
	maxZipComment     = 1<<16 - 1
)

// wholeZip returns an error if the file has bytes that are not part of its archive.
// archive/zip reads only the last archive in a file, and ignores other archives and
// trailing bytes.
func wholeZip(file string, whole RandomAccess) error {
	size := whole.Size()
	tail, err := zipPart(whole, max(0, size-zipEndBytes-maxZipComment), zipEndBytes+maxZipComment)
	if err != nil {
		return err
	}
	end, behind := endOfZip(tail)
	switch {
	case end < 0:
		return nil // archive/zip returns the error
	case behind > 0:
		return notWholeZip(file, behind, "after its end")
	}
	at := size - int64(len(tail)-end)
	foreign, err := foreignBytes(whole, at, tail[end:])
	if err != nil {
		return err
	}
	if foreign > 0 { // archive/zip rejects a record that points too far
		return notWholeZip(file, foreign, "that are not of it, as if several archives were one after another")
	}
	return nil
}

func notWholeZip(file string, n int64, where string) error {
	there := "there are"
	if n == 1 {
		there = "there is"
	}
	return &formatError{reason: fmt.Sprintf("%s %s %s", there, textfmt.Count(int(n), "byte"), where), what: "zip", file: file}
}

// endOfZip returns the offset of the last record that ends an archive, or -1, and the
// number of bytes after the archive. A comment is part of the archive.
func endOfZip(tail []byte) (at int, behind int64) {
	last := -1
	for rest := tail; ; {
		at := bytes.LastIndex(rest, []byte(zipEnd))
		if at < 0 {
			break
		}
		if at+zipEndBytes <= len(tail) {
			left := len(tail) - at - zipEndBytes - int(binary.LittleEndian.Uint16(tail[at+20:]))
			if left == 0 {
				return at, 0
			}
			if last < 0 && left > 0 {
				last, behind = at, int64(left)
			}
		}
		rest = rest[:at]
	}
	return last, behind
}

// foreignBytes returns the number of bytes before the end record at offset at that are
// not part of its archive. The list of files, and the record for large archives, precede
// the end record. The result is 0 for records that archive/zip rejects.
func foreignBytes(whole RandomAccess, at int64, end []byte) (n int64, err error) {
	size, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	locator, err := zipPart(whole, at-zipLocator64Bytes, zipLocator64Bytes)
	if err != nil || !bytes.HasPrefix(locator, []byte(zipLocator64)) {
		return at - size - offset, err
	}
	at64 := int64(binary.LittleEndian.Uint64(locator[8:]))
	record, err := zipPart(whole, at64, zipEnd64Bytes)
	if err != nil || len(record) < zipEnd64Bytes || !bytes.HasPrefix(record, []byte(zipEnd64)) {
		return 0, err
	}
	size, offset = int64(binary.LittleEndian.Uint64(record[40:])), int64(binary.LittleEndian.Uint64(record[48:]))
	length := int64(binary.LittleEndian.Uint64(record[4:]))
	if most := whole.Size(); size < 0 || offset < 0 || length < 0 || size > most || offset > most || length > most {
		return 0, nil
	}
	const beforeLength = 12
	return (at64 - size - offset) + (at - zipLocator64Bytes - at64 - beforeLength - length), nil
}

// zipPart reads up to n bytes at an offset. It returns nil if the offset is outside the
// file.
func zipPart(whole RandomAccess, at int64, n int) ([]byte, error) {
	if at < 0 || at >= whole.Size() {
		return nil, nil
	}
	part := make([]byte, min(int64(n), whole.Size()-at))
	_, err := whole.ReadAt(part, at)
	return part, ignoreEOF(err)
}
