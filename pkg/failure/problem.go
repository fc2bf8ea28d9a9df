package failure

import (
	"cmp"
	"fmt"
	"strings"
)

// Problem is one fault of the configuration: where, what was found, what was
// expected, what to try.
type Problem struct {
	// Code is the kind of the problem; "" when it has no name yet.
	Code Code `json:"code,omitempty"`
	// Pointer is the JSON pointer (RFC 6901) of the faulty value in the
	// document as it was given; "" is the whole document.
	Pointer string `json:"pointer"`
	// Found says what stands there, shortened, never a secret value.
	Found Text `json:"found,omitempty"`
	// Expected says what should stand there.
	Expected Text `json:"expected"`
	// Hint says what to try, e.g. the nearest known key. May be empty.
	Hint Text `json:"hint,omitempty"`
}

// String is the problem in one line: pointer, expectation, finding, hint.
func (p Problem) String() string {
	text := cmp.Or(p.Pointer, "the document") + ": " + p.Expected.String()
	if p.Found != "" {
		text += ", found " + p.Found.String()
	}
	if p.Hint != "" {
		text += "; " + p.Hint.String()
	}
	return text
}

// Problems is every fault found in one document. As an error it is a user
// error; an empty list is not an error, see Err.
type Problems []Problem

// Add appends a problem.
func (ps *Problems) Add(p Problem) { *ps = append(*ps, p) }

// Err is the list as an error, or nil when it is empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Error lists all problems in one line: the first one first, for a job message
// may be cut in the middle.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	if len(ps) == 1 {
		return "configuration: " + lines[0]
	}
	return fmt.Sprintf("configuration, %d problems: %s", len(ps), strings.Join(lines, " | "))
}

// PointerJoin appends one reference token to a JSON pointer, escaped as RFC
// 6901 wants it.
func PointerJoin(pointer, token string) string {
	if !strings.ContainsAny(token, "~/") {
		return pointer + "/" + token // most tokens by far
	}
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// PointerSplit are the reference tokens of a JSON pointer, unescaped.
func PointerSplit(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		if strings.Contains(token, "~") {
			tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		}
	}
	return tokens
}
