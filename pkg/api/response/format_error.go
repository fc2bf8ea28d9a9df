package response

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Excerpts are cut to mostShown characters, or mostHTML for HTML, after masking. They are
// made from headBytes bytes, so that a secret is not cut before it is masked.
const (
	headBytes = 64 << 10
	mostShown = 300
	mostHTML  = 120
)

// Excerpt returns the start of a body for an error: a single masked line, with an
// ellipsis if more follows. It returns "" if the start has unprintable characters, or a
// secret in several lines.
func Excerpt(spool *Spool, redact func(string) string) string {
	c, mark, err := spool.charset(charset{})
	if err != nil || spool.coding != "" {
		return ""
	}
	size := headBytes
	if c.encoding != nil {
		size *= 4 // bytes of a character in UTF-32, so that a secret is not cut earlier than in UTF-8
	}
	head, err := spool.Head(size)
	if err == nil && c.encoding != nil {
		damaged := false
		head, err = io.ReadAll(c.inUTF8(bytes.NewReader(head[len(mark):]), &damaged))
	}
	if err != nil {
		return ""
	}
	return excerpt(head, spool.Size() > int64(size), redact)
}

func excerpt(head []byte, more bool, redact func(string) string) string {
	masked := redact(strings.ToValidUTF8(string(head), "\x00"))
	if more {
		masked = masked[:len(masked)/2] // the end may have half of a secret, which is not masked
	}
	words := strings.Fields(masked)
	if joined := strings.Join(words, ""); redact(joined) != joined {
		return "" // a secret continues in the next line, perhaps in base64
	}
	text, most := strings.Join(words, " "), mostShown
	if isHTML([]byte(text)) {
		most = mostHTML
	}
	shown := text
	if short := textfmt.Shorten(text, most); short != text {
		shown = strings.TrimSuffix(short, "…") + " …"
	}
	if strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	if shown == text && more {
		shown += " …"
	}
	return shown
}

// formatError is the reason why a response is not in its format.
type formatError struct {
	reason string
	cause  error
	// what is a compression, or "" for the format. file is the name of the file in an
	// archive, or "" for the response.
	what, file string
	// packed is the compression of a file that should have been unpacked, or "".
	packed string
}

func (m *formatError) Error() string { return m.reason }

func (m *formatError) Unwrap() error { return m.cause }

func (t *textReader) malformed(format string, args ...any) error {
	return &formatError{reason: fmt.Sprintf(format, args...), file: t.name}
}

// explained converts a formatError to a user error with an excerpt and a hint. It returns
// other errors unchanged.
func (sc *Scanner) explained(d *decodeState, format string, err error) error {
	m, ok := errors.AsType[*formatError](err)
	if !ok {
		return err
	}
	subject := failure.Text("the response")
	if m.file != "" {
		subject = "the file " + failure.Part("'"+m.file+"'") + " of the response"
	}
	if m.what != "" {
		format = m.what
	}
	e := failure.Userf("%s is not valid %s: %s", subject, failure.Text(format), m.reason)
	head, more := d.head(m)
	if text := excerpt(head, more, sc.redact); text != "" {
		e.Message += "; it begins with: " + text
	}
	if hint := d.hint(m, head, sc.redact); hint != "" {
		e.Message += "; " + hint
	}
	e.Cause = m.cause
	return e
}

// head returns the beginning of the text that m is about. more reports whether the text
// continues.
func (d *decodeState) head(m *formatError) (head []byte, more bool) {
	if direct, err := d.direct(); err == nil && m.what == "" && m.packed == "" && d.text != nil && !direct {
		err := d.eachText(func(t *textReader) error {
			if t.name != m.file {
				return nil
			}
			head, _ = io.ReadAll(io.LimitReader(&t.buffered, headBytes+1)) // unreadable bytes are not shown
			return errFirstFound
		})
		if errors.Is(err, errFirstFound) {
			return head[:min(len(head), headBytes)], len(head) > headBytes
		}
	}
	head, err := d.spool.Head(headBytes)
	if err != nil {
		return nil, false
	}
	return head, d.spool.Size() > headBytes
}

var errFirstFound = errors.New("found")
