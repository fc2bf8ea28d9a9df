package response

import (
	"io"
)

// window is the minimum number of bytes of a text that are read from a file at once.
const window = 64 << 10

// buffered reads a text from start to end. It does not copy a text that is in memory.
type buffered struct {
	home   *Spooler
	text   []byte    // bytes that were read from source, but not yet by the caller
	source io.Reader // rest of the text, nil if all of it is in text
	buf    []byte    // memory of text if there is a source
}

// buffered returns a reader of the text from an offset on.
func (s *Spool) buffered(offset int64) (buffered, error) {
	if s.file == nil && !s.HasInvalidUTF8() {
		return buffered{home: s.home, text: s.memory[offset:]}, nil
	}
	source, err := s.text(offset)
	if err != nil {
		return buffered{}, err
	}
	return buffered{home: s.home, source: source, buf: s.home.buffer()}, nil
}

func (b *buffered) close() { b.home.recycle(b.buf) }

// fill reads more bytes into text. It returns io.EOF at the end of the text.
func (b *buffered) fill() error {
	if b.source == nil {
		return io.EOF
	}
	held := len(b.text)
	if size := max(window, 2*held); cap(b.buf) < size {
		b.buf = append(make([]byte, 0, size), b.text...)
	} else {
		copy(b.buf[:held], b.text)
	}
	n, err := b.source.Read(b.buf[held:max(window, 2*held)])
	b.text = b.buf[:held+n]
	if n > 0 {
		return nil // the next call returns the error again
	}
	return err
}

// fillTo reads until text has n bytes, or to the end of the text.
func (b *buffered) fillTo(n int) error {
	for len(b.text) < n {
		if err := b.fill(); err != nil {
			return ignoreEOF(err)
		}
	}
	return nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Read implements io.Reader.
func (b *buffered) Read(p []byte) (int, error) {
	if len(b.text) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}
