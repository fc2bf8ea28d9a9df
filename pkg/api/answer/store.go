package answer

import (
	"encoding/binary"
	"io"
	"os"

	"github.com/klauspost/compress/s2"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// storeBlock is how many bytes of the items of a large answer are compressed at
// once.
const storeBlock = 128 << 10

// store keeps the items of an answer in their order, packed: in memory while they
// are few, else compressed in a temporary file. First all are added, then they
// are read as often as needed. The spool closes it.
type store struct {
	home *Spooler
	most int    // bytes that stay in memory
	last []byte // the items behind those in the file
	file *os.File
	size int64 // of the blocks in the file
}

// newStore is the store for what is made of the spool, in the place of an earlier
// one.
func (s *Spool) newStore() *store {
	if s.items == nil {
		s.items = &store{home: s.home, last: s.home.buffer()}
	}
	s.items.reset()
	s.items.most = s.home.block
	if s.file == nil {
		s.items.most = max(s.home.limit, s.home.block)
	}
	return s.items
}

// reset drops all items.
func (s *store) reset() { s.last, s.size = s.last[:0], 0 }

// add appends one item, which is copied.
func (s *store) add(item value.Packed) error {
	s.last = append(s.last, item...)
	return s.settle()
}

// settle moves the last items to the file when there are too many for memory. To
// be called after items were appended to last.
func (s *store) settle() error {
	if len(s.last) <= s.most {
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = s.home.tempFile(); err != nil {
			return err
		}
	}
	s.most = s.home.block
	size, large := blockHead, len(s.last) > 2*max(s.home.limit, s.home.block)
	if !large { // memory should hold a large item once
		size += s2.MaxEncodedLen(len(s.last))
	}
	block := sized(s.home.buffer(), size)
	defer func() { s.home.recycle(block) }()
	if !large {
		block = block[:blockHead+len(s2.Encode(block[blockHead:], s.last))]
	}
	binary.LittleEndian.PutUint32(block, uint32(len(s.last)))
	binary.LittleEndian.PutUint32(block[4:], uint32(len(block)-blockHead))
	err := s.write(block)
	if large && err == nil {
		err = s.write(s.last)
	}
	if err != nil {
		return err
	}
	s.last = s.last[:0]
	if s.home.huge(s.last) {
		s.last = nil
	}
	return nil
}

// blockHead is the sizes at the start of a block: of the items, and of their
// compressed form, which is 0 where they are not compressed.
const blockHead = 8

func (s *store) write(p []byte) error {
	n, err := s.file.WriteAt(p, s.size)
	s.size += int64(n)
	return err
}

// all streams the items. Several goroutines may do so at once.
func (s *store) all(yield func(value.Packed, error) bool) {
	if s.size == 0 || s.blocks(yield) {
		each(s.last, yield)
	}
}

// blocks streams the items in the file; false when there should be no more.
func (s *store) blocks(yield func(value.Packed, error) bool) bool {
	items, zip := s.home.buffer(), s.home.buffer()
	defer func() {
		s.home.recycle(items)
		s.home.recycle(zip)
	}()
	file := io.NewSectionReader(s.file, 0, s.size)
	for {
		var err error
		if items, zip, err = readBlock(file, items, zip); err == io.EOF {
			return true
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if !each(items, yield) {
			return false
		}
	}
}

// each yields packed items; false when there should be no more.
func each(items []byte, yield func(value.Packed, error) bool) bool {
	for parts := value.PartsOf(items); parts.More(); {
		if !yield(parts.Value(), nil) {
			return false
		}
	}
	return true
}

// readBlock reads the items of the next block into a buffer, another one of which
// holds their compressed form.
func readBlock(r io.Reader, items, zip []byte) (_, _ []byte, err error) {
	var head [blockHead]byte
	if _, err = io.ReadFull(r, head[:]); err != nil {
		return items, zip, err
	}
	size, compressed := int(binary.LittleEndian.Uint32(head[:])), int(binary.LittleEndian.Uint32(head[4:]))
	items = sized(items, size)
	if compressed == 0 {
		_, err = io.ReadFull(r, items)
		return items, zip, err
	}
	zip = sized(zip, compressed)
	if _, err = io.ReadFull(r, zip); err == nil {
		items, err = s2.Decode(items, zip)
	}
	return items, zip, err
}

// sized is a buffer of that size, the same one if it is large enough.
func sized(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// close gives memory and file back.
func (s *store) close() error {
	s.home.recycle(s.last)
	s.last = nil
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}
