package response

import (
	"io"
	"os"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/blocks"
)

// store keeps the packed items of a response in their order: in memory if they are few,
// otherwise compressed in a temporary file. All items are added first; then they can be
// read any number of times. The spool closes the store.
type store struct {
	home *Spooler
	most int    // maximum size of the items in memory, in bytes
	last []byte // items after the items in the file
	file *os.File
	size int64 // size of the blocks in the file

	blocks blocks.Writer
}

// newStore returns an empty store for items of the spool. It reuses the store of an
// earlier scan.
func (s *Spool) newStore() *store {
	if s.items == nil {
		s.items = &store{home: s.home, last: s.home.buffer()}
		s.items.blocks.To = s.items.write
	}
	s.items.reset()
	s.items.most = s.home.block
	if s.file == nil {
		s.items.most = max(s.home.limit, s.home.block)
	}
	return s.items
}

func (s *store) reset() {
	s.last, s.size = s.last[:0], 0
}

// spill moves the last items to the file if they are too many for memory. Call it after
// appending items to last.
func (s *store) spill() error {
	if len(s.last) <= s.most {
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = s.home.tempFile(); err != nil {
			return keeping(err)
		}
	}
	s.most = s.home.block
	var err error
	s.last, err = s.blocks.Add(s.last)
	return keeping(err)
}

func keeping(err error) error {
	if err == nil {
		return nil
	}
	return failure.Applicationf("keeping the items of a response: %w", err)
}

// complete ends adding items. It releases the buffer of the writer, because a response
// may be kept for a long time.
func (s *store) complete() { s.blocks = blocks.Writer{To: s.write} }

func (s *store) write(p []byte) error {
	n, err := s.file.WriteAt(p, s.size)
	s.size += int64(n)
	return err
}

// all streams the items. Several goroutines may do so at the same time.
func (s *store) all(yield func(value.Packed, error) bool) {
	if s.file == nil || s.eachInFile(yield) {
		eachItem(s.last, yield)
	}
}

// eachInFile streams the items in the file. It returns false if the iteration must stop.
func (s *store) eachInFile(yield func(value.Packed, error) bool) bool {
	reader := blocks.NewReader(io.NewSectionReader(s.file, 0, s.size))
	for {
		items, err := reader.Next()
		switch {
		case err == io.EOF:
			return true
		case err != nil:
			yield(nil, failure.Applicationf("reading the items of a response: %w", err))
			return false
		case !eachItem(items, yield):
			return false
		}
	}
}

// eachItem yields packed items. It returns false if the iteration must stop.
func eachItem(items []byte, yield func(value.Packed, error) bool) bool {
	for parts := value.PartsOf(items); parts.More(); {
		if !yield(parts.Value(), nil) {
			return false
		}
	}
	return true
}

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
