// Package disguise masks secrets in bodies that must be decoded before they are text:
// packed bodies (gzip, zstd, zip, deflate, bzip2), bodies in another character set, and
// bodies in base64, each also inside of another one. A text without secrets stays as it is,
// byte for byte. A packed body is unpacked, masked and packed again, so that it keeps its
// form and nothing hides beside the contents.
//
// A body that cannot be read as a text cannot be searched: it must be left out. The package
// knows no secrets itself, see Mask. It does not find a secret that the API has encrypted,
// reversed or taken apart.
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
	// Most is the maximum number of unpacked bytes that are read; 0 is a default.
	Most int64
}

// Result is a body that may be stored.
type Result struct {
	// Body reads the body to be stored, from its start with each call.
	Body func() io.Reader
	// Masked is set if secrets in the body were masked.
	Masked bool
	// Text is set if a masked body is still UTF-8.
	Text bool
	// Omitted is the reason why the body must not be stored; "" if it may.
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
	_, _ = t.Write(head) // has no error
	return t.zeros > 0 || t.inBase64()
}

// rounds is the maximum number of times that a body is masked. A body can be read in
// several ways, and each round masks one of them.
const rounds = 4

// most is the default of Options.Most: much more than anyone records.
const most = 4 << 30

// Clean looks for secrets in a body, which open returns from its start with each call, and
// masks them. The result must be closed.
func Clean(open func() io.Reader, o Options) (Result, error) {
	result, err := cleanRounds(open, o)
	if _, ok := errors.AsType[tooMuch](err); ok {
		result.Omitted, err = "it is too large to be searched for secrets when it is unpacked", nil
	}
	return result, err
}

// cleanRounds is Clean without a reason for a body that is too large.
func cleanRounds(open func() io.Reader, o Options) (Result, error) {
	result := Result{Body: open}
	spools := response.NewSpooler(o.TempDir, response.MemoryLimit)
	for range rounds {
		l := &look{Options: o, spools: spools, left: cmp.Or(o.Most, most)}
		r, err := l.read(opened(result.Body), 0)
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

// opener returns a body from its start.
type opener func() (io.Reader, error)

func opened(open func() io.Reader) opener {
	return func() (io.Reader, error) { return open(), nil }
}

// look is one search in a body and in everything that is packed in it.
type look struct {
	Options
	spools *response.Spooler
	left   int64 // bytes that may still be read
}

// reading is the result of reading a body in the best way.
type reading struct {
	// found is set if there is a secret in the body.
	found bool
	// packed is set if the body is written again even without a secret.
	packed bool
	// text is set if the body is UTF-8, and write writes UTF-8.
	text bool
	// unknown is the reason why the body cannot be searched, "" if it can.
	unknown string
	// write writes the body with its secrets masked; nil if that cannot be done.
	write func(w io.Writer) error
}

// deepest is the number of layers that are undone, one inside the other.
const deepest = 6

// headBytes is the size of a beginning that shows a packing or a byte order mark.
const headBytes = 16

// read reads a body in every way that makes sense.
func (l *look) read(open opener, depth int) (reading, error) {
	source, err := open()
	if err != nil {
		return reading{}, err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(source, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return reading{}, err
	}
	head = head[:n]
	if n == 0 {
		return reading{write: l.copy(open)}, nil
	}
	raw, found, err := l.search(open, depth)
	if err != nil {
		return reading{}, err
	}
	if p := packingOf(head, raw); p != nil {
		if depth == deepest {
			return reading{unknown: "it is packed too often"}, nil
		}
		return l.packed(*p, open, depth, found)
	}
	return l.text(open, head, depth, raw, found)
}

// search looks for secrets in the bytes of a body as they are, and counts their traits.
func (l *look) search(open opener, depth int) (t traits, found bool, err error) {
	source, err := open()
	if err != nil {
		return t, false, err
	}
	if depth > 0 {
		source = &counted{source, l}
	}
	found, err = l.Mask(io.Discard, io.TeeReader(source, &t))
	t.end()
	return t, found, err
}

// copy writes a body as it is.
func (l *look) copy(open opener) func(io.Writer) error {
	return func(w io.Writer) error {
		source, err := open()
		if err == nil {
			_, err = io.Copy(w, source)
		}
		return err
	}
}

// mask writes a body with the secrets in its bytes masked.
func (l *look) mask(open opener) func(io.Writer) error {
	return func(w io.Writer) error {
		source, err := open()
		if err == nil {
			_, err = l.Mask(w, source)
		}
		return err
	}
}

// tooMuch is the error for more unpacked bytes than Options.Most.
type tooMuch struct{}

func (tooMuch) Error() string { return "too many bytes come out of it" }

// counted counts what is read.
type counted struct {
	io.Reader
	l *look
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.l.left -= int64(n); c.l.left < 0 {
		return n, tooMuch{}
	}
	return n, err
}
