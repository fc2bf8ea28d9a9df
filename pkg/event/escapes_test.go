package event

import (
	"encoding/json"
	"html"
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
