package har

import (
	"errors"
	"io"

	"golang.org/x/text/encoding"

	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// This file and the files disguise_*.go mask secrets in bodies that must be decoded before
// they are text: packed bodies (gzip, zstd, zip, deflate, bzip2), bodies in another
// character set, and bodies in base64, also nested in each other. A text without secrets is
// not changed. A packed body is unpacked, masked and packed again. It keeps its form, and
// cannot hide secrets beside its contents.
//
// A body that cannot be read as a text cannot be searched, so it is omitted. Secrets that
// the API encrypts, reverses or splits are not found.

// maxRounds is the maximum number of times that a body is masked. A body can be read in
// several ways, and each round masks the secrets of one way.
const maxRounds = 4

// mostUnpacked is the maximum number of unpacked bytes that are read, much more than a
// recording needs.
const mostUnpacked = 4 << 30

// clean returns a body for the recording, with its secrets masked. Each call of open must
// return the body from its start. The caller must close the result.
func (l searcher) clean(open func() io.Reader) (body, error) {
	b, err := l.cleanRounds(open)
	if _, ok := errors.AsType[sizeError](err); ok {
		b.omitted, err = "it is too large to be searched for secrets when it is unpacked", nil
	}
	return b, err
}

// cleanRounds implements clean. It returns a sizeError if the body is too large.
func (l searcher) cleanRounds(open func() io.Reader) (body, error) {
	b := body{open: open, clean: true}
	for range maxRounds {
		round := l
		r, err := round.read(openerOf(b.open), 0)
		switch {
		case err != nil:
			return b, err
		case r.unknown != "":
			b.omitted = r.unknown
			return b, nil
		case !r.found && (!r.packed || r.write == nil || b.spool != nil):
			return b, nil
		case r.write == nil:
			b.omitted = "it contains a secret, and it cannot be packed again as it was"
			return b, nil
		}
		next := l.spools.New()
		if err := r.write(next); err != nil {
			_ = next.Close() // the first error counts
			return b, err
		}
		if err := b.close(); err != nil {
			_ = next.Close()
			return body{}, err
		}
		b = body{open: next.Raw, clean: true, masked: b.masked || r.found, text: r.text, spool: next}
	}
	b.omitted = "it contains a secret in several forms that are in each other"
	return b, nil
}

// opener returns a reader of a body from its start.
type opener func() (io.Reader, error)

func openerOf(open func() io.Reader) opener {
	return func() (io.Reader, error) { return open(), nil }
}

// searcher searches a body, and everything that is packed in it, for secrets.
type searcher struct {
	// mask copies a text with its secrets masked, and reports whether there were any.
	mask   func(w io.Writer, text io.Reader) (found bool, err error)
	spools *response.Spooler
	// charsets are possible character sets of the text, besides the recognised ones.
	charsets []encoding.Encoding
	left     int64 // number of unpacked bytes that may still be read
}

// readResult is the result of reading a body in the best way.
type readResult struct {
	// found is set if the body contains a secret.
	found bool
	// packed is set if the body is written again even if it contains no secret.
	packed bool
	// text is set if the body is UTF-8, and write writes UTF-8.
	text bool
	// unknown is the reason why the body cannot be searched, or "".
	unknown string
	// write writes the body with its secrets masked. It is nil if that is impossible.
	write func(w io.Writer) error
}

// maxDepth is the maximum number of nested packings that are undone.
const maxDepth = 6

// tooDeep is the reason to omit a body with more nested packings than maxDepth.
const tooDeep = "it is packed too often"

// headBytes is the number of bytes that show a packing or a byte order mark.
const headBytes = 16

// read reads a body in every way that makes sense.
func (l *searcher) read(open opener, depth int) (readResult, error) {
	source, err := open()
	if err != nil {
		return readResult{}, err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(source, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return readResult{}, err
	}
	head = head[:n]
	if n == 0 {
		return readResult{write: l.unchanged(open)}, nil
	}
	raw, found, err := l.search(open, depth)
	if err != nil {
		return readResult{}, err
	}
	if p := packingOf(head, raw); p != nil {
		if depth == maxDepth {
			return readResult{unknown: tooDeep}, nil
		}
		return l.readPacked(*p, open, depth, found)
	}
	return l.readText(open, head, depth, raw, found)
}

// search searches the unchanged bytes of a body for secrets, and counts their traits.
func (l *searcher) search(open opener, depth int) (t traits, found bool, err error) {
	source, err := open()
	if err != nil {
		return t, false, err
	}
	if depth > 0 {
		source = &countingReader{source, l}
	}
	found, err = l.mask(io.Discard, io.TeeReader(source, &t))
	t.end()
	return t, found, err
}

func (l *searcher) unchanged(open opener) func(io.Writer) error {
	return func(w io.Writer) error {
		source, err := open()
		if err == nil {
			_, err = io.Copy(w, source)
		}
		return err
	}
}

func (l *searcher) masked(open opener) func(io.Writer) error {
	return func(w io.Writer) error {
		source, err := open()
		if err == nil {
			_, err = l.mask(w, source)
		}
		return err
	}
}

// sizeError is the error for more unpacked bytes than mostUnpacked.
type sizeError struct{}

func (sizeError) Error() string { return "too many bytes come out of it" }

// countingReader subtracts the bytes that it reads from searcher.left. It returns a
// sizeError if too few are left.
type countingReader struct {
	io.Reader
	l *searcher
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.l.left -= int64(n); c.l.left < 0 {
		return n, sizeError{}
	}
	return n, err
}
