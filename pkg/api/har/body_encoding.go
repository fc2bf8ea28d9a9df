package har

import (
	"encoding/base64"
	"io"
	"unicode/utf8"
)

// limitedWriter passes on at most left bytes. It does not split the characters of a text.
type limitedWriter struct {
	w    io.Writer
	left int64
	text bool
	cut  bool
}

// Write implements io.Writer. It drops the bytes beyond the limit without an error.
func (l *limitedWriter) Write(p []byte) (int, error) {
	n := len(p)
	if l.cut || int64(n) > l.left {
		fits := int(l.left)
		for l.text && fits > 0 && !utf8.RuneStart(p[fits]) {
			fits--
		}
		p, l.cut, l.left = p[:fits], true, 0
	}
	l.left -= int64(len(p))
	if l.cut {
		l.left = 0
	}
	if _, err := l.w.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}

type quoteWriter struct{ w io.Writer }

// Write implements io.Writer. It escapes the contents of a JSON string only where
// necessary, so that the text stays readable.
func (q quoteWriter) Write(p []byte) (int, error) {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, len(p)+len(p)/8)
	for _, c := range p {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c < ' ' || c == 0x7f:
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			out = append(out, c)
		}
	}
	if _, err := q.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// encoder returns a writer that encodes a body as text or in base64. Close completes the
// encoding.
func encoder(w io.Writer, text bool) io.WriteCloser {
	if text {
		return nopCloser{quoteWriter{w}}
	}
	return base64.NewEncoder(base64.StdEncoding, w)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
