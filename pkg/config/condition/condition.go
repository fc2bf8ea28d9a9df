// Package condition parses and evaluates the conditions of the configuration, e.g.
//
//	status==paid&amount>100|vip==1
//
// A comparison is a path, an operator and a text. & and | join comparisons, where & binds
// tighter. Blanks, quotes and brackets have no meaning. The caller passes a function that
// looks up the value at a path. In a condition on a response, a path of the form header(NAME)
// is a header of the response, see header.go.
package condition

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// Condition is a list of alternatives. An alternative holds if all of its comparisons
// hold. The zero Condition always holds.
type Condition struct {
	// Text is the condition in the configuration. Pointer is its JSON pointer.
	Text, Pointer string
	alternatives  [][]comparison
}

// Given reports whether the condition has comparisons.
func (c Condition) Given() bool { return len(c.alternatives) > 0 }

// comparison compares a value with a text.
type comparison struct {
	path         string
	header       string // name of the compared header, or "" for a path
	operator     string
	text         string
	number       decimal.Number // value of text if it is numeric
	numeric      bool           // text is a number
	pattern      *regexp.Regexp // pattern of the operators ~~ and !~
	booleanWords bool
}

// Compile compiles a condition. An absent condition always holds. A comparison without an
// operator is a problem, and the condition then always holds.
func Compile(s field.Section) Condition { return compile(s, dialect{}) }

// CompileWords compiles a condition in which == and != also compare a boolean with its
// word. For true, `a==true` holds like `a==1`. For false, `a==false` holds like `a==`.
// The filters of the original extractor do not compare words.
func CompileWords(s field.Section) Condition { return compile(s, dialect{words: true}) }

// dialect is the meaning of words for booleans and of header(NAME) in a condition.
type dialect struct{ words, headers bool }

func compile(s field.Section, d dialect) Condition {
	if !s.Present() {
		return Condition{}
	}
	c, wrong, ok := parse(s.Value.Text(), d)
	c.Pointer = s.Pointer
	if ok {
		return c
	}
	if d.headers && looksLikeHeader(wrong) && hasOperator(wrong) {
		s.Fault(failure.InvalidFilter, "expected header(NAME) with the name of a header, found '"+failure.Part(wrong)+"'", "write it without blanks and quotes, for example header(X-More)==false")
	} else {
		s.Fault(failure.InvalidFilter, "every condition needs one of the operators ==, !=, >=, <=, >, <, ~~, !~; there is none in '"+failure.Part(wrong)+"'", operatorHint(wrong))
	}
	return c
}

func operatorHint(wrong string) failure.Text {
	switch {
	case strings.Contains(wrong, "="):
		return "write == to compare"
	case strings.TrimSpace(wrong) == "":
		return "join comparisons by a single & or |, as in a==1&b==2"
	default:
		return ""
	}
}

// Parse compiles a text that is not part of a document. It returns the zero Condition if
// the text is invalid.
func Parse(text string) Condition {
	c, _, _ := parse(text, dialect{})
	return c
}

// parse returns false and the text of the first comparison without an operator or with a
// wrong header, if there is one.
func parse(text string, d dialect) (c Condition, wrong string, ok bool) {
	c.Text = text
	for alternative := range strings.SplitSeq(text, "|") {
		var all []comparison
		for text := range strings.SplitSeq(alternative, "&") {
			one, ok := parseComparison(text)
			if ok && d.headers {
				ok = one.findHeader()
			}
			if !ok {
				return Condition{}, text, false
			}
			one.booleanWords = d.words
			all = append(all, one)
		}
		c.alternatives = append(c.alternatives, all)
	}
	return c, "", true
}

// parseComparison splits a comparison at the leftmost operator of two characters. Without
// such an operator it splits at the leftmost > or <. It ignores the text after a second
// occurrence of the operator.
func parseComparison(text string) (comparison, bool) {
	operator, at := "", len(text)
	for _, candidate := range []string{">=", "<=", "==", "!=", "~~", "!~"} {
		if i := strings.Index(text, candidate); i >= 0 && i < at {
			operator, at = candidate, i
		}
	}
	if operator == "" {
		if at = strings.IndexAny(text, "<>"); at < 0 {
			return comparison{}, false
		}
		operator = text[at : at+1]
	}
	parts := strings.SplitN(text, operator, 3)
	c := comparison{path: parts[0], operator: operator, text: parts[1]}
	c.number, c.numeric = numberIn(c.text)
	if operator == "~~" || operator == "!~" {
		// A pattern must be valid UTF-8. Texts of a configuration always are.
		text := strings.ToValidUTF8(c.text, "\uFFFD")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(text), "%", "[^\\n]*")
		var err error
		if c.pattern, err = regexp.Compile("^" + pattern + "$"); err != nil {
			return comparison{}, false // pattern exceeds the size limit of package regexp
		}
	}
	return c, true
}

// Paths returns the paths of the compared values, except headers, without duplicates.
func (c Condition) Paths() []string {
	var all []string
	seen := map[string]bool{}
	c.each(func(one comparison) {
		if one.header == "" && !seen[one.path] {
			seen[one.path] = true
			all = append(all, one.path)
		}
	})
	return all
}

// Texts returns the texts that values are compared with, in their order.
func (c Condition) Texts() []string {
	var all []string
	c.each(func(one comparison) { all = append(all, one.text) })
	return all
}

// Rewritten returns the comparisons with the word of a boolean, in a form that holds for
// the boolean in the original extractor: `a==true` becomes `a==1`.
func (c Condition) Rewritten() []string {
	var all []string
	c.each(func(one comparison) {
		if one.operator != "==" && one.operator != "!=" {
			return
		}
		switch one.text {
		case "true":
			all = append(all, one.path+one.operator+"1")
		case "false":
			all = append(all, one.path+one.operator)
		}
	})
	return all
}

func (c Condition) each(visit func(comparison)) {
	for _, comparisons := range c.alternatives {
		for _, one := range comparisons {
			visit(one)
		}
	}
}

// Covers reports whether a condition with a single comparison certainly holds if another
// condition holds. For example, `a!=x` holds if `a==y` does.
func (c Condition) Covers(other Condition) bool {
	if len(c.alternatives) != 1 || len(c.alternatives[0]) != 1 || !other.Given() {
		return false
	}
	one := c.alternatives[0][0]
	for _, all := range other.alternatives {
		if !slices.ContainsFunc(all, one.covers) {
			return false
		}
	}
	return true
}

func (c comparison) covers(other comparison) bool {
	if c.path != other.path || c.operator != "!=" || other.operator != "==" {
		return false
	}
	// A boolean equals two texts, and a number equals several.
	return c.text != other.text && !decimal.Same(c.text, other.text) && !slices.Contains([]string{"", "1", "true", "false"}, c.text)
}

// Holds reports whether the condition holds. at returns the value at a path with dots, or
// null. Comparing an object is a user error at the pointer of the condition, unless an
// earlier comparison decides.
func (c Condition) Holds(at func(path string) (value.Value, error)) (bool, error) {
	return c.holds(func(one comparison) (value.Value, error) { return at(one.path) })
}

func (c Condition) holds(of func(comparison) (value.Value, error)) (bool, error) {
	for _, all := range c.alternatives {
		hold, err := allHold(all, of)
		if e, ok := errors.AsType[*failure.Error](err); ok {
			return false, e.At(c.Pointer)
		}
		if hold || err != nil {
			return hold, err
		}
	}
	return !c.Given(), nil
}

// allHold reports whether all comparisons hold. It stops at the first that does not,
// because later comparisons may fail on an object in such rows.
func allHold(comparisons []comparison, of func(comparison) (value.Value, error)) (bool, error) {
	for _, c := range comparisons {
		v, err := of(c)
		if errors.Is(err, ErrNoBody) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if ok, err := c.holds(v); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c comparison) holds(v value.Value) (bool, error) {
	if v.Kind() == value.Object {
		return false, failure.Userf("the filter compares '%s', which is an object", c.path)
	}
	switch c.operator {
	case "==":
		return c.equals(v), nil
	case "!=":
		return !c.equals(v), nil
	case "~~":
		return c.pattern.MatchString(textOf(v)), nil
	case "!~":
		return !c.pattern.MatchString(textOf(v)), nil
	}
	order := c.compare(v)
	switch c.operator {
	case ">":
		return order > 0, nil
	case "<":
		return order < 0, nil
	case ">=":
		return order >= 0, nil
	default:
		return order <= 0, nil
	}
}

// textOf returns a value as text. A list is the text Array.
func textOf(v value.Value) string {
	if v.Kind() == value.Array {
		return "Array"
	}
	return v.Text()
}

// equals compares JSON numbers by value, and other values as texts: the texts 1 and 1.0
// differ. Blanks in the text of the condition count.
func (c comparison) equals(v value.Value) bool {
	if v.Kind() == value.Number && c.numeric && c.text[0] > ' ' {
		if n, ok := v.Decimal(); ok {
			return n.Compare(c.number) == 0
		}
	}
	return textOf(v) == c.text || c.booleanWords && v.Kind() == value.Bool && v.Raw() == c.text
}

// compare compares numbers and numeric texts by their exact values, and other values by
// bytes.
func (c comparison) compare(v value.Value) int {
	if c.numeric {
		text := v.Raw()
		if v.Kind() != value.Number {
			text = textOf(v)
		}
		if n, ok := numberIn(text); ok {
			return n.Compare(c.number)
		}
	}
	return strings.Compare(textOf(v), c.text)
}

// numberIn parses a number. The text may begin with blanks.
func numberIn(s string) (decimal.Number, bool) {
	return decimal.Parse(strings.TrimLeft(s, " \t\n\r\v\f"))
}
