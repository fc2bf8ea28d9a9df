package php

import (
	"errors"
	"fmt"
	"strings"
)

// Format is a parsed format of sprintf.
type Format struct {
	// Values is the number of values that the format needs.
	Values     int
	directives []directive
	last       string // text after the last directive
}

// directive is one %… of a format.
type directive struct {
	before    string // plain text before the directive
	argument  int    // number of the value, from 1; 0 means the next value
	left      bool
	plus      bool
	pad       byte
	width     int
	precision int // number of digits, or -1 without a precision
	verb      byte
}

const (
	verbs = "duoxXbcsfFeEgGhH%"
	// maxWidth is the maximum width. It keeps a typing mistake from taking gigabytes.
	maxWidth = 1 << 16
	// maxResult is the maximum length of the result, in bytes. A format may use one value
	// many times.
	maxResult = 16 << 20
	// maxPrecision is PHP's limit for digits after the point.
	maxPrecision = 53
)

// ParseFormat reads a format. Errors do not repeat the text around the directive.
func ParseFormat(format string) (Format, error) {
	var f Format
	next := 1
	for {
		before, rest, ok := strings.Cut(format, "%")
		if !ok {
			f.last = format
			return f, nil
		}
		d, rest, err := parseDirective(rest)
		if err != nil {
			return Format{}, fmt.Errorf("directive %d of the format: %w", len(f.directives)+1, err)
		}
		if d.verb != '%' {
			if d.argument == 0 {
				d.argument = next
				next++
			}
			f.Values = max(f.Values, d.argument)
		}
		d.before = before
		f.directives = append(f.directives, d)
		format = rest
	}
}

// parseDirective reads the text after a percent sign: [n$] [flags] [width] [.precision]
// verb.
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
		if ok { // a point without digits has no effect
			d.precision = n
		}
		s = after
	}
	s = strings.TrimPrefix(s, "l") // PHP ignores this size of C
	switch {
	case s == "":
		return d, "", errors.New("the type is missing; a percent sign is written %%")
	case strings.IndexByte(verbs, s[0]) < 0:
		return d, "", fmt.Errorf("unknown type %q, known are d u o x X b c s f F e E g G", s[:1])
	}
	d.verb = s[0]
	return d, s[1:], nil
}

// flags reads the flags in any order. The last padding counts.
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
		if n > maxWidth {
			return 0, "", false, fmt.Errorf("a number above %d", maxWidth)
		}
	}
	return n, rest, len(rest) < len(s), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Scalar is a value for sprintf.
type Scalar struct {
	// Text is the value converted by (string).
	Text string
	// Literal is the literal of a number. For any other value it is Text.
	Literal string
}

// Sprintf returns the formatted text. value returns the values by number, from 1.
func (f Format) Sprintf(value func(n int) (Scalar, error)) (string, error) {
	var out []byte
	err := f.Each(value, func(text string, _ int) { out = append(out, text...) })
	return string(out), err
}

// Each calls part for each part of the formatted text, in order. argument is the number
// of the formatted value, or 0 for text of the format.
func (f Format) Each(value func(n int) (Scalar, error), part func(text string, argument int)) error {
	total := 0
	for _, d := range f.directives {
		part(d.before, 0)
		if d.verb == '%' {
			part("%", 0)
			continue
		}
		v, err := value(d.argument)
		if err != nil {
			return err
		}
		text, err := d.append(nil, v)
		if err != nil {
			return fmt.Errorf("argument %d %w", d.argument+1, err)
		}
		if total += len(d.before) + len(text); total > maxResult {
			return fmt.Errorf("the value has more than %d MiB", maxResult>>20)
		}
		part(string(text), d.argument)
	}
	part(f.last, 0)
	return nil
}
