package csvtable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const (
	readBuffer = 64 << 10
	// maxRow is the maximum size, in bytes, of all cells of a row. It also applies to
	// writing, so that the next run can read the table. Without a limit, an unclosed
	// quote would load the whole file into memory.
	maxRow = 128 << 20
	// maxCells is the maximum number of cells of a record. Without it, a file of
	// delimiters would be loaded into memory.
	maxCells = 1 << 21
)

// Reader reads the records of one CSV file (RFC 4180). Cells may be enclosed; an
// enclosure in an enclosed cell is doubled. Lines end with LF or CR LF. Cells are
// returned byte for byte. The reader skips a byte order mark at the start of the file.
type Reader struct {
	from                 countingReader
	in                   *bufio.Reader
	delimiter, enclosure byte
	hasEnclosure         bool // false if cells cannot be enclosed
	line                 int  // current line, from 1
	recordLine           int  // line of the start of the last record
	text                 []byte
	ends                 []int // end of each cell in text
	cells                []string
	maxRecord            int // maximum size of a record in bytes
}

// NewReader returns a reader of CSV with a delimiter of one byte. The enclosure is one
// byte, or empty if cells are not enclosed.
func NewReader(in io.Reader, delimiter byte, enclosure string) *Reader {
	r := &Reader{from: countingReader{in: in}, delimiter: delimiter, line: 1, maxRecord: maxRow}
	r.in = bufio.NewReaderSize(&r.from, readBuffer)
	if enclosure != "" {
		r.enclosure, r.hasEnclosure = enclosure[0], true
	}
	if mark, err := r.in.Peek(3); err == nil && string(mark) == "\uFEFF" {
		// Discard cannot fail after Peek.
		_, _ = r.in.Discard(len(mark))
	}
	return r
}

// Reset makes the reader read the records of another text in the same format. It does
// not look for a byte order mark.
func (r *Reader) Reset(in io.Reader) {
	r.from = countingReader{in: in}
	r.in.Reset(&r.from)
	r.line = 1
}

// Offset returns the number of bytes up to the end of the last record.
func (r *Reader) Offset() int64 { return r.from.read - int64(r.in.Buffered()) }

// Line returns the number of the line, from 1, that the last record begins in.
func (r *Reader) Line() int { return r.recordLine }

// countingReader counts the bytes that are read.
type countingReader struct {
	in   io.Reader
	read int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.read += int64(n)
	return n, err
}

// Read returns the next record, or io.EOF after the last. The slice is valid until the
// next call. A file that is not CSV is a user error that names the line.
func (r *Reader) Read() ([]string, error) {
	if _, err := r.in.Peek(1); err != nil {
		return nil, err
	}
	r.text, r.ends, r.recordLine = r.text[:0], r.ends[:0], r.line
	for more := true; more; {
		from := len(r.text)
		var err error
		if more, err = r.readCell(); err != nil {
			return nil, err
		}
		if !utf8.Valid(r.text[from:]) {
			return nil, r.lineError("is not valid UTF-8")
		}
		r.ends = append(r.ends, len(r.text))
		if len(r.ends) > maxCells {
			return nil, r.lineError(fmt.Sprintf("has more than %d cells", maxCells))
		}
	}
	text, from := string(r.text), 0
	r.cells = r.cells[:0]
	for _, end := range r.ends {
		r.cells = append(r.cells, text[from:end])
		from = end
	}
	return r.cells, nil
}

// readCell reads one cell and its end. It reports whether another cell follows in the
// record.
func (r *Reader) readCell() (more bool, err error) {
	if first, err := r.in.Peek(1); r.hasEnclosure && err == nil && first[0] == r.enclosure {
		if _, err := r.in.Discard(1); err != nil {
			return false, err
		}
		if err := r.readEnclosed(); err != nil {
			return false, err
		}
		return r.readCellEnd()
	}
	for {
		b, where, err := r.nextByte()
		switch {
		case err != nil:
			return false, err
		case where != inside:
			return where == cellEnd, nil
		case r.hasEnclosure && b == r.enclosure:
			return false, r.lineError("has an enclosure inside of a cell that is not enclosed")
		}
		if r.text = append(r.text, b); len(r.text) > r.maxRecord {
			return false, r.lineError(fmt.Sprintf("has cells of more than %d MiB together", maxRow>>20))
		}
	}
}

// boundary is the element that a byte outside of an enclosure ends, if any.
type boundary int

const (
	inside boundary = iota
	cellEnd
	lineEnd
)

// nextByte reads one byte outside of an enclosure, or a whole line end.
func (r *Reader) nextByte() (b byte, where boundary, err error) {
	b, err = r.in.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, lineEnd, nil
	case err != nil:
		return 0, inside, err
	case b == r.delimiter:
		return b, cellEnd, nil
	case b == '\n':
		r.line++
		return b, lineEnd, nil
	case b == '\r':
		feed, err := r.in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return b, lineEnd, err
		}
		if err != nil || feed != '\n' {
			return b, lineEnd, r.lineError("has a carriage return without a line feed; lines must end with LF or CR LF")
		}
		r.line++
		return b, lineEnd, nil
	default:
		return b, inside, nil
	}
}

// readEnclosed reads the rest of an enclosed cell, including the closing enclosure.
func (r *Reader) readEnclosed() error {
	opened := r.line
	for {
		// Most bytes are read at once. Peek of what is buffered does not fail.
		plain, _ := r.in.Peek(r.in.Buffered())
		if end := bytes.IndexByte(plain, r.enclosure); end >= 0 {
			plain = plain[:end]
		}
		if len(plain) > 0 && len(r.text)+len(plain) <= r.maxRecord {
			r.line += bytes.Count(plain, []byte{'\n'})
			r.text = append(r.text, plain...)
			if _, err := r.in.Discard(len(plain)); err != nil {
				return err
			}
		}
		b, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) || err == nil && len(r.text) > r.maxRecord {
			r.line = opened
			return r.lineError(fmt.Sprintf("opens an enclosure that is never closed, or its cells have more than %d MiB together", maxRow>>20))
		}
		if err != nil {
			return err
		}
		if b == r.enclosure {
			next, err := r.in.Peek(1)
			if err != nil || next[0] != r.enclosure {
				return nil // readCellEnd returns the error again
			}
			if _, err := r.in.Discard(1); err != nil {
				return err
			}
		}
		if b == '\n' {
			r.line++
		}
		r.text = append(r.text, b)
	}
}

// readCellEnd reads the end of an enclosed cell.
func (r *Reader) readCellEnd() (more bool, err error) {
	_, where, err := r.nextByte()
	if err == nil && where == inside {
		err = r.lineError("continues after a closing enclosure")
	}
	return err == nil && where == cellEnd, err
}

func (r *Reader) lineError(text string) error {
	return failure.Userf("line %d %s", r.line, text)
}
