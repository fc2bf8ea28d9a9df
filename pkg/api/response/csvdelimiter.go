package response

import "bytes"

var usualDelimiters = []byte{',', ';', '\t', '|'}

// delimiterGuess compares the lines of a CSV text with a single column, which may have
// another delimiter than the configured one.
type delimiterGuess struct {
	// counts is the number of each of usualDelimiters in every line.
	counts [4]int
	quote  []byte // no quote is none
	// all is set if every line must agree, because there is no header.
	all   bool
	lines int  // lines that agree
	ended bool // no further line counts
}

// guessed begins with the header or, without one, with the first record.
func guessed(line, quote []byte, all bool) delimiterGuess {
	g := delimiterGuess{quote: quote, all: all}
	for i, c := range usualDelimiters {
		g.counts[i] = unquoted(line, quote, c)
	}
	return g
}

// compare compares a record with the counts. delimiter is the configured one.
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

// delimiter returns the delimiter that all lines have, 0 for none.
func (g *delimiterGuess) delimiter() byte {
	for i, c := range usualDelimiters {
		if g.counts[i] > 0 && g.lines > 0 {
			return c
		}
	}
	return 0
}

// delimiterOf is the character that parts the first two lines of a text into the same
// number of fields, at least two; 0 for none.
func delimiterOf(text []byte) byte {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	g := guessed(first, []byte{'"'}, false)
	g.compare(second, nil)
	return g.delimiter()
}

// unquoted counts a character in a line outside of quotes.
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
