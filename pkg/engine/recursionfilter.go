package engine

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// recursionFilter decides for which parent rows a child job runs: conditions
// joined by & and |, where & binds tighter. Without alternatives every row
// passes.
type recursionFilter [][]condition

// condition compares a value of the row with a text.
type condition struct {
	path     string
	operator string
	text     string
	like     *regexp.Regexp // of ~~ and !~
}

// compileRecursionFilter reads the filter's text. No blanks, quotes or brackets
// have a meaning; every & and | joins conditions.
func compileRecursionFilter(s config.Section) recursionFilter {
	if !s.Present() {
		return nil
	}
	var filter recursionFilter
	for alternative := range strings.SplitSeq(s.Value.Text(), "|") {
		var all []condition
		for text := range strings.SplitSeq(alternative, "&") {
			c, ok := parseCondition(text)
			if !ok {
				s.Fault(failure.InvalidFilter, "every condition needs one of the operators ==, !=, >=, <=, >, <, ~~, !~; there is none in '"+failure.Part(text)+"'", "")
				return nil
			}
			all = append(all, c)
		}
		filter = append(filter, all)
	}
	return filter
}

// parseCondition splits at the leftmost operator of two characters; only
// without any, at the leftmost > or <. What follows a second occurrence of the
// operator is ignored.
func parseCondition(text string) (condition, bool) {
	operator, at := "", len(text)
	for _, candidate := range []string{">=", "<=", "==", "!=", "~~", "!~"} {
		if i := strings.Index(text, candidate); i >= 0 && i < at {
			operator, at = candidate, i
		}
	}
	if operator == "" {
		if at = strings.IndexAny(text, "<>"); at < 0 {
			return condition{}, false
		}
		operator = text[at : at+1]
	}
	parts := strings.SplitN(text, operator, 3)
	c := condition{path: parts[0], operator: operator, text: parts[1]}
	if operator == "~~" || operator == "!~" {
		// A pattern must be UTF-8; a configuration that was read always is.
		text := strings.ToValidUTF8(c.text, "\uFFFD")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(text), "%", "[^\\n]*")
		var err error
		if c.like, err = regexp.Compile("^" + pattern + "$"); err != nil {
			return condition{}, false // a pattern of absurd size
		}
	}
	return c, true
}

// passes reports whether the child job runs for a row.
func (f recursionFilter) passes(row value.Packed) (bool, error) {
	if len(f) == 0 {
		return true, nil
	}
	if row.Kind() != value.Object && row.Kind() != value.Array {
		row = value.OfMembers(value.Member{Name: "scalar", Value: row.Value()}).AppendPacked(nil)
	}
	for _, all := range f {
		pass, err := allHold(all, row)
		if pass || err != nil {
			return pass, err
		}
	}
	return false, nil
}

// allHold reports whether all conditions hold. The first one that does not ends
// the evaluation: those after it may compare something that is an object in rows
// like this one.
func allHold(conditions []condition, row value.Packed) (bool, error) {
	for _, c := range conditions {
		if ok, err := c.holds(row); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c condition) holds(row value.Packed) (bool, error) {
	v, _ := row.At(c.path, ".")
	left := v.Text() // 1.0 is 1, as it would be in an endpoint
	switch v.Kind() {
	case value.Array:
		left = "Array"
	case value.Object:
		return false, failure.Userf("the filter compares '%s', which is an object", c.path)
	}
	switch c.operator {
	case "==":
		return left == c.text, nil
	case "!=":
		return left != c.text, nil
	case "~~":
		return c.like.MatchString(left), nil
	case "!~":
		return !c.like.MatchString(left), nil
	}
	order := compare(left, c.text)
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

// compare compares numbers as numbers and everything else as bytes.
func compare(a, b string) int {
	x, ok1 := number(a)
	y, ok2 := number(b)
	switch {
	case !ok1 || !ok2:
		return strings.Compare(a, b)
	case x < y:
		return -1
	case x > y:
		return 1
	default:
		return 0
	}
}

func number(s string) (float64, bool) {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	if !value.OfString(s).IsNumeric() || strings.TrimSpace(s) != s {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}
