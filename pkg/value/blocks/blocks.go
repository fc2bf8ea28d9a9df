// Package blocks keeps bytes that are needed once more in compressed blocks. One
// block is compressed, or read ahead, in the background; their order stays what it
// is, and an error comes with the next call.
//
// The package does not know what the bytes are, nor where the blocks lie.
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
	// Size is how many bytes are worth a block.
	Size = 128 << 10
	// Large is how many bytes are compressed at most. More of them are a single large
	// value, of which memory should hold no second copy.
	Large = 8 << 20
	// head is what stands at the start of a block: the size of its contents, that of
	// their compressed form, which is 0 where they are not compressed, and a checksum
	// of what follows.
	head = 4 + 4 + 4
)

// Writer makes blocks. It is not safe for concurrent use.
type Writer struct {
	// To takes the bytes of the blocks in their order. It is called in the
	// background, but never twice at once, nor after Wait.
	To func([]byte) error

	held  []byte // contents of the block that is under way
	block []byte // reused
	done  chan error
}

// Add makes a block of contents, which belong to the writer from now on. In their
// place it gives another buffer, without capacity at first.
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

// AddPlain makes a block of large contents, in parts, which are not compressed. They
// still belong to the caller.
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

// compress makes the block of what is held.
func (w *Writer) compress() error {
	w.block = sized(w.block, head+s2.MaxEncodedLen(len(w.held)))
	compressed := s2.Encode(w.block[head:], w.held)
	appendHead(w.block[:0], len(w.held), len(compressed), crc32.Checksum(compressed, castagnoli()))
	return w.To(w.block[:head+len(compressed)])
}

// Wait waits for what is under way.
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

// sized is a buffer of that size, the same one if it is large enough.
func sized(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// Reader reads blocks in their order. It is not safe for concurrent use.
type Reader struct {
	source io.Reader
	shown  []byte // contents of the block that Next gave
	block  []byte // reused
	// Of the block behind it:

	ahead []byte // its contents
	plain int    // bytes that are not compressed, and not read yet
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

// Next gives the contents of the next block until it is called again; io.EOF when
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

// readAhead reads a block, but only the sizes of one that is not compressed.
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

// Close waits for what is under way.
func (r *Reader) Close() { <-r.done }
