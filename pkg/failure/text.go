package failure

import "strings"

// Text is a text of the program's own words with parts of a document, or of an
// answer, in between (Part). Secrets are masked in the parts only: the program's own
// words are never taken for one, whatever the secret is. Constants are texts; what
// is computed has to be made one, and then is either a part or own words.
type Text string

// Parts stand between two characters that no text holds (noncharacters of Unicode).
const (
	partBegin = "\uFDD0"
	partEnd   = "\uFDD1"
)

// Part is a part that stands in a document, a name or a value. It must hold all of
// what belongs together there: a secret that is in two parts is not recognised.
func Part(text string) Text {
	return partBegin + Text(noMarks.Replace(text)) + partEnd
}

// Parts are names or values in a list.
func Parts(texts []string) Text {
	return Part(strings.Join(texts, ", "))
}

var noMarks = strings.NewReplacer(partBegin, "", partEnd, "")

// String is the text as it is read.
func (t Text) String() string { return noMarks.Replace(string(t)) }

// MarshalText implements encoding.TextMarshaler.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Mask is the text with its parts masked by a function. It has no parts any more.
func (t Text) Mask(mask func(string) string) Text {
	var b strings.Builder
	rest := string(t)
	for {
		own, behind, found := strings.Cut(rest, partBegin)
		b.WriteString(own)
		if !found {
			return Text(b.String())
		}
		part, behind, _ := strings.Cut(behind, partEnd)
		b.WriteString(mask(part))
		rest = behind
	}
}
