// Package blocks writes and reads bytes in compressed blocks. One block at a time is
// compressed, or read ahead, in the background. The order of blocks is kept; an error
// in the background is returned by the next call.
package blocks

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const (
	// Size is the recommended size of a block in bytes.
	Size = 128 << 10
	// Large is the largest block that is compressed. A larger one is a single large
	// value, of which there should be no second copy in memory.
	Large = 8 << 20
	// head is the length of a block's head: the size of the contents, the size of the
	// compressed contents (0 if not compressed), and a checksum of what follows.
	head = 4 + 4 + 4
)

// Writer makes blocks. It is not safe for concurrent use.
type Writer struct {
	// To takes the bytes of the blocks in their order. It is called in the background,
	// never concurrently and not after Wait.
	To func([]byte) error

	held  []byte // contents of the block that is being compressed
	block []byte // reused
	done  chan error
}

// Add makes a block of contents, which then belong to the writer. It returns another
// buffer, at first without capacity.
func (w *Writer) Add(contents []byte) (spare []byte, err error) {
	if err := w.Wait(); err != nil {
		return contents[:0], err
	}
	if len(contents) > Large {
		return nil, w.AddPlain(contents)
	}
	spare, w.held = w.held[:0], contents
	w.done = make(chan error, 1)
	go func() { w.done <- failure.Recover(w.compress) }()
	return spare, nil
}

// AddPlain makes an uncompressed block of parts. They still belong to the caller.
func (w *Writer) AddPlain(parts ...[]byte) error {
	if err := w.Wait(); err != nil {
		return err
	}
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

// compress makes a block of held.
func (w *Writer) compress() error {
	w.block = sized(w.block, head+s2.MaxEncodedLen(len(w.held)))
	compressed := s2.Encode(w.block[head:], w.held)
	appendHead(w.block[:0], len(w.held), len(compressed), crc32.Checksum(compressed, castagnoli()))
	return w.To(w.block[:head+len(compressed)])
}

// Wait waits for the block that is being compressed.
func (w *Writer) Wait() error {
	if w.done == nil {
		return nil
	}
	err := <-w.done
	w.done = nil
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

// sized returns a buffer of that size, the given one if it is large enough.
func sized(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// Reader reads blocks in their order. It is not safe for concurrent use.
type Reader struct {
	source io.Reader
	shown  []byte // contents of the block that Next returned
	block  []byte // reused

	// The next block.
	ahead []byte // its contents
	plain int    // size of its contents if they are not compressed: not read yet
	sum   uint32
	err   error
	done  chan struct{}
}

// NewReader reads blocks from a source. It begins at once.
func NewReader(source io.Reader) *Reader {
	r := &Reader{source: source, done: make(chan struct{}, 1)}
	go r.ready()
	return r
}

// Next returns the contents of the next block, valid until the next call; io.EOF if
// there is none. Close must be called in any case.
func (r *Reader) Next() ([]byte, error) {
	<-r.done
	if r.err == nil && r.plain > 0 {
		r.shown = nil
		r.ahead = sized(r.ahead, r.plain)
		r.err = r.body(r.ahead)
	}
	if r.err != nil {
		r.done <- struct{}{}
		return nil, r.err
	}
	r.shown, r.ahead = r.ahead, r.shown
	if cap(r.ahead) > Large {
		r.ahead = nil
	}
	go r.ready()
	return r.shown, nil
}

// ready reads the next block in the background.
func (r *Reader) ready() {
	r.err = failure.Recover(r.readAhead)
	r.done <- struct{}{}
}

// readAhead reads a block, but only the head of one that is not compressed.
func (r *Reader) readAhead() error {
	r.block, r.plain = sized(r.block, head), 0
	if _, err := io.ReadFull(r.source, r.block); err != nil {
		return err
	}
	size, compressed := int(binary.LittleEndian.Uint32(r.block)), int(binary.LittleEndian.Uint32(r.block[4:]))
	r.sum = binary.LittleEndian.Uint32(r.block[8:])
	if compressed == 0 {
		r.plain = size
		return nil
	}
	r.block = sized(r.block, compressed)
	if err := r.body(r.block); err != nil {
		return err
	}
	if n, err := s2.DecodedLen(r.block); err != nil || n != size {
		return errDamaged
	}
	ahead, err := s2.Decode(sized(r.ahead, size), r.block)
	r.ahead = ahead
	return err
}

// body reads what follows the head.
func (r *Reader) body(p []byte) error {
	_, err := io.ReadFull(r.source, p)
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err == nil && crc32.Checksum(p, castagnoli()) != r.sum:
		return errDamaged
	default:
		return err
	}
}

// Close waits for the block that is being read.
func (r *Reader) Close() { <-r.done }
