package failure

import "strings"

// Text is a message of the program with parts of a document or a response (see Part).
// Secrets are masked only in the parts, so that words of the program are never masked. A
// constant converts to Text implicitly. For a computed string the caller chooses between
// Part and a conversion.
type Text string

// Parts are enclosed in two Unicode noncharacters, which do not occur in texts.
const (
	partBegin = "\uFDD0"
	partEnd   = "\uFDD1"
)

// Part returns a name or a value as a part of a message. A secret must not be split
// between parts, because it would not be masked.
func Part(text string) Text {
	return partBegin + Text(noMarks.Replace(text)) + partEnd
}

// Parts returns a list of names or values as one part.
func Parts(texts []string) Text {
	return Part(strings.Join(texts, ", "))
}

var noMarks = strings.NewReplacer(partBegin, "", partEnd, "")

// String returns the text without the marks of parts.
func (t Text) String() string { return noMarks.Replace(string(t)) }

// MarshalText implements encoding.TextMarshaler.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Mask returns the text with its parts masked and without their marks.
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
