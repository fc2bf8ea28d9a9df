package har

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/api/disguise"
)

// body is the body of a response as it is stored.
type body struct {
	open   func() io.Reader // nil for none
	size   int64            // 0 if it is not known
	binary bool             // the body is stored in base64
	clean  bool             // all secrets in the body are masked already
	masked bool             // there were secrets
	// omitted is the reason to leave out the body, "" for none.
	omitted string

	result disguise.Result
}

// close releases the masked copy of the body.
func (b body) close() error { return b.result.Close() }

// bodyOf returns the body of an exchange for the recording.
func (r *Recorder) bodyOf(x Exchange) (body, error) {
	b := body{open: x.Body, size: x.Size, binary: x.Binary}
	switch {
	case x.Body == nil:
		return b, nil
	case x.HideTexts:
		hidden, err := hideAll(x.Body(), x.Response.StatusCode)
		b.open, b.size, b.masked = func() io.Reader { return bytes.NewReader(hidden) }, int64(len(hidden)), true
		return b, err
	case !x.Binary:
		suspect, err := startsOddly(x.Body())
		if err != nil || !suspect {
			return b, err
		}
	}
	result, err := disguise.Clean(x.Body, disguise.Options{Mask: r.mask, TempDir: filepath.Dir(r.o.Path), Charsets: x.Charsets})
	b.result, b.open, b.clean, b.masked, b.omitted = result, result.Body, true, result.Masked, result.Omitted
	b.binary = b.binary || result.Masked && !result.Text // masked in another character set
	if b.omitted != "" {
		b.open, b.binary, b.masked = nil, false, false
	}
	return b, err
}

// startsOddly reports whether the beginning of a body in UTF-8 is suspect, see
// disguise.Suspect.
func startsOddly(r io.Reader) (bool, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return disguise.Suspect(head[:n]), nil
}

// mask copies a text with its secrets masked. See disguise.Mask.
func (r *Recorder) mask(w io.Writer, text io.Reader) (found bool, err error) {
	m := masker{w: w, secrets: r.o.Secrets}
	err = m.copy(text)
	return m.found, err
}
