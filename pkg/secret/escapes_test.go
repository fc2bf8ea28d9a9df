package secret

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

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
