package har

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// UnrecordedError is the error for a request that is not in the recording.
type UnrecordedError struct{ text string }

func (e *UnrecordedError) Error() string { return e.text }

func unknownf(format string, args ...any) error {
	return failure.Userf("%w", &UnrecordedError{fmt.Sprintf(format, args...)})
}

// unknown returns the error for a request without an entry. The error names the nearest
// recorded request and the first difference.
func (p *Player) unknown(text string) error {
	nearest, best, unused, times := "", -1, false, 0
	for number, at := range p.index.entries {
		e, err := p.index.entry(number)
		if err != nil {
			return failure.Userf("cannot replay '%s': %w", p.path, err)
		}
		recorded := e.requestText()
		if recorded == text {
			times++
		}
		same := common(recorded, text)
		if same > best || same == best && !at.used && !unused {
			nearest, best, unused = recorded, same, !at.used
		}
	}
	switch {
	case times > 0:
		return unknownf("%s is sent more often than it was recorded (%s)", firstLine(text), textfmt.Count(times, "time"))
	case best < 0:
		return unknownf("%s was not recorded: the recording is empty", firstLine(text))
	}
	return unknownf("%s was not recorded; the nearest that was is %s: %s", firstLine(text), firstLine(nearest), difference(nearest, text, best))
}

// common returns the length, in bytes, of the common beginning of two texts, in whole
// characters.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// difference describes the first difference between a request and the recorded request.
func difference(recorded, sent string, at int) string {
	where := "the method"
	switch line := firstLine(recorded); {
	case at > len(line) || at > len(firstLine(sent)):
		where = "the body"
	case strings.Contains(recorded[:at], "?"):
		where = "the query"
	case strings.Contains(recorded[:at], " "):
		where = "the address"
	}
	return fmt.Sprintf("%s differs, recorded %s, sent %s", where, around(recorded, at), around(sent, at))
}

// around returns the part of a text around an offset.
func around(text string, at int) string {
	const before, behind = 20, 40
	from, to := max(0, at-before), min(len(text), at+behind)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	part := strings.ReplaceAll(text[from:to], "\n", " ")
	if from > 0 {
		part = "…" + part
	}
	if to < len(text) {
		part += "…"
	}
	return "'" + part + "'"
}
