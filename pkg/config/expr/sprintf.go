package expr

import (
	"errors"
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// directive is one %… of a format, together with the plain text before it.
type directive struct {
	before    string
	argument  int // number of its argument, from 1; 0 is the next one
	left      bool
	plus      bool
	pad       byte
	width     int
	precision int // -1 when there is none
	verb      byte
}

const (
	verbs = "duoxXbcsfFeEgGhH%"
	// widest keeps a typing mistake from asking for gigabytes of padding.
	widest = 1 << 16
	// mostDigits after the point are computed, as in the original.
	mostDigits = 53
)

// parseFormat splits a format into its directives and the text after the last
// one. Errors do not repeat the text around the directive.
func parseFormat(format string) ([]directive, string, error) {
	var directives []directive
	for {
		before, rest, ok := strings.Cut(format, "%")
		if !ok {
			return directives, format, nil
		}
		d, rest, err := parseDirective(rest)
		if err != nil {
			return nil, "", fmt.Errorf("directive %d of the format: %w", len(directives)+1, err)
		}
		d.before = before
		directives = append(directives, d)
		format = rest
	}
}

// parseDirective reads what follows a percent sign:
// [n$] [flags] [width] [.precision] verb.
func parseDirective(s string) (d directive, rest string, err error) {
	d = directive{pad: ' ', precision: -1}
	if n, after, ok, err := number(s); err != nil {
		return d, "", err
	} else if ok && strings.HasPrefix(after, "$") {
		if n == 0 {
			return d, "", errors.New("arguments are counted from 1")
		}
		d.argument, s = n, after[1:]
	}
	if s, err = d.flags(s); err != nil {
		return d, "", err
	}
	if n, after, ok, err := number(s); err != nil {
		return d, "", err
	} else if ok {
		d.width, s = n, after
	}
	if strings.HasPrefix(s, ".") {
		n, after, ok, err := number(s[1:])
		if err != nil {
			return d, "", err
		}
		if ok { // a point without digits is no precision
			d.precision = n
		}
		s = after
	}
	s = strings.TrimPrefix(s, "l") // a size, as C has it, means nothing here
	switch {
	case s == "":
		return d, "", errors.New("the type is missing; a percent sign is written %%")
	case strings.IndexByte(verbs, s[0]) < 0:
		return d, "", fmt.Errorf("unknown type %q, known are d u o x X b c s f F e E g G", s[:1])
	}
	d.verb = s[0]
	return d, s[1:], nil
}

// flags reads the flags, in any order; of several paddings the last counts.
func (d *directive) flags(s string) (rest string, err error) {
	for s != "" {
		switch s[0] {
		case '-':
			d.left = true
		case '+':
			d.plus = true
		case '0', ' ':
			d.pad = s[0]
		case '\'':
			s = s[1:]
			if s == "" {
				return "", errors.New("the character to pad with is missing")
			}
			d.pad = s[0]
		default:
			return s, nil
		}
		s = s[1:]
	}
	return "", nil
}

// number reads the digits at the beginning of a text.
func number(s string) (n int, rest string, ok bool, err error) {
	for rest = s; rest != "" && isDigit(rest[0]); rest = rest[1:] {
		n = n*10 + int(rest[0]-'0')
		if n > widest {
			return 0, "", false, fmt.Errorf("a number above %d", widest)
		}
	}
	return n, rest, len(rest) < len(s), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberArguments gives each directive that names no argument the next one. The
// result is the highest argument needed.
func numberArguments(directives []directive) (highest int) {
	next := 1
	for i := range directives {
		d := &directives[i]
		if d.verb == '%' {
			continue
		}
		if d.argument == 0 {
			d.argument = next
			next++
		}
		highest = max(highest, d.argument)
	}
	return highest
}

// checkFormat looks at a literal format.
func checkFormat(args list) *fault {
	l, ok := args[0].(literal)
	if !ok || !l.value.IsScalar() {
		return nil
	}
	directives, _, err := parseFormat(textOf(l.value))
	if err != nil {
		return &fault{0, "", "expected a valid format, " + failure.Part(err.Error()), ""}
	}
	if given, wanted := len(args)-1, numberArguments(directives); given < wanted {
		return &fault{0, failure.Text(count(given, "value")) + " after it", "expected as many values as the format has directives, " + failure.Text(count(wanted, "value")), ""}
	}
	return nil
}

func sprintf(in input) (value.Value, error) {
	format, err := in.text(0)
	if err != nil {
		return value.Value{}, err
	}
	directives, last, err := parseFormat(format)
	if err != nil {
		return value.Value{}, err
	}
	if given, wanted := len(in.args)-1, numberArguments(directives); given < wanted {
		return value.Value{}, fmt.Errorf("the format needs %s, given are %d", count(wanted, "value"), given)
	}
	var out []byte
	for _, d := range directives {
		out = append(out, d.before...)
		if d.verb == '%' {
			out = append(out, '%')
			continue
		}
		if _, err := in.text(d.argument); err != nil {
			return value.Value{}, err
		}
		if out, err = d.append(out, in.args[d.argument]); err != nil {
			return value.Value{}, fmt.Errorf("argument %d %w", d.argument+1, err)
		}
	}
	return value.OfString(string(append(out, last...))), nil
}
