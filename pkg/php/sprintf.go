package php

import (
	"errors"
	"fmt"
	"strings"
)

// Format is a format of sprintf.
type Format struct {
	// Values is the number of values that it needs.
	Values     int
	directives []directive
	last       string // the text after the last directive
}

// directive is one %… of a format.
type directive struct {
	before    string // plain text
	argument  int    // number of its value, from 1; 0 is the next one
	left      bool
	plus      bool
	pad       byte
	width     int
	precision int // -1 when there is none
	verb      byte
}

const (
	verbs = "duoxXbcsfFeEgGhH%"
	// widest limits the padding, so that a typing mistake does not take gigabytes.
	widest = 1 << 16
	// longest limits the text: a format may request one value again and again.
	longest = 16 << 20
	// mostDigits is PHP's limit for digits after the point.
	mostDigits = 53
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
		if ok { // a point without digits has no effect
			d.precision = n
		}
		s = after
	}
	s = strings.TrimPrefix(s, "l") // a size as in C, without effect
	switch {
	case s == "":
		return d, "", errors.New("the type is missing; a percent sign is written %%")
	case strings.IndexByte(verbs, s[0]) < 0:
		return d, "", fmt.Errorf("unknown type %q, known are d u o x X b c s f F e E g G", s[:1])
	}
	d.verb = s[0]
	return d, s[1:], nil
}

// flags reads the flags, in any order; the last padding counts.
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

// Scalar is a value for sprintf.
type Scalar struct {
	// Text is its (string).
	Text string
	// Literal has its number: the literal of a number, else Text.
	Literal string
}

// Sprintf is sprintf. value returns the values by their numbers, from 1.
func (f Format) Sprintf(value func(n int) (Scalar, error)) (string, error) {
	var out []byte
	err := f.Each(value, func(text string, _ int) { out = append(out, text...) })
	return string(out), err
}

// Each calls part for each part of the result of sprintf, in order. argument is the number
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
		if total += len(d.before) + len(text); total > longest {
			return fmt.Errorf("the value has more than %d MiB", longest>>20)
		}
		part(string(text), d.argument)
	}
	part(f.last, 0)
	return nil
}
