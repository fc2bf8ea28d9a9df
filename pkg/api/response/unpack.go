package response

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// compression undoes one kind of wrapping. It calls each with the contents, or with the
// contents of one file after another. file is the name of what is wrapped, "" for none.
type compression struct {
	name   string
	magic  string // its first bytes
	unwrap func(u *unpacker, file string, r io.Reader, each eachFile) error
}

// eachFile gets the contents of a file; name is "" where it has none.
type eachFile func(name string, r io.Reader) error

// wrappers are all there are.
func wrappers() []compression {
	return []compression{{"gzip", "\x1f\x8b", unwrapGzip}, {"zip", "PK\x03\x04", unwrapZip}, {"zstd", "\x28\xb5\x2f\xfd", unwrapZstd}}
}

// CompressionOf is the name of the wrapper that a file begins like, "" for none.
func CompressionOf(head []byte) string {
	for _, w := range wrappers() {
		if bytes.HasPrefix(head, []byte(w.magic)) {
			return w.name
		}
	}
	return ""
}

// MaxCompressions is how many wrappers a response may have in each other. Each of them has
// a window in memory.
const MaxCompressions = 4

// unpackOf is the list of wrappers of a setting.
func unpackOf(s field.Section) []string {
	all := []field.Section{s}
	if s.Value.Kind() == value.Array {
		all = s.Items()
	}
	var names []string
	for _, one := range all {
		if one.Present() {
			names = append(names, one.Value.Text())
		}
	}
	if len(names) > MaxCompressions {
		s.Problem(failure.Text("expected at most "+strconv.Itoa(MaxCompressions)+" wrappers"), "")
	}
	return names
}

// unpacker unpacks one response.
type unpacker struct {
	home   *Spooler
	member string // pattern for the files of an archive
	limit  int64  // of what comes out; 0 is none
	left   int64
}

// unpack undoes wrappers, the outermost first.
func (u *unpacker) unpack(names []string, file string, r io.Reader, each eachFile) error {
	if len(names) == 0 {
		return each(file, &limitedReader{r, u, &u.left})
	}
	all := wrappers()
	i := slices.IndexFunc(all, func(w compression) bool { return w.name == names[0] })
	return all[i].unwrap(u, file, r, func(name string, r io.Reader) error {
		switch {
		case name == "":
			name = file
		case file != "":
			name = file + "/" + name
		}
		return u.unpack(names[1:], name, &unpackReader{r, names[0], name}, each)
	})
}

// unpackReader is what a wrapper contains. Its errors say so.
type unpackReader struct {
	io.Reader
	wrapper, file string
}

func (r *unpackReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = unpacking(r.wrapper, r.file, err)
	}
	return n, err
}

// unpacking makes a *malformed of an error in packed bytes; one that was explained, or
// that comes from the disk, stays what it is.
func unpacking(wrapper, file string, err error) error {
	if _, ok := errors.AsType[*formatError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*failure.Error](err); ok {
		return err
	}
	reason := err.Error()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		reason = "it ends too early"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		reason = "it does not begin as such a file does"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		reason = "its checksum is wrong"
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		reason = "it was made with a window of more than " + strconv.Itoa(maxWindow>>20) + " MiB"
	}
	return &formatError{reason: reason, cause: err, what: wrapper, file: file}
}

// limitedReader ends with an error when more bytes come out than may.
type limitedReader struct {
	io.Reader
	u    *unpacker
	left *int64
}

func (r *limitedReader) Read(p []byte) (int, error) {
	if r.u.limit > 0 && *r.left < 0 {
		return 0, r.u.tooLarge()
	}
	if r.u.limit > 0 && int64(len(p)) > *r.left {
		p = p[:*r.left+1]
	}
	n, err := r.Reader.Read(p)
	*r.left -= int64(n)
	if r.u.limit > 0 && *r.left < 0 {
		return 0, r.u.tooLarge()
	}
	return n, err
}

// ErrLarge is the cause of the error about a response of which more comes out than may.
var ErrLarge = errors.New("too much comes out")

func (u *unpacker) tooLarge() error {
	e := failure.Userf("the response has more than %d bytes when it is unpacked, which is the limit that 'api.http.maxResponseBytes' sets", u.limit)
	e.Cause = ErrLarge
	return e
}

func unwrapGzip(_ *unpacker, file string, r io.Reader, each eachFile) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return unpacking("gzip", file, err)
	}
	return each("", z)
}

// maxWindow is how much of what came before a file in zstd may refer to: as much as
// every reader of the format must take (RFC 8878).
const maxWindow = 8 << 20

func unwrapZstd(_ *unpacker, file string, r io.Reader, each eachFile) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return unpacking("zstd", file, err)
	}
	defer z.Close()
	return each("", z)
}
