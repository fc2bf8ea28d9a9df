package failure

import (
	"cmp"
	"fmt"
	"strings"
)

// Problem is one problem of the configuration.
type Problem struct {
	// Code is the kind of the problem. It may be empty.
	Code Code `json:"code,omitempty"`
	// Pointer is the JSON pointer (RFC 6901) of the value in the document. "" is the
	// whole document.
	Pointer string `json:"pointer"`
	// Found describes the value, shortened and without secrets.
	Found Text `json:"found,omitempty"`
	// Expected describes a correct value.
	Expected Text `json:"expected"`
	// Hint is a suggestion, for example the nearest known key. It may be empty.
	Hint Text `json:"hint,omitempty"`
}

// String returns the problem as one line.
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

// Problems are the problems of one document. As an error it is a user error. An empty
// list is not an error, see Err.
type Problems []Problem

// Add appends a problem.
func (ps *Problems) Add(p Problem) { *ps = append(*ps, p) }

// Err returns the list as an error, or nil if it is empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Unique returns the list without repetitions. Parts of a document that several
// iterations share are compiled for each of them and report the same problems.
func (ps Problems) Unique() Problems {
	seen := make(map[Problem]bool, len(ps))
	var unique Problems
	for _, p := range ps {
		if !seen[p] {
			seen[p] = true
			unique = append(unique, p)
		}
	}
	return unique
}

// Error returns all problems as one line.
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

// PointerJoin appends a token to a JSON pointer, escaped by RFC 6901.
func PointerJoin(pointer, token string) string {
	if !strings.ContainsAny(token, "~/") {
		return pointer + "/" + token // nearly all tokens
	}
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// PointerSplit returns the tokens of a JSON pointer, unescaped.
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
