package sandbox

import (
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// The limits of what is shown to a user, in characters.
const (
	outputCharacters  = 60_000 // of an output, the rest is trimmed
	messageCharacters = 4000   // of a message
	endCharacters     = 1997   // of each end of a message that is longer
)

const (
	trimmed   = " [trimmed]"
	ellipsis  = " ... "
	noMessage = "No error message."
)

// cleaner makes texts of a component fit to be shown.
type cleaner struct {
	secrets secret.Registry
	// longest is a bound for the bytes of any spelling of any secret.
	longest int
}

func newCleaner(secrets []string) *cleaner {
	// The widest spelling of a byte is a JSON escape, six characters.
	const spelling = 6
	c := &cleaner{}
	for _, secret := range secrets {
		c.secrets.Add(secret)
		c.longest = max(c.longest, len(secret)*spelling)
	}
	return c
}

// clean is the text without secrets, white space around it and invalid UTF-8,
// and no longer than a message may be. Cut tells that the text goes on behind
// what was kept of it.
func (c *cleaner) clean(text string, cut bool) string {
	text = c.secrets.Redact(text)
	if cut {
		// A secret that was cut in two is not recognised: nothing may be left of
		// the part of the text in which it would be.
		text = text[:max(0, len(text)-c.longest)]
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if start, more := first(text, outputCharacters); more || cut {
		text = start + trimmed
	}
	return shorten(text)
}

// shorten keeps both ends of a text that is too long for a message.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= messageCharacters {
		return text
	}
	start, _ := first(text, endCharacters)
	from := len(text)
	for range endCharacters {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return start + ellipsis + text[from:]
}

// first is the beginning of a text, so many characters, and whether there are
// more.
func first(text string, characters int) (start string, more bool) {
	for at := range text {
		if characters--; characters < 0 {
			return text[:at], true
		}
	}
	return text, false
}
