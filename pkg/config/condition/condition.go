// Package condition holds the conditions of the configuration, e.g.
//
//	status==paid&amount>100|vip==1
//
// A comparison is a path, an operator and a text; & and | join comparisons, where &
// binds tighter. Blanks, quotes and brackets have no meaning. The package knows no
// setting; the caller passes the way to look up values.
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

// Condition consists of alternatives, each of comparisons that must all hold. The zero
// Condition always holds.
type Condition struct {
	// Text is the condition as it is written, and Pointer its place in the document.
	Text, Pointer string
	alternatives  [][]comparison
}

// Given reports whether there is a condition, which may be false.
func (c Condition) Given() bool { return len(c.alternatives) > 0 }

// comparison compares a value with a text.
type comparison struct {
	path     string
	operator string
	text     string
	number   decimal.Number // value of text, if numeric
	numeric  bool           // text is a number
	like     *regexp.Regexp // of ~~ and !~
	words    bool
}

// Compile reads a condition; an absent one always holds. A comparison without an
// operator is a problem, and such a condition always holds, too.
func Compile(s field.Section) Condition { return compile(s, false) }

// CompileWords is Compile for conditions in which == and != also know a boolean by
// its word: of true, `a==true` holds as `a==1` does, and of false `a==false` as `a==`.
// The filters of the original do not.
func CompileWords(s field.Section) Condition { return compile(s, true) }

func compile(s field.Section, words bool) Condition {
	if !s.Present() {
		return Condition{}
	}
	c, wrong, ok := parse(s.Value.Text(), words)
	c.Pointer = s.Pointer
	if !ok {
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

// Parse reads a condition without a place. One that cannot be read is the zero Condition.
func Parse(text string) Condition {
	c, _, _ := parse(text, false)
	return c
}

// parse returns the first comparison without an operator if there is one.
func parse(text string, words bool) (c Condition, wrong string, ok bool) {
	c.Text = text
	for alternative := range strings.SplitSeq(text, "|") {
		var all []comparison
		for text := range strings.SplitSeq(alternative, "&") {
			one, ok := parseComparison(text)
			if !ok {
				return Condition{}, text, false
			}
			one.words = words
			all = append(all, one)
		}
		c.alternatives = append(c.alternatives, all)
	}
	return c, "", true
}

// parseComparison splits at the leftmost operator of two characters; only without
// any, at the leftmost > or <. What follows a second occurrence of the operator is
// ignored.
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
		// A pattern must be UTF-8; a configuration that was read always is.
		text := strings.ToValidUTF8(c.text, "\uFFFD")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(text), "%", "[^\\n]*")
		var err error
		if c.like, err = regexp.Compile("^" + pattern + "$"); err != nil {
			return comparison{}, false // a pattern of absurd size
		}
	}
	return c, true
}

// Paths are those of the values that are compared, each once.
func (c Condition) Paths() []string {
	var all []string
	seen := map[string]bool{}
	c.each(func(one comparison) {
		if !seen[one.path] {
			seen[one.path] = true
			all = append(all, one.path)
		}
	})
	return all
}

// Texts are what values are compared with, in their order.
func (c Condition) Texts() []string {
	var all []string
	c.each(func(one comparison) { all = append(all, one.text) })
	return all
}

// Rewritten are the comparisons of a filter of the original that have the word of a
// boolean, written so that they hold for that boolean: `a==true` becomes `a==1`.
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

// Covers reports whether a condition of one comparison certainly holds wherever another
// condition does: `a!=x` holds where `a==y` does.
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
	// A boolean is equal to two texts, and a number to several.
	return c.text != other.text && !decimal.Same(c.text, other.text) && !slices.Contains([]string{"", "1", "true", "false"}, c.text)
}

// Holds reports whether a condition holds. at returns the value at a path, whose
// segments are separated by dots, or null if there is none. An object that is compared
// is a user error at the place of the condition, unless a comparison before it decides.
func (c Condition) Holds(at func(path string) (value.Value, error)) (bool, error) {
	for _, all := range c.alternatives {
		hold, err := allHold(all, at)
		if e, ok := errors.AsType[*failure.Error](err); ok {
			return false, e.At(c.Pointer)
		}
		if hold || err != nil {
			return hold, err
		}
	}
	return !c.Given(), nil
}

// allHold reports whether all comparisons hold. The first one that does not ends the
// evaluation: those after it may compare something that is an object in rows like
// this one.
func allHold(comparisons []comparison, at func(path string) (value.Value, error)) (bool, error) {
	for _, c := range comparisons {
		v, err := at(c.path)
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
		return c.like.MatchString(textOf(v)), nil
	case "!~":
		return !c.like.MatchString(textOf(v)), nil
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

// textOf returns a value as text, and the word Array for a list.
func textOf(v value.Value) string {
	if v.Kind() == value.Array {
		return "Array"
	}
	return v.Text()
}

// equals compares a JSON number by its value and other values as texts: the texts 1 and 1.0
// are different. Blanks in the text of the condition count.
func (c comparison) equals(v value.Value) bool {
	if v.Kind() == value.Number && c.numeric && c.text[0] > ' ' {
		if n, ok := v.Decimal(); ok {
			return n.Compare(c.number) == 0
		}
	}
	return textOf(v) == c.text || c.words && v.Kind() == value.Bool && v.Raw() == c.text
}

// compare compares numbers and numeric texts by their exact values, and other values as
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

// numberIn returns the number in a text, which may begin with blanks.
func numberIn(s string) (decimal.Number, bool) {
	return decimal.Parse(strings.TrimLeft(s, " \t\n\r\v\f"))
}
