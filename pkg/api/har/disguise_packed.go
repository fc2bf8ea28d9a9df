package har

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/zlib"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packing is a way to pack a body.
type packing struct {
	name string
	// is reports whether a body has this packing by its beginning.
	is func(head []byte) bool
	// unpack reads the contents of a body that is a single stream.
	unpack func(r io.Reader) (io.Reader, error)
	// pack packs contents. It is nil if this program cannot pack them.
	pack func(w io.Writer) (io.WriteCloser, error)
	// archive reads a body with several files. It replaces unpack and pack.
	archive func(l *searcher, open opener, depth int, found bool) (readResult, error)
}

func hasMagic(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

func packings() []packing {
	return []packing{
		{name: "gzip", is: hasMagic("\x1f\x8b"),
			unpack: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
			pack:   func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }},
		{name: "zstd", is: beginsZstd, unpack: unpackZstd,
			pack: func(w io.Writer) (io.WriteCloser, error) {
				return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
			}},
		{name: "zip", is: hasMagic("PK\x03\x04"), archive: (*searcher).readZip},
		{name: "bzip2", is: hasMagic("BZh"), unpack: func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
		{name: "deflate", is: beginsZlib,
			unpack: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
			pack:   func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }},
	}
}

// deflate returns the packing for a deflate stream without a header.
func deflate() packing {
	return packing{name: "deflate", unpack: func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil },
		pack: func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) }}
}

func packingOf(head []byte, raw traits) *packing {
	for _, p := range packings() {
		if !raw.isUTF8() && p.is(head) {
			return &p
		}
	}
	return nil
}

func beginsZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) || len(head) > 3 && head[0]&0xf0 == 0x50 && string(head[1:4]) == skippable
}

// skippable is the beginning of a skippable zstd frame, without its first byte.
const skippable = "\x2a\x4d\x18"

func beginsZlib(head []byte) bool {
	return len(head) > 1 && head[0]&15 == 8 && head[0]>>4 <= 7 && (uint(head[0])<<8|uint(head[1]))%31 == 0
}

// maxWindow is the maximum window, in bytes, of a zstd stream.
const maxWindow = 8 << 20

func unpackZstd(r io.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// readPacked reads a packed body. found is set if its packed bytes contain a secret.
func (l *searcher) readPacked(p packing, open opener, depth int, found bool) (readResult, error) {
	if p.archive != nil {
		return p.archive(l, open, depth, found)
	}
	var faults faults
	inner, err := l.read(func() (io.Reader, error) {
		source, err := open()
		if err != nil {
			return nil, err
		}
		exactly := bufio.NewReader(source)
		unpacked, err := p.unpack(exactly)
		if err != nil {
			return nil, corruptError{err}
		}
		return &lenientReader{unpacked, exactly, &faults}, nil
	}, depth+1)
	if _, ok := errors.AsType[corruptError](err); ok {
		return readResult{unknown: "it begins like " + p.name + ", but cannot be unpacked, so it cannot be searched for secrets"}, nil
	}
	if err != nil {
		return readResult{}, err
	}
	write := inner.write
	inner.found, inner.packed, inner.text = inner.found || found, true, false
	switch {
	case p.pack == nil || faults.cut || write == nil:
		inner.write = nil
	default:
		inner.write = func(w io.Writer) error {
			out, err := p.pack(w)
			if err != nil {
				return err
			}
			if err := write(out); err != nil {
				return err
			}
			return out.Close()
		}
	}
	return inner, nil
}

// readUnknown reads a body of an unknown kind. It may be deflate without a header.
func (l *searcher) readUnknown(open opener, depth int) (readResult, error) {
	r, err := l.readPacked(deflate(), open, depth, false)
	if err == nil && r.unknown != tooDeep && (r.unknown != "" || r.write == nil) {
		r = readResult{unknown: notText}
	}
	return r, err
}

// faults records the faults of a stream that could be read in part.
type faults struct {
	cut bool // the stream ends too early, or its checksum is wrong
}

// corruptError is the error for bytes that do not have the expected packing.
type corruptError struct{ error }

// lenientReader reads a stream as far as possible. It returns io.EOF where a truncated
// stream ends.
type lenientReader struct {
	io.Reader
	source *bufio.Reader // if set, the stream is corrupt if source has more bytes after its end
	faults *faults       // nil to treat every error as the end
}

func (r *lenientReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	switch {
	case err == io.EOF && r.source != nil:
		if _, more := r.source.Peek(1); more == nil {
			return n, corruptError{errors.New("something follows")}
		}
		return n, err
	case err == nil, err == io.EOF:
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch), errors.Is(err, zip.ErrChecksum), r.faults == nil:
		if r.faults != nil {
			r.faults.cut = true
		}
		return n, io.EOF
	default:
		if _, ok := errors.AsType[corruptError](err); ok {
			return n, err
		}
		return n, corruptError{err}
	}
}
