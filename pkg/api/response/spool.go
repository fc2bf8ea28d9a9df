// Package response stores the responses of the target API and decodes their formats. A
// Spool keeps the bytes of a response in memory if they are few, otherwise in a temporary
// file. The decoder of a format reads a spool once, from start to end. It collects
// everything that a decision about the page needs, and stores the items packed. Then
// the items are streamed one by one. A response is never in memory as a whole tree.
//
// The package does not handle HTTP, pagination or tables.
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

// MemoryLimit is the default number of bytes of a body that stay in memory.
const MemoryLimit = 4 << 20

// Spooler creates spools that share their buffers. It is safe for concurrent use.
type Spooler struct {
	dir     string
	limit   int
	item    int64     // maximum size of a single value, in bytes
	text    int64     // maximum size of an item that is read as a whole, in bytes
	block   int       // size of items that are compressed together, in bytes
	buffers sync.Pool // *[]byte
}

// NewSpooler returns a Spooler. Its spools move bodies of more than limit bytes to
// temporary files in dir.
func NewSpooler(dir string, limit int) *Spooler {
	return &Spooler{dir: dir, limit: limit, item: maxItem, text: maxText, block: blocks.Size}
}

// Spool holds the bytes of one body. It is written once, from start to end, and can then
// be read any number of times.
type Spool struct {
	home    *Spooler
	memory  []byte
	items   *store // items that a decoder has stored, nil before
	file    *os.File
	size    int64
	invalid bool // some bytes are not UTF-8
	// coding is a Content-Encoding that could not be decoded, or "".
	coding string
	// declared is the character set in the header Content-Type.
	declared charset
	tail     []byte // start of a character that the next write completes
	// recorded is the digest of a body that a recording does not hold, otherwise nil.
	recorded *Digest
}

// New returns an empty spool.
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
	// leastRead is the minimum free space, in bytes, for a read of ReadFrom.
	leastRead = 512
	// chunk is the size, in bytes, of the reads of ReadFrom after the memory limit.
	chunk = 128 << 10
)

// ReadFrom appends everything from a reader. It reads bytes that stay in memory directly
// into the spool.
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

// tempFile creates a temporary file and removes its name. The file disappears with its
// last handle, even if the program is killed.
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
	// A huge buffer was for a large item, which few responses have.
	if huge := cap(b) > 2*max(s.limit, MemoryLimit); cap(b) > 0 && !huge {
		s.buffers.Put(&b)
	}
}

// buffer returns an empty buffer. It reuses a recycled buffer if there is one.
func (s *Spooler) buffer() []byte {
	if b, ok := s.buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// checkUTF8 records whether any byte so far is not UTF-8. A write may end within a
// character.
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

// Arrived records the headers of the response: the Content-Type, and a Content-Encoding
// that could not be decoded, or "".
func (s *Spool) Arrived(coding, contentType string) {
	if s.size > 0 {
		s.coding = coding
	}
	s.declared = declaredCharset(contentType)
}

// Coding returns the Content-Encoding that could not be decoded, or "".
func (s *Spool) Coding() string { return s.coding }

// decoded returns a user error if the Content-Encoding could not be decoded.
func (s *Spool) decoded() error {
	if s.coding == "" {
		return nil
	}
	return failure.Userf("the response cannot be read: its header Content-Encoding says %q, expected gzip, deflate, zstd or none; if the request has a header Accept-Encoding, set it to gzip or remove it", s.coding)
}

// Size returns the number of bytes.
func (s *Spool) Size() int64 { return s.size }

// HasInvalidUTF8 reports whether some of the bytes are not UTF-8.
func (s *Spool) HasInvalidUTF8() bool { return s.invalid || len(s.tail) > 0 }

// Raw returns a reader of the unchanged bytes.
func (s *Spool) Raw() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// Head returns up to n bytes from the start. The caller must not change them.
func (s *Spool) Head(n int) ([]byte, error) {
	if s.file == nil {
		return s.memory[:min(n, len(s.memory))], nil
	}
	head := make([]byte, n)
	got, err := io.ReadFull(s.Raw(), head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:got], err
}

// text returns a reader of the text without bytes that are not UTF-8. offset counts bytes
// of that text.
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

// Replace replaces the contents of the spool by a text.
func (s *Spool) Replace(text []byte) error {
	if err := s.Close(); err != nil {
		return err
	}
	*s = Spool{home: s.home}
	_, err := s.Write(text)
	return err
}

// Text returns the whole text in UTF-8, without a byte order mark. If some bytes are
// invalid in the character set of the text, damaged is the name of the character set. Use
// Text only for bodies that are known to be small.
func (s *Spool) Text(f Format) (text []byte, damaged string, err error) {
	if err := s.decoded(); err != nil {
		return nil, "", err
	}
	dropped := false
	r, c, err := s.inUTF8(f.charset, &dropped)
	if err != nil {
		return nil, "", err
	}
	text, err = io.ReadAll(r)
	if dropped {
		damaged = c.label()
	}
	return text, damaged, err
}
