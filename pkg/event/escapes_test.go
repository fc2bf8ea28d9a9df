package event

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// decoders undo one kind of escapes in a whole text, by other means than the
// program does.
var decoders = []func(string) string{
	func(text string) string {
		return jsonEscapes.ReplaceAllStringFunc(text, func(one string) string {
			var plain string
			if json.Unmarshal([]byte(`"`+one+`"`), &plain) != nil {
				return one
			}
			return plain
		})
	},
	undoPercent,
	func(text string) string { return undoPercent(strings.ReplaceAll(text, "+", "%20")) },
	html.UnescapeString,
}

var (
	jsonEscapes    = regexp.MustCompile(`\\(?:["\\/bfnrt]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})`)
	percentEscapes = regexp.MustCompile(`%[0-9a-fA-F]{2}`)
)

func undoPercent(text string) string {
	return percentEscapes.ReplaceAllStringFunc(text, func(one string) string {
		n, _ := strconv.ParseUint(one[1:], 16, 8)
		return string([]byte{byte(n)})
	})
}

// decodings are a text and what its readers may see who undo so many layers of
// escapes, each of any kind.
func decodings(text string, layers int) []string {
	all := []string{text}
	from := 0
	for range layers {
		to := len(all)
		for _, one := range all[from:to] {
			for _, decode := range decoders {
				if plain := decode(one); !slices.Contains(all, plain) {
					all = append(all, plain)
				}
			}
		}
		from = to
	}
	return all
}

// encoders are the ways that programs escape a text.
var encoders = map[string]func(*rand.Rand, string) string{
	"query": func(_ *rand.Rand, s string) string { return url.QueryEscape(s) },
	"path":  func(_ *rand.Rand, s string) string { return url.PathEscape(s) },
	"all percent": func(_ *rand.Rand, s string) string {
		return eachByte(s, func(b byte) string { return fmt.Sprintf("%%%02x", b) })
	},
	"some percent": func(r *rand.Rand, s string) string {
		return eachByte(s, func(b byte) string {
			if b > ' ' && b < 127 && !strings.ContainsRune("%+", rune(b)) && r.IntN(2) == 0 {
				return string([]byte{b})
			}
			return fmt.Sprintf("%%%02X", b)
		})
	},
	"JSON":      func(_ *rand.Rand, s string) string { return inJSON(s, true) },
	"JSON, PHP": func(_ *rand.Rand, s string) string { return strings.ReplaceAll(inJSON(s, false), "/", `\/`) },
	"JSON, all": func(_ *rand.Rand, s string) string {
		var b strings.Builder
		for _, r := range s {
			if r > 0xffff {
				b.WriteString(inJSON(string(r), false))
				continue
			}
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return b.String()
	},
	"HTML": func(_ *rand.Rand, s string) string { return html.EscapeString(s) },
	"HTML, numbers": func(_ *rand.Rand, s string) string {
		var b strings.Builder
		for _, r := range s {
			if strings.ContainsRune(`<>&'"=/`, r) || r > 0xa0 && r < 0xfff0 {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	},
}

// encoderNames are the keys of encoders, sorted.
var encoderNames = func() (names []string) {
	for name := range encoders {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func eachByte(s string, write func(byte) string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(write(s[i]))
	}
	return b.String()
}

func inJSON(s string, forHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(forHTML)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}
