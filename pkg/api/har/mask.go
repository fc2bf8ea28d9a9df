package har

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

const (
	// maskWindow is the number of bytes of a body that are searched for secrets at a
	// time.
	maskWindow = 256 << 10
	// maskAhead is the maximum length, in bytes, of a secret across two windows.
	maskAhead = 64 << 10
)

// masker copies a body of any length with its secrets masked. A mask that replaces a JSON
// number gets quotes, so that the body stays JSON.
type masker struct {
	w       io.Writer
	secrets *secret.Registry
	size    int64 // size of the body in bytes, 0 if unknown
	json    bool
	quoted  bool // true inside a JSON string
	escaped bool // true after a backslash in a JSON string
	found   bool
}

func (m *masker) copy(r io.Reader) error {
	var window bytes.Buffer // no larger than the text, because an archive may have thousands of small files
	length := maskWindow + maskAhead
	if 0 < m.size && m.size < int64(length) {
		length = int(m.size) + 1 // one more, to see the end
		window.Grow(length)
	}
	for first := true; ; first = false {
		_, err := window.ReadFrom(io.LimitReader(r, int64(length-window.Len())))
		end := window.Len() < length
		if err != nil && !(end && errors.Is(err, io.ErrUnexpectedEOF)) {
			return err
		}
		if first {
			m.json = looksLikeJSON(window.Bytes())
		}
		done, err := m.write(window.String(), end)
		if err != nil || end {
			return err
		}
		window.Next(done)
	}
}

func looksLikeJSON(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")))
	return len(text) > 0 && (bytes.IndexByte([]byte(`{["`), text[0]) >= 0 || len(text) < 100 && json.Valid(text))
}

// write masks and writes a text and returns the number of bytes of the text that it has
// written. Unless all is set, it leaves the end of the text, which may be the beginning
// of a secret.
func (m *masker) write(text string, all bool) (int, error) {
	spans := m.secrets.MaskedSpans(text)
	limit := len(text)
	if !all {
		limit = border(text, len(text)-maskAhead)
		for _, s := range spans {
			if s.From < limit && limit < s.To {
				limit = s.To
				if s.From > 0 {
					limit = s.From
				}
				break
			}
		}
	}
	at := 0
	for _, s := range spans {
		if s.From >= limit {
			break
		}
		if s.To <= at {
			continue // inside the number that an earlier mask replaced
		}
		next, err := m.hide(text, at, s)
		if err != nil {
			return 0, err
		}
		at = next
	}
	if at < limit {
		m.follow(text[at:limit])
		if _, err := io.WriteString(m.w, text[at:limit]); err != nil {
			return 0, err
		}
		at = limit
	}
	return at, nil
}

// hide writes the text before a secret, and the mask. It returns the offset after the
// secret.
func (m *masker) hide(text string, at int, s secret.Span) (int, error) {
	m.found = true
	from := max(s.From, at)
	m.follow(text[at:from])
	if !m.json {
		_, err := io.WriteString(m.w, text[at:from]+secret.Hidden)
		return s.To, err
	}
	before, to := m.quoted, s.To
	m.follow(text[from:to])
	mask := secret.Hidden
	if !before {
		for from > at && partOfNumber(text[from-1]) {
			from--
		}
		mask = `"` + mask
	}
	if !m.quoted {
		for to < len(text) && partOfNumber(text[to]) {
			to++
		}
		mask += `"`
	}
	_, err := io.WriteString(m.w, text[at:from]+mask)
	return to, err
}

func (m *masker) follow(text string) {
	if !m.json {
		return
	}
	for i := range len(text) {
		switch c := text[i]; {
		case m.escaped:
			m.escaped = false
		case c == '\\' && m.quoted:
			m.escaped = true
		case c == '"':
			m.quoted = !m.quoted
		}
	}
}

func partOfNumber(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' || c == '+' || c == '-'
}

// border returns the last offset up to at that is not inside a word, a number or a
// character. If the nearest such offset is far away, border returns an offset that is
// only not inside a character.
func border(text string, at int) int {
	const far = 4 << 10
	for i := at; i > max(0, at-far); i-- {
		if c := text[i-1]; utf8.RuneStart(text[i]) && c < utf8.RuneSelf && c != '\\' && c != '%' && !partOfNumber(c) {
			return i
		}
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
