package infer

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// minRandom is the minimum length, in bytes, of a part that looks random.
const minRandom = 12

// looksRandom reports whether a text looks random: in a part between separators, digits,
// lower case and upper case alternate more often than in words.
func looksRandom(text string) bool {
	return !strings.ContainsAny(text, " \t\"{}[]") && slices.ContainsFunc(strings.FieldsFunc(text, separates), randomPart)
}

func separates(r rune) bool { return strings.ContainsRune("-_.:,;/|~=+&?%@", r) }

func randomPart(part string) bool {
	if len(part) < minRandom {
		return false
	}
	changes, digits, letters := 0, 0, 0
	before := byte(0)
	for i := range len(part) {
		class := classOf(part[i])
		if class == 'd' {
			digits++
		} else {
			letters++
		}
		// A capital at the beginning of a word is not a change by itself.
		word := before == 'u' && class == 'l' && (i < 2 || classOf(part[i-2]) != 'u')
		if i > 0 && class != before && !word {
			changes++
		}
		before = class
	}
	if digits > 0 && len(part) >= 2*minRandom && hexadecimal().MatchString(part) {
		return true
	}
	return letters > 0 && (digits > 0 || len(part) >= 2*minRandom) && changes*4 >= len(part)
}

// classOf returns d for a digit, u for an upper case letter, and l for other characters.
func classOf(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return 'd'
	case 'A' <= c && c <= 'Z':
		return 'u'
	}
	return 'l'
}

var hexadecimal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9a-f]+|[0-9A-F]+)$`) })

// uuid matches a UUID. In paths a UUID is far more often an id than a credential.
var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

// traceHeaders are endings of the names of headers with a random value that identifies
// the request in logs.
var traceHeaders = []string{"requestid", "correlationid", "traceid", "spanid", "requesttraceid", "transactionid", "idempotencykey"}

// randomHeader reports whether a non-standard header has a value that looks like a key,
// regardless of the header's name.
func randomHeader(name, text string) bool {
	short := strings.TrimPrefix(textfmt.Letters(name), "x")
	switch {
	case !strings.HasPrefix(strings.ToLower(name), "x-"), browserHeader(name):
		return false
	case slices.ContainsFunc(traceHeaders, func(end string) bool { return strings.HasSuffix(short, end) }), strings.HasPrefix(short, "b3"), strings.HasPrefix(short, "datadog"), strings.HasPrefix(short, "amzn"):
		return false
	case strings.HasSuffix(short, "id") && uuid().MatchString(text):
		return false
	}
	return looksRandom(text)
}
