package answer

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Excerpts are cut to mostShown bytes after masking; headBytes are read, so that
// a secret is masked whole and not cut in two first.
const (
	headBytes = 64 << 10
	mostShown = 120
)

// Excerpt is the start of a body as an error shows it: one line, masked, marked
// when more follows, empty when it holds anything unprintable.
func Excerpt(spool *Spool, redact func(string) string) string {
	head, err := spool.Head(headBytes)
	if err != nil {
		return ""
	}
	text := strings.Join(strings.Fields(redact(strings.ToValidUTF8(string(head), "\x00"))), " ")
	more := spool.Size() > headBytes
	if len(text) > mostShown {
		text, more = text[:mostShown], true
	}
	text = strings.ToValidUTF8(text, "") // a character cut in two
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return ""
		}
	}
	if more {
		text += " …"
	}
	return text
}

// notJSON is the user error for an answer that is not JSON; a spool that cannot
// be read stays the error it is.
func (sc *Scanner) notJSON(spool *Spool, err error) error {
	var reason string
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "it ends too early"
	case errors.Is(err, errMoreText):
		reason = errMoreText.Error()
	case errors.Is(err, errLargeItem):
		return largeItem(err)
	case ok:
		reason = value.Complaint(syntax)
	default:
		return err
	}
	e := failure.Userf("the response is not valid JSON: %s", reason)
	if text := Excerpt(spool, sc.redact); text != "" {
		e.Message += "; it begins with: " + text
	}
	e.Cause = err
	return e
}
