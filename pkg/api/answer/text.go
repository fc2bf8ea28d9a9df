package answer

import (
	"bytes"
	"io"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// text is a text of an answer in UTF-8: the answer itself, or a file of an archive.
type text struct {
	buffered
	name string // of the file, "" for the answer
	line int    // number of the last line that was taken
}

// nextLine takes a line with its line feed; io.EOF at the end, errLargeItem when it has
// more bytes than it may. The line is gone when the next one is taken.
func (t *text) nextLine(most int64) ([]byte, error) {
	n, err := t.peekLine(most)
	if err != nil {
		return nil, err
	}
	return t.take(n), nil
}

// peekLine is how many bytes the next line has, with its line feed; all of it is in
// memory then. errLargeItem says that there are more than that.
func (t *text) peekLine(most int64) (int, error) {
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
func (t *text) take(n int) []byte {
	line := t.text[:n]
	t.text = t.text[n:]
	t.line++
	return line
}

// at names a line of the text for a message.
func (t *text) at(line int) string { return "line " + strconv.Itoa(line) }

// of names the file for a message.
func (t *text) of() string {
	if t.name == "" {
		return ""
	}
	return " of the file " + strconv.Quote(t.name)
}

// direct reports whether the answer is its only text, in UTF-8.
func (d *decoding) direct() bool {
	if len(d.query.Format.unpack) > 0 || d.query.Format.charset != nil {
		return false
	}
	head, err := d.spool.Head(len(markUTF16BE))
	return err == nil && string(head) != markUTF16BE && string(head) != markUTF16LE
}

// texts goes through the texts of the answer: unpacked, in UTF-8, without byte order
// marks.
func (d *decoding) texts(read func(*text) error) error {
	if d.direct() {
		if err := d.unpacked(); err != nil {
			return err
		}
		b, err := d.spool.buffered(0)
		if err != nil {
			return err
		}
		d.page.Cleaned = d.spool.Unclean()
		return d.one(&text{buffered: b}, read)
	}
	return d.files(func(name string, r io.Reader) error {
		r, err := notPacked(name, r)
		if err != nil {
			return err
		}
		source, err := inUTF8(r, d.query.Format.charset, &d.page.Cleaned)
		if err != nil {
			return err
		}
		return d.one(&text{name: name, buffered: buffered{home: d.spool.home, source: source, buf: d.spool.home.buffer()}}, read)
	})
}

// unpacked refuses an answer that is a packed file. Without that its bytes would become
// values. What is not JSON is refused anyway.
func (d *decoding) unpacked() error {
	if d.query.Format.Name == "" {
		return nil
	}
	head, err := d.spool.Head(packedHead)
	if err != nil {
		return err
	}
	return refusePacked("", head)
}

// notPacked is unpacked for the contents of a file.
func notPacked(name string, r io.Reader) (io.Reader, error) {
	head := make([]byte, packedHead)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return io.MultiReader(bytes.NewReader(head[:n]), r), refusePacked(name, head[:n])
}

func refusePacked(name string, head []byte) error {
	if wrapper := WrapperOf(head); wrapper != "" {
		return &malformed{reason: "it is packed", packed: wrapper, file: name}
	}
	return nil
}

// files goes through the files of the answer, unpacked.
func (d *decoding) files(each eachFile) error {
	f := d.query.Format
	u := &unpacker{home: d.spool.home, member: f.member, limit: d.query.MaxBytes, left: d.query.MaxBytes}
	return u.unpack(f.unpack, "", d.spool.reread(), each)
}

// one reads a text.
func (d *decoding) one(t *text, read func(*text) error) error {
	defer t.close()
	d.text = t
	for len(t.text) < len(markUTF8) {
		if err := t.fill(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	t.text = bytes.TrimPrefix(t.text, []byte(markUTF8))
	return read(t)
}

// reread reads the bytes of a spool once more. What goes wrong is not the answer's
// fault.
type reread struct{ whole }

type whole interface {
	io.Reader
	randomAccess
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
