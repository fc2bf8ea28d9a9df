package functional

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// canaryMark is at both ends of every canary and nowhere else: a search
// for it finds every canary, and what is left of one that was cut or
// masked by half. Between the two stand characters that writers escape.
const canaryMark = "c4n4ryK3y"

// canaryText is the canary of a number.
func canaryText(number int) string {
	return fmt.Sprintf(`%s%04d /+?="&\<%s`, canaryMark, number, canaryMark)
}

// canaryDigits begin a canary that must be a number.
const canaryDigits = "907856341"

// canarySpellings are all ways in which the mark could still be read.
var canarySpellings = sync.OnceValue(func() []string {
	var all []string
	for _, mark := range []string{canaryMark, canaryDigits} {
		raw := []byte(mark)
		all = append(all, mark, strings.ToUpper(mark), strings.ToLower(mark), textproto.CanonicalMIMEHeaderKey(mark), hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)))
		for _, each := range []string{"%%%02x", "%%%02X", `\u%04x`, `\x%02x`, "&#%d;", "&#x%x;", "&#x%X;"} {
			spelled := ""
			for _, b := range raw {
				spelled += fmt.Sprintf(each, b)
			}
			all = append(all, spelled)
		}
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, base64Inside(alphabet, mark)...)
		}
	}
	return all
})

// base64Inside is what base64 makes of a text no matter what is before and after
// it: one text for each place in a group of three bytes.
func base64Inside(alphabet *base64.Encoding, text string) []string {
	var all []string
	for before := range 3 {
		whole := (before + len(text)) / 3 * 4 // characters of complete groups
		encoded := alphabet.EncodeToString([]byte(strings.Repeat("x", before) + text + "xxx"))
		all = append(all, encoded[(before*8+5)/6:whole])
	}
	return all
}

// withoutZeros drops the zero bytes of UTF-16 and UTF-32, as they are and as JSON has them.
var withoutZeros = strings.NewReplacer("\x00", "", `\u0000`, "")

// seen are the places of a text that show a canary, with what is around.
func seen(text string) []string {
	var all []string
	if narrow := withoutZeros.Replace(text); narrow != text {
		all = seen(narrow)
	}
	for _, spelling := range canarySpellings() {
		if at := strings.Index(text, spelling); at >= 0 {
			all = append(all, "…"+text[max(0, at-120):min(len(text), at+len(spelling)+40)]+"…")
		}
	}
	return all
}

// TestCanaryIsSeen: the search finds a canary in every form, alone and joined
// with others, so that finding none means something.
func TestCanaryIsSeen(t *testing.T) {
	inBase64 := func(encoding *base64.Encoding) func(string) string {
		return func(s string) string { return encoding.EncodeToString([]byte(s)) }
	}
	forms := map[string]func(string) string{
		"plain":             func(s string) string { return s },
		"query":             url.QueryEscape,
		"path":              url.PathEscape,
		"JSON":              func(s string) string { return jsonText(s) },
		"Go":                func(s string) string { return fmt.Sprintf("%q", s) },
		"HTML and XML":      html.EscapeString,
		"hexadecimal":       func(s string) string { return fmt.Sprintf("%x", s) },
		"upper hexadecimal": func(s string) string { return fmt.Sprintf("%X", s) },
		"base64":            inBase64(base64.StdEncoding),
		"raw base64":        inBase64(base64.RawStdEncoding),
		"URL base64":        inBase64(base64.URLEncoding),
		"raw URL base64":    inBase64(base64.RawURLEncoding),
		"lower case":        strings.ToLower,
		"upper case":        strings.ToUpper,
		"UTF-16":            func(s string) string { return each("%c\x00", s) },
		"UTF-16 in JSON":    func(s string) string { return each(`%c\u0000`, s) },
		"UTF-32":            func(s string) string { return each("\x00\x00\x00%c", s) },
		"JSON of HTML":      func(s string) string { return jsonText(html.EscapeString(s)) },
		"query of base64":   func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
		"all in percent":    func(s string) string { return each("%%%02X", s) },
		"all in JSON":       func(s string) string { return each(`\u%04x`, s) },
		"all in XML":        func(s string) string { return each("&#%d;", s) },
	}
	for name, form := range forms {
		for _, secret := range []string{canaryText(7), canaryDigits + "0007"} {
			for _, before := range []string{"", "a", "ab", "abc"} {
				if text := "x " + form(before+secret+"z") + " x"; len(seen(text)) == 0 {
					t.Errorf("%s after %q is not seen: %s", name, before, text)
				}
			}
		}
		for _, part := range []string{canaryText(7)[:12], canaryText(7)[12:]} {
			if text := form(part); len(seen(text)) == 0 {
				t.Errorf("a part in %s is not seen: %s", name, text)
			}
		}
	}
	if hits := seen("c4n4ry K3y [hidden] 90785634 " + strings.Repeat("YzRuNHJ5", 3)); len(hits) > 0 {
		t.Errorf("seen where there is none: %q", hits)
	}
}

// seenInBody are the places of a body that show a canary to someone who unpacks it, or
// reads it in another character set.
func seenInBody(body []byte) []string {
	var all []string
	for _, text := range readingsOf(body, 4) {
		all = append(all, seen(text)...)
	}
	return all
}

// searchCanaries reports the canaries that texts show, also to those who decode them.
func searchCanaries(t *testing.T, said map[string]string) {
	t.Helper()
	for name, text := range said {
		for _, hit := range append(seen(text), seen(strings.Join(decodedStrings(text), "\n"))...) {
			t.Errorf("%s shows a canary: %s", name, hit)
		}
	}
	for _, reading := range bodiesIn(said["run.har"]) {
		for _, hit := range seen(reading) {
			t.Errorf("a body of the recording shows a canary: %s", hit)
		}
	}
}

// TestCanaryIsSeenInBodies: the search finds a canary in every disguise, also inside of
// another one.
func TestCanaryIsSeenInBodies(t *testing.T) {
	disguises := disguises()
	for _, inner := range disguises {
		for _, outer := range append(disguises, disguise{name: "nothing"}) {
			body, err := inner.of("x " + canaryText(7) + " x")
			if err == nil && outer.around {
				body, err = outer.of(string(body))
			}
			if err != nil || len(seenInBody(body)) == 0 {
				t.Errorf("%s in %s is not seen (%v): %q", inner.name, outer.name, err, body)
			}
		}
	}
}

func each(form, text string) string {
	var b strings.Builder
	for _, one := range []byte(text) {
		fmt.Fprintf(&b, form, one)
	}
	return b.String()
}
