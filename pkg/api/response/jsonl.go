package response

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// decodeLines decodes JSON values, one per line.
func decodeLines(d *decodeState) error {
	list := d.newItemList()
	empty := true
	err := d.eachText(func(t *textReader) error {
		r := &lineReader{textReader: t}
		for {
			start := len(list.items.last)
			regular, err := r.next(&list.items.last)
			if err == io.EOF {
				return nil
			}
			empty = false
			if err == nil {
				err = list.add(start, regular)
			}
			if err != nil {
				return err
			}
		}
	})
	list.end()
	switch {
	case err != nil:
		return err
	case empty:
		return io.EOF
	default:
		return d.shape()
	}
}

// lineReader reads the values of one text.
type lineReader struct {
	*textReader
	packer value.Packer
}

// next appends the packed value of the next line that is not blank. It returns io.EOF at
// the end.
func (r *lineReader) next(dst *[]byte) (regular bool, err error) {
	for {
		n, err := r.peekLine(r.home.text)
		if err == errLargeItem {
			regular, err = r.long(dst)
		} else if err == nil {
			regular, err = r.short(dst, r.take(n))
		}
		if err != errBlank {
			return regular, err
		}
	}
}

var errBlank = errors.New("the line is blank")

// short reads a line that is in memory.
func (r *lineReader) short(dst *[]byte, line []byte) (regular bool, err error) {
	if whiteSpace(line) == len(line) {
		return false, errBlank
	}
	start, n := len(*dst), 0
	*dst, n, regular = r.packer.Next(*dst, line)
	if n > 0 && n+whiteSpace(line[n:]) == len(line) && int64(n) <= r.home.item {
		return regular, nil
	}
	*dst = (*dst)[:start]
	return r.decode(dst, buffered{home: r.home, text: line})
}

// long reads a line that is too large for the buffer.
func (r *lineReader) long(dst *[]byte) (regular bool, err error) {
	r.line++
	source := buffered{home: r.home, source: &restOfLine{textReader: r.textReader}, buf: r.home.buffer()}
	defer source.close()
	return r.decode(dst, source)
}

// decode reads the value of a line with the JSON decoder, which returns an error if the
// line is not valid.
func (r *lineReader) decode(dst *[]byte, line buffered) (regular bool, err error) {
	b := &boundedDecoder{buffered: line, from: -1}
	b.dec = value.NewDecoder(b)
	if *dst, regular, err = b.item(&r.packer, *dst); err == io.EOF {
		return false, errBlank
	}
	if err == nil {
		if _, err = b.dec.ReadToken(); err == io.EOF {
			return regular, nil
		} else if err == nil {
			err = errMoreText
		}
	}
	if _, explained := errors.AsType[*formatError](err); explained {
		return false, err // error about the compressed file
	}
	err = jsonError(err)
	if m, ok := err.(*formatError); ok {
		m.reason, m.file = "line "+strconv.Itoa(r.line)+": "+m.reason, r.name
	}
	return false, err
}

// restOfLine reads a text up to and including the next line feed.
type restOfLine struct {
	*textReader
	ended bool
}

func (r *restOfLine) Read(p []byte) (int, error) {
	if r.ended {
		return 0, io.EOF
	}
	if len(r.textReader.text) == 0 {
		if err := r.fill(); err != nil {
			r.ended = err == io.EOF
			return 0, err
		}
	}
	end := bytes.IndexByte(r.textReader.text, '\n') + 1
	if r.ended = end > 0; !r.ended {
		end = len(r.textReader.text)
	}
	n := copy(p, r.textReader.text[:end])
	r.ended = r.ended && n == end
	r.textReader.text = r.textReader.text[n:]
	return n, nil
}
