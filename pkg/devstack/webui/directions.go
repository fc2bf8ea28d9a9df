package webui

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// directions are the characters that change the direction of writing. An unclosed
// direction reverses the rest of its line, including the text of the page around it.
const directions = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// withoutDirections replaces the characters in directions by U+FFFD in the text of a
// page, so that they are visible. It keeps them in attributes and in text areas, because
// their text is stored unchanged.
func withoutDirections(page []byte) []byte {
	found := false
	for _, one := range directions {
		found = found || bytes.Contains(page, []byte(string(one)))
	}
	if !found {
		return page
	}
	var out bytes.Buffer
	tokens := html.NewTokenizer(bytes.NewReader(page))
	edited := false
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		raw := bytes.Clone(tokens.Raw()) // TagName changes the bytes of Raw
		switch kind {
		case html.StartTagToken, html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == "textarea" {
				edited = kind == html.StartTagToken
			}
		case html.TextToken:
			if !edited {
				raw = bytes.Map(func(r rune) rune {
					if strings.ContainsRune(directions, r) {
						return '\ufffd'
					}
					return r
				}, raw)
			}
		}
		out.Write(raw)
	}
	return out.Bytes()
}
