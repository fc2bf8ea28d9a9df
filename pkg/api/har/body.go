package har

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/api/disguise"
)

// body is the body of a response as written to the recording.
type body struct {
	open   func() io.Reader // nil if there is no body
	size   int64            // size in bytes, 0 if unknown
	binary bool             // true if the body is stored in base64
	clean  bool             // true if all secrets in the body are already masked
	masked bool             // true if the body contained secrets
	// omitted is the reason to leave out the body, or "".
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
		suspect, err := hasSuspectStart(x.Body())
		if err != nil || !suspect {
			return b, err
		}
	}
	result, err := disguise.Clean(x.Body, disguise.Options{Mask: r.mask, TempDir: filepath.Dir(r.o.Path), Charsets: x.Charsets})
	b.result, b.open, b.clean, b.masked, b.omitted = result, result.Body, true, result.Masked, result.Omitted
	b.binary = b.binary || result.Masked && !result.Text // the masked body has another character set
	if b.omitted != "" {
		b.open, b.binary, b.masked = nil, false, false
	}
	return b, err
}

// hasSuspectStart reports whether the beginning of a UTF-8 body is suspect, see
// disguise.Suspect.
func hasSuspectStart(r io.Reader) (bool, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return disguise.Suspect(head[:n]), nil
}

// mask copies a text with its secrets masked. It implements disguise.Mask.
func (r *Recorder) mask(w io.Writer, text io.Reader) (found bool, err error) {
	m := masker{w: w, secrets: r.o.Secrets}
	err = m.copy(text)
	return m.found, err
}
