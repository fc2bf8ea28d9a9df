package webui

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// directions are the characters that change the direction of writing. One that is not
// closed reverses what follows on its line, the text of this page too.
const directions = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// withoutDirections replaces these characters in the text of a page, so that they are seen.
// They stay in attributes and in what is edited, which is stored as it is.
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
		raw := bytes.Clone(tokens.Raw()) // that of a tag is changed when its name is read
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
