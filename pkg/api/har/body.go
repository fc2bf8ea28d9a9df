package har

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// body is the body of a response as written to the recording.
type body struct {
	open   func() io.Reader // nil if there is no body
	size   int64            // size in bytes, 0 if unknown
	binary bool             // true if the body is stored in base64
	clean  bool             // true if all secrets in the body are already masked
	masked bool             // true if the body contained secrets
	// omitted is the reason to leave out the body, or "".
	omitted string

	spool *response.Spool // masked copy; may be nil
	text  bool            // true if the masked copy is UTF-8
}

func (b body) close() error {
	if b.spool == nil {
		return nil
	}
	return b.spool.Close()
}

// bodyOf returns the body of an exchange for the recording.
func (r *Recorder) bodyOf(x Exchange) (body, error) {
	b := body{open: x.Body, size: x.Size, binary: x.Binary}
	switch {
	case x.Body == nil:
		return b, nil
	case x.HideTexts:
		hidden, err := hideAll(x.Body(), x.Response.StatusCode)
		b.open, b.size, b.masked = func() io.Reader { return bytes.NewReader(hidden) }, int64(len(hidden)), true
		return b, err
	case !x.Binary:
		suspect, err := hasSuspectStart(x.Body())
		if err != nil || !suspect {
			return b, err
		}
	}
	mask := func(w io.Writer, text io.Reader) (found bool, err error) {
		m := masker{w: w, secrets: r.o.Secrets}
		err = m.copy(text)
		return m.found, err
	}
	spools := response.NewSpooler(filepath.Dir(r.o.Path), response.MemoryLimit)
	b, err := searcher{mask: mask, spools: spools, charsets: x.Charsets, left: mostUnpacked}.clean(x.Body)
	b.size = x.Size
	b.binary = x.Binary || b.masked && !b.text // the masked body has another character set
	if b.omitted != "" {
		b.open, b.binary, b.masked = nil, false, false
	}
	return b, err
}

// hasSuspectStart reports whether the beginning of a body in valid UTF-8 looks like UTF-16
// without a byte order mark, which has zero bytes, or like base64.
func hasSuspectStart(r io.Reader) (bool, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	var t traits
	_, _ = t.Write(head[:n]) // never returns an error
	return t.zeros > 0 || t.inBase64(), nil
}

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
