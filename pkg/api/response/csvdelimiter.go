package response

import "bytes"

var usualDelimiters = []byte{',', ';', '\t', '|'}

// delimiterGuess compares the lines of a CSV text with a single column to detect another
// delimiter.
type delimiterGuess struct {
	// counts is the number of each of usualDelimiters in every line so far.
	counts [4]int
	quote  []byte // empty if fields are not quoted
	// all is set if every line must agree, because there is no header.
	all   bool
	lines int  // number of lines that agree
	ended bool // further lines are ignored
}

// guessed returns a guess from the header or, without a header, from the first record.
func guessed(line, quote []byte, all bool) delimiterGuess {
	g := delimiterGuess{quote: quote, all: all}
	for i, c := range usualDelimiters {
		g.counts[i] = unquoted(line, quote, c)
	}
	return g
}

// compare compares a record with the guess. delimiter is the configured delimiter.
func (g *delimiterGuess) compare(line, delimiter []byte) {
	if g.ended {
		return
	}
	left := 0
	for i, c := range usualDelimiters {
		if g.counts[i] > 0 && (unquoted(line, g.quote, c) != g.counts[i] || len(delimiter) > 0 && bytes.Contains(line, delimiter)) {
			g.counts[i] = 0
		}
		left += g.counts[i]
	}
	g.lines++
	g.ended = left == 0 || !g.all
}

// delimiter returns the delimiter that all lines have in common, or 0.
func (g *delimiterGuess) delimiter() byte {
	for i, c := range usualDelimiters {
		if g.counts[i] > 0 && g.lines > 0 {
			return c
		}
	}
	return 0
}

// delimiterOf returns a usual delimiter that divides the first two lines of a text into
// the same number of fields, at least two, or 0.
func delimiterOf(text []byte) byte {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	g := guessed(first, []byte{'"'}, false)
	g.compare(second, nil)
	return g.delimiter()
}

// unquoted counts a character of a line outside quotes.
func unquoted(line, quote []byte, c byte) (n int) {
	for outside, more := true, true; more; outside = !outside {
		part := line
		if more = len(quote) > 0; more {
			part, line, more = bytes.Cut(line, quote)
		}
		if outside {
			n += bytes.Count(part, []byte{c})
		}
	}
	return n
}
