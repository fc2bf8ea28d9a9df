package answer

import (
	"errors"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
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
	shown := prose.Cut(text, mostShown)
	if strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	if shown == text && spool.Size() > headBytes {
		shown += " …"
	}
	return shown
}

// malformed is why an answer is not of its format.
type malformed struct {
	reason string
	cause  error
}

func (m *malformed) Error() string { return m.reason }

func (m *malformed) Unwrap() error { return m.cause }

// explained makes a user error of an answer that is not of its format; any other
// error stays what it is.
func (sc *Scanner) explained(spool *Spool, format string, err error) error {
	m, ok := errors.AsType[*malformed](err)
	if !ok {
		return err
	}
	e := failure.Userf("the response is not valid %s: %s", failure.Text(format), m.reason)
	if text := Excerpt(spool, sc.redact); text != "" {
		e.Message += "; it begins with: " + text
	}
	e.Cause = m.cause
	return e
}
