// Package response holds one response of the target API as a replayable spool:
// in memory while it is small, in a temporary file beyond that. A decoder, one for
// each format, reads it once, from start to end, for everything a decision about
// the page needs, and keeps its items packed; only then are they streamed one by
// one. A response is never in memory as a whole tree.
//
// The package knows spools and formats. It knows nothing of HTTP, of paging rules
// or of tables.
package response

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value/blocks"
)

// MemoryLimit is how many bytes of a body stay in memory by default.
const MemoryLimit = 4 << 20

// Spooler makes spools that share their buffers. It is safe for concurrent
// use.
type Spooler struct {
	dir     string
	limit   int
	item    int64     // bytes of one value
	text    int64     // bytes of an item that is read as a whole
	block   int       // bytes of items that are compressed at once
	buffers sync.Pool // of *[]byte
}

// NewSpooler makes spools whose bodies beyond limit bytes go to temporary files
// in dir.
func NewSpooler(dir string, limit int) *Spooler {
	return &Spooler{dir: dir, limit: limit, item: maxItem, text: maxText, block: blocks.Size}
}

// Spool holds the bytes of one body. It is written once, from start to end,
// and then read as often as needed.
type Spool struct {
	home    *Spooler
	memory  []byte
	items   *store // what a decoder made of it; nil before
	file    *os.File
	size    int64
	invalid bool // some bytes are not UTF-8
	// coding is a Content-Encoding that could not be undone, "" for none.
	coding string
	// declared is the character set that the header names.
	declared charset
	tail     []byte // start of a character that the next write completes
}

// New makes an empty spool.
func (s *Spooler) New() *Spool {
	return &Spool{home: s, memory: s.buffer()}
}

// Write appends to the spool.
func (s *Spool) Write(p []byte) (int, error) {
	s.checkUTF8(p)
	if s.file == nil && len(s.memory)+len(p) > s.home.limit {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.memory = append(s.memory, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, err
}

const (
	// leastRead is how many bytes ReadFrom has free for a read.
	leastRead = 512
	// chunk is how many bytes it reads at once of what goes to a file.
	chunk = 128 << 10
)

// ReadFrom appends everything that a reader returns. What stays in memory is read into its
// place.
func (s *Spool) ReadFrom(r io.Reader) (n int64, err error) {
	for s.file == nil && len(s.memory) < s.home.limit {
		s.memory = slices.Grow(s.memory, leastRead)
		room := s.memory[len(s.memory):min(cap(s.memory), s.home.limit)]
		got, err := r.Read(room)
		s.checkUTF8(room[:got])
		s.memory = s.memory[:len(s.memory)+got]
		s.size += int64(got)
		n += int64(got)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	buf := slices.Grow(s.home.buffer(), chunk)
	defer func() { s.home.recycle(buf) }()
	more, err := io.CopyBuffer(struct{ io.Writer }{s}, r, buf[:chunk])
	return n + more, err
}

func (s *Spool) toFile() error {
	f, err := s.home.tempFile()
	if err != nil {
		return err
	}
	s.file = f
	if _, err := f.Write(s.memory); err != nil {
		return err
	}
	s.recycle()
	return nil
}

// tempFile makes a temporary file. It has no name any more: it vanishes with its
// last handle, even when the program is killed.
func (s *Spooler) tempFile() (*os.File, error) {
	f, err := os.CreateTemp(s.dir, "response-*")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary file for a large response: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (s *Spool) recycle() {
	s.home.recycle(s.memory)
	s.memory = nil
}

func (s *Spooler) recycle(b []byte) {
	if cap(b) > 0 && !s.huge(b) {
		s.buffers.Put(&b)
	}
}

// huge reports whether a buffer is better left to the garbage collector: that of a
// large item, which few responses have.
func (s *Spooler) huge(b []byte) bool { return cap(b) > 2*max(s.limit, MemoryLimit) }

// buffer is an empty buffer, with some capacity if there is one to use again.
func (s *Spooler) buffer() []byte {
	if b, ok := s.buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// checkUTF8 notes whether any byte so far is not UTF-8; characters may be cut
// by the end of a write.
func (s *Spool) checkUTF8(p []byte) {
	if s.invalid {
		return
	}
	for len(s.tail) > 0 && len(p) > 0 {
		s.tail = append(s.tail, p[0])
		p = p[1:]
		if utf8.FullRune(s.tail) {
			s.invalid = !utf8.Valid(s.tail)
			s.tail = nil
		}
	}
	if s.invalid || utf8.Valid(p) {
		return
	}
	for i := max(0, len(p)-utf8.UTFMax); i < len(p); i++ {
		if utf8.RuneStart(p[i]) && !utf8.FullRune(p[i:]) && utf8.Valid(p[:i]) {
			s.tail = append([]byte(nil), p[i:]...)
			return
		}
	}
	s.invalid = true
}

// Arrived notes the header of the response: a Content-Encoding that could not be undone, ""
// for none, and the Content-Type.
func (s *Spool) Arrived(coding, contentType string) {
	if s.size > 0 {
		s.coding = coding
	}
	s.declared = declaredCharset(contentType)
}

// Coding returns the Content-Encoding that could not be undone, "" for none.
func (s *Spool) Coding() string { return s.coding }

// decoded returns a user error if the Content-Encoding could not be undone.
func (s *Spool) decoded() error {
	if s.coding == "" {
		return nil
	}
	return failure.Userf("the response cannot be read: its header Content-Encoding says %q, expected gzip, deflate, zstd or none; if the request has a header Accept-Encoding, set it to gzip or remove it", s.coding)
}

// Size is the number of bytes.
func (s *Spool) Size() int64 { return s.size }

// HasInvalidUTF8 reports whether some of the bytes are not UTF-8.
func (s *Spool) HasInvalidUTF8() bool { return s.invalid || len(s.tail) > 0 }

// Raw reads all bytes as they arrived.
func (s *Spool) Raw() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// Head is up to n bytes of the start.
func (s *Spool) Head(n int) ([]byte, error) {
	head := make([]byte, n)
	got, err := io.ReadFull(s.Raw(), head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:got], err
}

// text reads the bytes from an offset on, without those that are not UTF-8.
// The offset counts bytes of the cleaned text.
func (s *Spool) text(offset int64) (io.Reader, error) {
	if s.HasInvalidUTF8() {
		r := &cleaner{source: s.Raw()}
		if _, err := io.CopyN(io.Discard, r, offset); err != nil {
			return nil, err
		}
		return r, nil
	}
	if s.file == nil {
		return bytes.NewReader(s.memory[offset:]), nil
	}
	return io.NewSectionReader(s.file, offset, s.size-offset), nil
}

// Close releases the memory and removes the temporary file.
func (s *Spool) Close() error {
	s.recycle()
	var err error
	if s.items != nil {
		err = s.items.close()
		s.items = nil
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
		s.file = nil
	}
	return err
}

// Replace puts another text in the place of what was written.
func (s *Spool) Replace(text []byte) error {
	if err := s.Close(); err != nil {
		return err
	}
	*s = Spool{home: s.home}
	_, err := s.Write(text)
	return err
}

// Text returns the whole text in UTF-8, without a byte order mark. If some bytes are not of
// the character set, damaged is the name of the set. Text is meant for bodies that are known
// to be small.
func (s *Spool) Text(f Format) (text []byte, damaged string, err error) {
	if err := s.decoded(); err != nil {
		return nil, "", err
	}
	c, mark, err := s.charset(f.charset)
	if err != nil {
		return nil, "", err
	}
	r := s.Raw()
	if _, err := io.CopyN(io.Discard, r, int64(len(mark))); err != nil {
		return nil, "", err
	}
	dropped := false
	text, err = io.ReadAll(c.inUTF8(r, &dropped))
	if dropped {
		damaged = c.label()
	}
	return text, damaged, err
}
