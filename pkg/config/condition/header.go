package condition

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ErrNoBody is the error of a lookup in a body that cannot be read. A comparison with such
// a value does not hold, regardless of its operator.
var ErrNoBody = errors.New("the body cannot be read")

// CompileResponse compiles a condition on a response: as CompileWords, and header(NAME) is
// a header of the response.
func CompileResponse(s field.Section) Condition {
	return compile(s, dialect{words: true, headers: true})
}

// ParseResponse compiles the text of a condition on a response, as Parse does.
func ParseResponse(text string) Condition {
	c, _, _ := parse(text, dialect{headers: true})
	return c
}

// Headers returns the canonical names of the compared headers without duplicates.
func (c Condition) Headers() []string {
	var all []string
	c.each(func(one comparison) {
		if one.header != "" && !slices.Contains(all, one.header) {
			all = append(all, one.header)
		}
	})
	return all
}

// HoldsIn reports whether a condition holds for a response with these headers. at may return
// ErrNoBody.
func (c Condition) HoldsIn(header http.Header, at func(path string) (value.Value, error)) (bool, error) {
	return c.holds(func(one comparison) (value.Value, error) {
		if one.header != "" {
			return value.OfString(HeaderText(header, one.header)), nil
		}
		return at(one.path)
	})
}

// HeaderText returns the lines of a header, regardless of letter case, as one text. The
// text is empty if the header is absent.
func HeaderText(header http.Header, name string) string {
	var lines []string
	for _, spelt := range slices.Sorted(maps.Keys(header)) {
		if strings.EqualFold(spelt, name) {
			lines = append(lines, header[spelt]...)
		}
	}
	return strings.Join(lines, ", ")
}

// callLike matches a name and a bracket.
var callLike = regexp.MustCompile(`^\s*([A-Za-z_\-]+)\s*[(\[]`)

// looksLikeHeader reports whether a text begins with header(NAME) or a near miss of it. No
// path of a response begins like this.
func looksLikeHeader(text string) bool {
	found := callLike.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	name := strings.Trim(strings.TrimPrefix(strings.ToLower(found[1]), "response"), "_-")
	return failure.Distance(name, "header") <= 2
}

func hasOperator(text string) bool {
	_, ok := parseComparison(text)
	return ok
}

// findHeader sets the header of a comparison with header(NAME). It returns false if the
// comparison has a near miss of that form.
func (c *comparison) findHeader() bool {
	if !looksLikeHeader(c.path) {
		return true
	}
	name, begins := strings.CutPrefix(c.path, "header(")
	name, ends := strings.CutSuffix(name, ")")
	if !begins || !ends || !httpguts.ValidHeaderFieldName(name) {
		return false
	}
	c.header = http.CanonicalHeaderKey(name)
	c.path = "header(" + c.header + ")"
	return true
}

// NamesHeader reports whether a path is header(NAME) or a near miss of it, which has a
// meaning in conditions on responses only.
func NamesHeader(path string) bool { return looksLikeHeader(path) }
