package response

import (
	"bytes"
	"io"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// textReader reads a text in UTF-8: the response, or a file of an archive.
type textReader struct {
	buffered
	name string // name of the file, "" for the response
	line int    // number of the last line that was read

	// State of an XML document, which names its character set itself:

	marked  bool    // zero bytes or a byte order mark show the character set
	charset charset // original character set
	damaged bool    // some bytes are invalid in charset
}

// convert converts the rest of the text from another character set.
func (t *textReader) convert(c charset) {
	before := t.buffered
	t.charset = c
	t.buffered = buffered{home: before.home, source: c.inUTF8(&before, &t.damaged), buf: before.home.buffer()}
}

// nextLine returns the next line with its line feed. The line is valid until the next
// call. nextLine returns io.EOF at the end, and errLargeItem if a line that is not
// completely in memory has more than most bytes.
func (t *textReader) nextLine(most int64) ([]byte, error) {
	n, err := t.peekLine(most)
	if err != nil {
		return nil, err
	}
	return t.take(n), nil
}

// peekLine returns the length of the next line with its line feed. All of the line is in
// memory then. See nextLine for the errors.
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

func (t *textReader) take(n int) []byte {
	line := t.text[:n]
	t.text = t.text[n:]
	t.line++
	return line
}

// ofFile returns the words for the file in messages, or "".
func (t *textReader) ofFile() string {
	if t.name == "" {
		return ""
	}
	return " of the file " + strconv.Quote(t.name)
}

// direct reports whether the response is a single text in UTF-8, which needs no
// conversion.
func (d *decodeState) direct() (bool, error) {
	if len(d.query.Format.unpack) > 0 {
		return false, nil
	}
	c, _, err := d.spool.charset(d.query.Format.charset)
	return c.encoding == nil, err
}

// eachText calls read for each text of the response, unpacked, in UTF-8, and without byte
// order marks.
func (d *decodeState) eachText(read func(*textReader) error) error {
	direct, err := d.direct()
	if err != nil {
		return err
	}
	if direct {
		if err := d.spool.rejectCompressed(""); err != nil {
			return err
		}
		b, err := d.spool.buffered(0)
		if err != nil {
			return err
		}
		d.noteDamage()
		return d.readText(&textReader{buffered: b}, read)
	}
	return d.files(func(name string, r io.Reader) error {
		return d.decoded(name, r, func(r io.Reader) error {
			return d.readText(&textReader{name: name, buffered: buffered{home: d.spool.home, source: r, buf: d.spool.home.buffer()}}, read)
		})
	})
}

// noteDamage records that invalid bytes of a response in UTF-8 are dropped.
func (d *decodeState) noteDamage() {
	if d.spool.HasInvalidUTF8() {
		d.damage(charset{unknown: d.spool.declared.unknown})
	}
}

func (d *decodeState) damage(c charset) { d.page.Damaged, d.page.UnknownCharset = c.label(), c.unknown }

// decoded calls read with a text in UTF-8, without its byte order mark. An unpacked text
// is read twice if the header declares a character set: the first pass checks whether the
// text is UTF-8.
func (d *decodeState) decoded(name string, r io.Reader, read func(io.Reader) error) error {
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
	if err := spool.rejectCompressed(name); err != nil {
		return err
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

// rejectCompressed returns an error if the spool begins like a compressed file that the
// configuration does not unpack. Otherwise its bytes would become values.
func (s *Spool) rejectCompressed(name string) error {
	head, err := s.Head(packedHead)
	if wrapper := CompressionOf(head); err == nil && wrapper != "" {
		return &formatError{reason: "it is packed", packed: wrapper, file: name}
	}
	return err
}

// files calls each for each unpacked file of the response.
func (d *decodeState) files(each eachFile) error {
	f := d.query.Format
	u := &unpacker{home: d.spool.home, member: f.member, limit: d.query.MaxBytes, left: d.query.MaxBytes}
	return u.unpack(f.unpack, "", d.spool.reread(), each)
}

// readText calls read with a text, without its byte order marks.
func (d *decodeState) readText(t *textReader, read func(*textReader) error) error {
	defer t.close()
	d.text = t
	for {
		if err := t.fillTo(len(markUTF8)); err != nil {
			return err
		}
		rest, marked := bytes.CutPrefix(t.text, []byte(markUTF8))
		if !marked {
			return read(t)
		}
		t.text = rest // programs that append a file to another one leave a second mark
	}
}

// reread reads the bytes of a spool again. Its errors are application errors, because the
// response is not the cause.
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
