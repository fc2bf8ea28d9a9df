// Package blocks writes and reads bytes in compressed blocks, in their order. It runs in
// the goroutine of the caller: goroutines that compress and read ahead cost up to a third
// of the CPU time of a run, because each block wakes another CPU, and save little wall
// time.
package blocks

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"
)

const (
	// Size is the recommended size of a block in bytes.
	Size = 256 << 10
	// Large is the maximum size, in bytes, of a block that is compressed. A larger block
	// is a single large value, and memory should not hold a second copy of it.
	Large = 8 << 20
	// head is the size, in bytes, of a block's head: the size of the contents, the size
	// of the compressed contents (0 if not compressed), and a checksum of the following
	// bytes.
	head = 4 + 4 + 4
)

// Writer writes blocks. It is not safe for concurrent use.
type Writer struct {
	// To receives the bytes of the blocks in their order.
	To func([]byte) error

	block []byte // reused
}

// Add writes contents as a block. It returns contents as an empty buffer to reuse, or nil
// if the block is large.
func (w *Writer) Add(contents []byte) (spare []byte, err error) {
	if len(contents) > Large {
		return nil, w.AddPlain(contents)
	}
	w.block = sized(w.block, head+s2.MaxEncodedLen(len(contents)))
	compressed := s2.Encode(w.block[head:], contents)
	appendHead(w.block[:0], len(contents), len(compressed), crc32.Checksum(compressed, castagnoli()))
	return contents[:0], w.To(w.block[:head+len(compressed)])
}

// AddPlain writes parts as one uncompressed block.
func (w *Writer) AddPlain(parts ...[]byte) error {
	size, sum := 0, uint32(0)
	for _, part := range parts {
		size, sum = size+len(part), crc32.Update(sum, castagnoli(), part)
	}
	err := w.To(appendHead(nil, size, 0, sum))
	for _, part := range parts {
		if err == nil {
			err = w.To(part)
		}
	}
	return err
}

func appendHead(dst []byte, contents, compressed int, sum uint32) []byte {
	for _, n := range []uint32{uint32(contents), uint32(compressed), sum} {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

var errDamaged = errors.New("a temporary file is damaged")

// sized returns a buffer of the given size. It reuses b if b is large enough.
func sized(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// Reader reads blocks in their order. It is not safe for concurrent use.
type Reader struct {
	source   io.Reader
	contents []byte // result of the last call of Next
	block    []byte // reused
}

// NewReader returns a Reader of the blocks in source.
func NewReader(source io.Reader) *Reader { return &Reader{source: source} }

// Next returns the contents of the next block, valid until the next call. It returns
// io.EOF if there is no further block.
func (r *Reader) Next() ([]byte, error) {
	if cap(r.contents) > Large {
		r.contents = nil
	}
	r.block = sized(r.block, head)
	if _, err := io.ReadFull(r.source, r.block); err != nil {
		return nil, err
	}
	size, compressed := int(binary.LittleEndian.Uint32(r.block)), int(binary.LittleEndian.Uint32(r.block[4:]))
	sum := binary.LittleEndian.Uint32(r.block[8:])
	if compressed == 0 {
		r.contents = sized(r.contents, size)
		return r.contents, r.body(r.contents, sum)
	}
	r.block = sized(r.block, compressed)
	if err := r.body(r.block, sum); err != nil {
		return nil, err
	}
	if n, err := s2.DecodedLen(r.block); err != nil || n != size {
		return nil, errDamaged
	}
	r.contents = sized(r.contents, size)
	return s2.Decode(r.contents, r.block)
}

// body reads the bytes after the head and checks them against the checksum.
func (r *Reader) body(p []byte, sum uint32) error {
	_, err := io.ReadFull(r.source, p)
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err == nil && crc32.Checksum(p, castagnoli()) != sum:
		return errDamaged
	default:
		return err
	}
}
