package infer

import (
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pathSecret is a credential in a URL, still escaped, and the name of the attribute that
// will hold it.
type pathSecret struct{ name, text string }

// beforeTokens are segments of paths that precede a credential.
var beforeTokens = []string{"token", "key", "apikey", "accesstoken", "accesskey", "auth", "session", "sessions", "secret", "hooks", "webhook", "webhooks"}

// sessionNames are parameters that hold a session.
var sessionNames = []string{"session", "sessionid", "sessionkey", "jsessionid", "phpsessid", "aspsessionid", "sid"}

// minPathToken is the minimum length of a segment that counts as a credential because it
// looks random. Shorter segments are more often ids.
const minPathToken = 20

// pathSecrets returns the credentials in an escaped path: segments, and session
// parameters after a semicolon (;jsessionid=…).
func pathSecrets(path string) []pathSecret {
	var all []pathSecret
	add := func(name, text string) {
		found := pathSecret{name, text}
		if text != "" && !slices.Contains(all, found) {
			all = append(all, found)
		}
	}
	before := ""
	for segment := range strings.SplitSeq(path, "/") {
		segment, matrix, _ := strings.Cut(segment, ";")
		for pair := range strings.SplitSeq(matrix, ";") {
			name, text, _ := strings.Cut(pair, "=")
			if short := textfmt.Letters(name); len(text) >= 8 && slices.Contains(sessionNames, short) || secretParam(name, value.OfString(text)) {
				add(name, text)
			}
		}
		if plain, err := url.PathUnescape(segment); err == nil && tokenSegment(before, plain) {
			add("token", segment)
		}
		before = textfmt.Letters(segment)
	}
	return all
}

// tokenSegment reports whether a segment of a path is a credential. before is the
// previous segment.
func tokenSegment(before, segment string) bool {
	if strings.HasPrefix(segment, "bot") && strings.Contains(segment, ":") {
		return len(segment) >= minPathToken // token of a Telegram bot
	}
	if slices.Contains(beforeTokens, before) {
		return looksRandom(segment) // a UUID counts, too, because it may be a session
	}
	return len(segment) >= minPathToken && looksRandom(segment) && !uuid().MatchString(segment)
}

// hidePath moves the credentials in the path into attributes. It does the same for the
// query if the parameters are in the body.
func (d *configBuilder) hidePath() {
	secrets := pathSecrets(d.url.EscapedPath())
	if d.method != "GET" { // the query is part of the endpoint
		for pair := range strings.SplitSeq(d.url.RawQuery, "&") {
			name, text, _ := strings.Cut(pair, "=")
			if parsed := parseQuery(pair); len(parsed) == 1 && secretParam(parsed[0].Name, parsed[0].Value) {
				secrets = append(secrets, pathSecret{name, text})
			}
		}
	}
	// Longer secrets first, because one may contain another.
	slices.SortStableFunc(secrets, func(a, b pathSecret) int { return len(b.text) - len(a.text) })
	for _, s := range secrets {
		d.hidden = append(d.hidden, hiddenPart{s.text, d.addSecret(s.name, s.text)})
		if slices.Contains(sessionNames, textfmt.Letters(s.name)) {
			d.note("The URL has a session (" + quote(s.name) + ") that will end. Check whether the API accepts a key or a token.")
		}
	}
}

func (d *configBuilder) guessHidden() {
	at, v := jobPointer(config.JobEndpoint), d.replaceHidden(d.target())
	if v.Kind() != value.Object {
		at, v = pointer(config.APISection, config.BaseURL), d.replaceHidden(d.baseURL)
	}
	d.guess("authentication", at, v, likely, "a part of the URL looks like a credential")
}

// target returns the endpoint, with the query if parameters are sent in the body.
func (d *configBuilder) target() string {
	if d.method == "GET" || d.url.RawQuery == "" {
		return d.endpoint
	}
	return d.endpoint + "?" + d.url.RawQuery
}

// hiddenPart is a credential in the URL and the reference that replaces it.
type hiddenPart struct {
	text      string
	reference value.Value
}

// replaceHidden replaces the credentials in a part of the URL. It returns a text, or an
// expression if the part contains credentials.
func (d *configBuilder) replaceHidden(text string) value.Value {
	var args []value.Value
	for rest := text; rest != ""; {
		at, found := len(rest), hiddenPart{}
		for _, h := range d.hidden {
			if i := strings.Index(rest, h.text); i >= 0 && i < at {
				at, found = i, h
			}
		}
		if at > 0 {
			args = append(args, value.OfString(rest[:at]))
		}
		if found.text != "" {
			args = append(args, found.reference)
		}
		rest = rest[at+len(found.text):]
	}
	switch {
	case len(args) == 1 && args[0].Kind() == value.Object:
		return args[0]
	case len(args) < 2:
		return value.OfString(text)
	}
	return call("concat", args...)
}

// isHidden reports whether a word of the path is a credential or contains one.
func (d *configBuilder) isHidden(word string) bool {
	return slices.ContainsFunc(d.hidden, func(h hiddenPart) bool {
		plain, err := url.PathUnescape(h.text)
		return err == nil && strings.Contains(word, plain)
	})
}
