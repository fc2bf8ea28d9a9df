package sandbox

import (
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// The maximum lengths of texts for users, in characters.
const (
	outputCharacters  = 60_000 // an output
	messageCharacters = 4000   // a message
	endCharacters     = 1997   // each end of a shortened message
)

const (
	trimmed   = " [trimmed]"
	ellipsis  = " ... "
	noMessage = "No error message."
)

// cleaner masks and shortens the texts of the component for users.
type cleaner struct {
	secrets secret.Registry
	// longest is an upper bound for the length of any spelling of a secret, in bytes.
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

// clean returns a text without secrets, surrounding white space and invalid UTF-8,
// shortened to the length of a message. cut is true if the text is incomplete.
func (c *cleaner) clean(text string, cut bool) string {
	text = c.secrets.Mask(text)
	if cut {
		// The end of an incomplete text may contain the first part of a secret, which Mask
		// does not find. So remove the length of the longest secret.
		text = text[:max(0, len(text)-c.longest)]
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if start, more := first(text, outputCharacters); more || cut {
		text = start + trimmed
	}
	return Shorten(text)
}

// Shorten returns the start and the end of a text that is too long for a message, as the
// platform does. It returns other texts unchanged.
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

func first(text string, characters int) (start string, more bool) {
	for at := range text {
		if characters--; characters < 0 {
			return text[:at], true
		}
	}
	return text, false
}
