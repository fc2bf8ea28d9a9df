// Package disguise masks secrets in bodies that must be decoded before they are text:
// packed bodies (gzip, zstd, zip, deflate, bzip2), bodies in another character set, and
// bodies in base64, also nested in each other. A text without secrets is not changed. A
// packed body is unpacked, masked and packed again. It keeps its form, and cannot hide
// secrets beside its contents.
//
// A body that cannot be read as a text cannot be searched, so it must be omitted. The
// caller provides the secrets, see Mask. The package does not find secrets that the API
// encrypts, reverses or splits.
package disguise

import (
	"cmp"
	"errors"
	"io"

	"golang.org/x/text/encoding"

	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// Mask copies a text with its secrets masked, and reports whether there were any.
type Mask func(w io.Writer, text io.Reader) (found bool, err error)

// Options configure Clean.
type Options struct {
	Mask Mask
	// TempDir is the directory for bodies that do not fit into memory.
	TempDir string
	// Charsets are possible character sets of the text, besides the recognised ones.
	Charsets []encoding.Encoding
	// Most is the maximum number of unpacked bytes that are read. 0 is a default.
	Most int64
}

// Result is a body that may be stored, unless Omitted is set.
type Result struct {
	// Body returns a reader of the body to be stored. Each call starts at the beginning.
	Body func() io.Reader
	// Masked is set if secrets in the body were masked.
	Masked bool
	// Text is set if a masked body is still UTF-8.
	Text bool
	// Omitted is the reason why the body must not be stored, or "".
	Omitted string

	spool *response.Spool
}

// Close releases the memory and the temporary file of Body.
func (r Result) Close() error {
	if r.spool == nil {
		return nil
	}
	return r.spool.Close()
}

// Suspect reports whether the beginning of a body in valid UTF-8 looks like UTF-16 without
// a byte order mark, which has zero bytes, or like base64.
func Suspect(head []byte) bool {
	var t traits
	_, _ = t.Write(head) // never returns an error
	return t.zeros > 0 || t.inBase64()
}

// maxRounds is the maximum number of times that a body is masked. A body can be read in
// several ways, and each round masks the secrets of one way.
const maxRounds = 4

// defaultMost is the default of Options.Most, much more than a recording needs.
const defaultMost = 4 << 30

// Clean searches a body for secrets and masks them. Each call of open must return the
// body from its start. The caller must close the result.
func Clean(open func() io.Reader, o Options) (Result, error) {
	result, err := cleanRounds(open, o)
	if _, ok := errors.AsType[sizeError](err); ok {
		result.Omitted, err = "it is too large to be searched for secrets when it is unpacked", nil
	}
	return result, err
}

// cleanRounds implements Clean. It returns a sizeError if the body is too large.
func cleanRounds(open func() io.Reader, o Options) (Result, error) {
	result := Result{Body: open}
	spools := response.NewSpooler(o.TempDir, response.MemoryLimit)
	for range maxRounds {
		l := &searcher{Options: o, spools: spools, left: cmp.Or(o.Most, defaultMost)}
		r, err := l.read(openerOf(result.Body), 0)
		switch {
		case err != nil:
			return result, err
		case r.unknown != "":
			result.Omitted = r.unknown
			return result, nil
		case !r.found && (!r.packed || r.write == nil || result.spool != nil):
			return result, nil
		case r.write == nil:
			result.Omitted = "it contains a secret, and it cannot be packed again as it was"
			return result, nil
		}
		next := spools.New()
		if err := r.write(next); err != nil {
			_ = next.Close() // the first error counts
			return result, err
		}
		if err := result.Close(); err != nil {
			_ = next.Close()
			return Result{}, err
		}
		result = Result{Masked: result.Masked || r.found, Text: r.text, Body: next.Raw, spool: next}
	}
	result.Omitted = "it contains a secret in several forms that are in each other"
	return result, nil
}

// opener returns a reader of a body from its start.
type opener func() (io.Reader, error)

func openerOf(open func() io.Reader) opener {
	return func() (io.Reader, error) { return open(), nil }
}

// searcher searches a body, and everything that is packed in it, for secrets.
type searcher struct {
	Options
	spools *response.Spooler
	left   int64 // number of bytes that may still be read
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
		return readResult{write: l.copy(open)}, nil
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
	found, err = l.Mask(io.Discard, io.TeeReader(source, &t))
	t.end()
	return t, found, err
}

// copy returns a function that writes a body unchanged.
func (l *searcher) copy(open opener) func(io.Writer) error {
	return func(w io.Writer) error {
		source, err := open()
		if err == nil {
			_, err = io.Copy(w, source)
		}
		return err
	}
}

// mask returns a function that writes a body with the secrets in its bytes masked.
func (l *searcher) mask(open opener) func(io.Writer) error {
	return func(w io.Writer) error {
		source, err := open()
		if err == nil {
			_, err = l.Mask(w, source)
		}
		return err
	}
}

// sizeError is the error for more unpacked bytes than Options.Most.
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
