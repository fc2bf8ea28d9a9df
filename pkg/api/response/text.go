package response

import (
	"bytes"
	"io"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// textReader is a text of a response in UTF-8: the response itself, or a file of an archive.
type textReader struct {
	buffered
	name string // of the file, "" for the response
	line int    // number of the last line that was taken

	// Of a document in XML, which names its character set itself:

	marked  bool    // zeros or a byte order mark at its beginning show its character set
	charset charset // that it was converted from
	damaged bool    // some bytes are not of it
}

// convert has the rest of the text read in another character set.
func (t *textReader) convert(c charset) {
	before := t.buffered
	t.charset = c
	t.buffered = buffered{home: before.home, source: c.inUTF8(&before, &t.damaged), buf: before.home.buffer()}
}

// nextLine takes a line with its line feed; io.EOF at the end, errLargeItem when it has
// more bytes than it may. The line is gone when the next one is taken.
func (t *textReader) nextLine(most int64) ([]byte, error) {
	n, err := t.peekLine(most)
	if err != nil {
		return nil, err
	}
	return t.take(n), nil
}

// peekLine is how many bytes the next line has, with its line feed; all of it is in
// memory then. errLargeItem says that there are more than that.
func (t *textReader) peekLine(most int64) (int, error) {
	seen := 0
	for {
		if end := bytes.IndexByte(t.text[seen:], '\n'); end >= 0 {
			return seen + end + 1, nil
		}
		if seen = len(t.text); int64(seen) > most {
			return 0, errLargeItem
		}
		switch err := t.fill(); {
		case err == nil:
		case err == io.EOF && seen > 0:
			return seen, nil
		default:
			return 0, err
		}
	}
}

// take takes a line of so many bytes.
func (t *textReader) take(n int) []byte {
	line := t.text[:n]
	t.text = t.text[n:]
	t.line++
	return line
}

// at names a line of the text for a message.
func (t *textReader) at(line int) string { return "line " + strconv.Itoa(line) }

// of names the file for a message.
func (t *textReader) of() string {
	if t.name == "" {
		return ""
	}
	return " of the file " + strconv.Quote(t.name)
}

// direct reports whether the response is its only text, in UTF-8.
func (d *decodeState) direct() (bool, error) {
	if len(d.query.Format.unpack) > 0 {
		return false, nil
	}
	c, _, err := d.spool.charset(d.query.Format.charset)
	return c.encoding == nil, err
}

// eachText goes through the texts of the response: unpacked, in UTF-8, without byte order
// marks.
func (d *decodeState) eachText(read func(*textReader) error) error {
	direct, err := d.direct()
	if err != nil {
		return err
	}
	if direct {
		if err := d.rejectCompressedBody(); err != nil {
			return err
		}
		b, err := d.spool.buffered(0)
		if err != nil {
			return err
		}
		d.noteDamage()
		return d.one(&textReader{buffered: b}, read)
	}
	return d.files(func(name string, r io.Reader) error {
		r, err := rejectCompressed(name, r)
		if err != nil {
			return err
		}
		return d.decoded(r, func(r io.Reader) error {
			return d.one(&textReader{name: name, buffered: buffered{home: d.spool.home, source: r, buf: d.spool.home.buffer()}}, read)
		})
	})
}

// noteDamage notes that bytes of a response that is read directly are dropped.
func (d *decodeState) noteDamage() {
	if d.spool.HasInvalidUTF8() {
		d.damage(charset{unknown: d.spool.declared.unknown})
	}
}

func (d *decodeState) damage(c charset) { d.page.Damaged, d.page.UnknownCharset = c.label(), c.unknown }

// decoded converts a text to UTF-8, without its byte order mark. If the text was unpacked and
// the header names a character set, it is read twice: first to see whether it is UTF-8.
func (d *decodeState) decoded(r io.Reader, read func(io.Reader) error) error {
	spool, raw := d.spool, r
	if len(d.query.Format.unpack) > 0 {
		spool = d.spool.home.New()
		defer spool.Close()
		spool.declared = d.spool.declared
		if _, err := io.CopyN(spool, r, markBytes); err != nil && err != io.EOF {
			return err
		}
		raw = io.MultiReader(spool.Raw(), r)
		if d.query.Format.charset.name == "" && spool.declared.encoding != nil {
			if _, err := spool.ReadFrom(r); err != nil {
				return err
			}
			raw = spool.Raw()
		}
	}
	c, mark, err := spool.charset(d.query.Format.charset)
	if err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, raw, int64(len(mark))); err != nil {
		return err
	}
	damaged := false
	err = read(c.inUTF8(raw, &damaged))
	if damaged {
		d.damage(c)
	}
	return err
}

// rejectCompressedBody refuses a response that is a packed file. Without that its bytes would become
// values. What is not JSON is refused anyway.
func (d *decodeState) rejectCompressedBody() error {
	if d.query.Format.Name == "" {
		return nil
	}
	head, err := d.spool.Head(packedHead)
	if err != nil {
		return err
	}
	return errCompressed("", head)
}

// rejectCompressed is unpacked for the contents of a file.
func rejectCompressed(name string, r io.Reader) (io.Reader, error) {
	head := make([]byte, packedHead)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return io.MultiReader(bytes.NewReader(head[:n]), r), errCompressed(name, head[:n])
}

func errCompressed(name string, head []byte) error {
	if wrapper := CompressionOf(head); wrapper != "" {
		return &formatError{reason: "it is packed", packed: wrapper, file: name}
	}
	return nil
}

// files goes through the files of the response, unpacked.
func (d *decodeState) files(each eachFile) error {
	f := d.query.Format
	u := &unpacker{home: d.spool.home, member: f.member, limit: d.query.MaxBytes, left: d.query.MaxBytes}
	return u.unpack(f.unpack, "", d.spool.reread(), each)
}

// one reads a text.
func (d *decodeState) one(t *textReader, read func(*textReader) error) error {
	defer t.close()
	d.text = t
	for {
		for len(t.text) < len(markUTF8) {
			if err := t.fill(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		rest, marked := bytes.CutPrefix(t.text, []byte(markUTF8))
		if !marked {
			return read(t)
		}
		t.text = rest // some programs write a second mark before that of a file they add to
	}
}

// reread reads the bytes of a spool once more. What goes wrong is not the response's
// fault.
type reread struct{ whole }

type whole interface {
	io.Reader
	RandomAccess
}

func (s *Spool) reread() reread { return reread{s.Raw().(whole)} }

func (r reread) Read(p []byte) (int, error) {
	n, err := r.whole.Read(p)
	return n, rereading(err)
}

func (r reread) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.whole.ReadAt(p, at)
	return n, rereading(err)
}

func rereading(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failure.Applicationf("reading a response once more: %w", err)
}
