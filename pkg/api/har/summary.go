package har

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Span is a range of bytes in a file: the offsets of its first byte and of the byte after
// its last.
type Span struct{ From, To int64 }

// Summary is an entry without the body of its response.
type Summary struct {
	*Entry
	// Line is the range of the entry in the file. Text is the range of its body.
	Line, Text Span
}

// Summaries reads the recording of a Recorder. It calls entry for each entry and then
// reading for the findings of each page, in their order. It keeps no body in memory. It
// stops at the first error of a function and returns it.
func Summaries(r io.Reader, entry func(Summary) error, reading func(PageFindings) error) error {
	l := &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
	head, _, _, err := l.next()
	if err == nil && !bytes.HasPrefix(head, []byte(`{"log":`)) {
		err = errors.New("it is not a recording")
	}
	for number := 1; err == nil; number++ {
		from := l.at
		line, text, end, failed := l.next()
		switch {
		case failed != nil:
			err = failed
		case bytes.HasPrefix(line, []byte(`],"_readings":[`)):
			return l.readings(reading)
		case bytes.HasPrefix(line, []byte("]")):
			return nil
		default:
			s, failed := summaryOf(line)
			if failed != nil {
				return fmt.Errorf("entry %d: %w", number, failed)
			}
			s.Line, s.Text = Span{from, end}, text
			err = entry(s)
		}
	}
	return err
}

// SummaryAt reads the entry in the range line.
func SummaryAt(r io.ReaderAt, line Span) (Summary, error) {
	l := &lineReader{r: bufio.NewReaderSize(io.NewSectionReader(r, line.From, line.To-line.From), 64<<10), at: line.From}
	text, body, end, err := l.next()
	if err != nil {
		return Summary{}, err
	}
	s, err := summaryOf(text)
	s.Line, s.Text = Span{line.From, end}, body
	return s, err
}

func summaryOf(line []byte) (Summary, error) {
	s := Summary{Entry: &Entry{}}
	return s, json.Unmarshal(bytes.TrimRight(line, ",\r\n"), s.Entry)
}

func (l *lineReader) readings(reading func(PageFindings) error) error {
	for {
		line, _, _, err := l.next()
		if err != nil || bytes.HasPrefix(line, []byte("]")) {
			return err
		}
		var found PageFindings
		if err := json.Unmarshal(bytes.TrimRight(line, ",\r\n"), &found); err != nil {
			return fmt.Errorf("a reading: %w", err)
		}
		if err := reading(found); err != nil {
			return err
		}
	}
}

// lineReader reads the lines of a recording without the bodies of responses. Each entry
// is a line, and its body is the member response.content.text.
type lineReader struct {
	r  *bufio.Reader
	at int64 // offset of the next byte
}

// next returns the next line without its body, the range of the body, and the offset of
// the end of the line. The quotes in bodyStart cannot be part of a string, because a
// string has escapes in front of its quotes.
func (l *lineReader) next() (line []byte, body Span, end int64, err error) {
	for {
		c, err := l.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, body, l.at, nil
		case errors.Is(err, io.EOF):
			return nil, body, l.at, io.ErrUnexpectedEOF
		case err != nil:
			return nil, body, l.at, err
		}
		l.at++
		if c == '\n' {
			return line, body, l.at, nil
		}
		line = append(line, c)
		if c != '"' || !bytes.HasSuffix(line, []byte(bodyStart)) || !bytes.Contains(line, []byte(`,"content":{`)) {
			continue
		}
		body.From = l.at
		if err := l.skipText(); err != nil {
			return nil, body, l.at, err
		}
		body.To = l.at - 1
		line = append(line, '"')
	}
}

// skipText skips the rest of a string, including its closing quote.
func (l *lineReader) skipText() error {
	for {
		piece, err := l.r.ReadSlice('"')
		l.at += int64(len(piece))
		if errors.Is(err, bufio.ErrBufferFull) {
			// The piece may end within an escape.
			if backslashes(piece)%2 == 1 {
				if _, err = l.r.Discard(1); err == nil {
					l.at++
				}
			} else {
				err = nil
			}
		} else if err == nil && backslashes(piece[:len(piece)-1])%2 == 0 {
			return nil
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
}

func backslashes(text []byte) int {
	return len(text) - len(bytes.TrimRight(text, `\`))
}

// Body returns a reader of the recorded body of a response, which may be capped. It does
// not load the whole body.
func (s Summary) Body(r io.ReaderAt) io.Reader {
	text := &unquoteReader{r: bufio.NewReader(io.NewSectionReader(r, s.Text.From, s.Text.To-s.Text.From))}
	if s.Response.Content.Encoding == "base64" {
		return base64.NewDecoder(base64.StdEncoding, text)
	}
	return text
}

// unquoteReader reads the contents of a JSON string.
type unquoteReader struct {
	r    *bufio.Reader
	left []byte // decoded bytes that are not read yet
}

// Read implements io.Reader.
func (u *unquoteReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(u.left) > 0 {
			copied := copy(p[n:], u.left)
			u.left, n = u.left[copied:], n+copied
			continue
		}
		c, err := u.r.ReadByte()
		if err == nil && c == '\\' {
			if u.left, err = u.escape(); err == nil {
				continue
			}
		}
		if err != nil {
			return n, err
		}
		p[n] = c
		n++
	}
	return n, nil
}

// escape decodes an escape after its backslash. The Recorder escapes only control
// characters, so an escape is never half of a surrogate pair.
func (u *unquoteReader) escape() ([]byte, error) {
	escape := []byte("\"\\")
	for {
		c, err := u.r.ReadByte()
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		if escape = append(escape, c); escape[2] != 'u' || len(escape) == len(`"\u0000`) {
			break
		}
	}
	text, err := jsontext.AppendUnquote(nil, append(escape, '"'))
	if err != nil {
		return nil, errors.New("the text of a body has an escape that JSON does not have")
	}
	return text, nil
}
