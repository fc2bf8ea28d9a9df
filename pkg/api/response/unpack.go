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

// compression is a file format around a body. unwrap calls each with the contents of the
// file, for an archive once per file in it. file is the name of the compressed file, or
// "".
type compression struct {
	name   string
	magic  string // first bytes of a file
	unwrap func(u *unpacker, file string, r io.Reader, each eachFile) error
}

// eachFile receives the contents of a file. name may be "".
type eachFile func(name string, r io.Reader) error

// wrappers returns the compressions of files.
//
// To add a compression, write its unwrap function, list it here, and add its name to
// wrapperType and to the pattern of UnpackSetting in format.go. Add it to packings in
// pkg/api/har/disguise_packed.go too: otherwise recordings omit such bodies. Add rows to
// unpack_test.go and the name to docs/how-to/formats.md, and run `go test ./pkg/schema
// -update`.
func wrappers() []compression {
	return []compression{{"gzip", "\x1f\x8b", unwrapGzip}, {"zip", "PK\x03\x04", unwrapZip}, {"zstd", "\x28\xb5\x2f\xfd", unwrapZstd}}
}

// CompressionOf returns the name of the compression with the magic bytes of head, or "".
func CompressionOf(head []byte) string {
	for _, w := range wrappers() {
		if bytes.HasPrefix(head, []byte(w.magic)) {
			return w.name
		}
	}
	return ""
}

// MaxCompressions is the maximum number of nested compressions of a response. Each of
// them has a window in memory.
const MaxCompressions = 4

// unpackOf returns the names of compressions in a setting.
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
	limit  int64  // maximum number of unpacked bytes; 0 is no limit
	left   int64  // number of bytes left of limit
}

// unpack undoes the named compressions, the outermost first, and calls each with the
// results.
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

// unpackReader reads unpacked contents. Its errors name the compression.
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

// unpacking converts an error of unpacking to a formatError. It returns a formatError or
// a failure.Error unchanged.
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

// limitedReader returns an error if it reads more than left bytes. There is no limit if
// u.limit is 0.
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

// ErrLarge is the cause of the error if unpacking a response exceeds Query.MaxBytes.
var ErrLarge = errors.New("too much comes out")

func (u *unpacker) tooLarge() error {
	e := failure.Userf("the response has more than %d bytes when it is unpacked, the limit of 'api.http.maxResponseBytes'", u.limit)
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

// maxWindow is the maximum window, in bytes, of a zstd file. It is the size that RFC 8878
// recommends decoders to support.
const maxWindow = 8 << 20

func unwrapZstd(_ *unpacker, file string, r io.Reader, each eachFile) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return unpacking("zstd", file, err)
	}
	defer z.Close()
	return each("", z)
}
