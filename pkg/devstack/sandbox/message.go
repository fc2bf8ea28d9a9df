package sandbox

import (
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// The limits of what is shown to a user, in characters.
const (
	outputCharacters  = 60_000 // of an output; the rest is cut
	messageCharacters = 4000   // of a message
	endCharacters     = 1997   // of each end of a longer message
)

const (
	trimmed   = " [trimmed]"
	ellipsis  = " ... "
	noMessage = "No error message."
)

// cleaner makes the component's texts safe to show.
type cleaner struct {
	secrets secret.Registry
	// longest is at least the length of any spelling of any secret, in bytes.
	longest int
}

func newCleaner(secrets []string) *cleaner {
	// The longest spelling of a byte is a JSON escape of six characters.
	const spelling = 6
	c := &cleaner{}
	for _, secret := range secrets {
		c.secrets.Add(secret)
		c.longest = max(c.longest, len(secret)*spelling)
	}
	return c
}

// clean is a text without secrets, surrounding white space and invalid UTF-8, no
// longer than a message may be. Cut says that the text is not complete.
func (c *cleaner) clean(text string, cut bool) string {
	text = c.secrets.Mask(text)
	if cut {
		// The end may contain the first part of a secret, which Redact does not
		// find. So that much is removed.
		text = text[:max(0, len(text)-c.longest)]
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if start, more := first(text, outputCharacters); more || cut {
		text = start + trimmed
	}
	return Shorten(text)
}

// Shorten keeps both ends of a text that is too long for a message, as the platform
// does.
func Shorten(text string) string {
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

// first returns the first characters of a text, and whether there are more.
func first(text string, characters int) (start string, more bool) {
	for at := range text {
		if characters--; characters < 0 {
			return text[:at], true
		}
	}
	return text, false
}
