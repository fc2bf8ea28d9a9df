package pagination

import (
	"net/url"
	"strings"
)

// headerLink is a link of the header Link (RFC 8288).
type headerLink struct {
	// Target is the URL as the header has it, possibly relative.
	Target string
	// Relations are the relations of the target to the response.
	Relations []string
	// Anchor is the URL that the link is about, if it is not the URL of the response.
	Anchor string
	// anchored is true if the link has an anchor, which may be empty.
	anchored bool
}

// parseLinks parses the values of the header Link by RFC 8288, appendix B.2. In each value it
// stops at the first text that is not a link.
func parseLinks(header []string) []headerLink {
	var all []headerLink
	for _, line := range header {
		for {
			line = strings.TrimLeft(line, " \t,")
			target, rest, ok := strings.Cut(line, ">")
			if target, ok = cutPrefix(target, "<", ok); !ok {
				break
			}
			link := headerLink{Target: strings.TrimSpace(target)}
			line = link.params(rest)
			all = append(all, link)
		}
	}
	return all
}

func cutPrefix(text, prefix string, ok bool) (string, bool) {
	text, found := strings.CutPrefix(text, prefix)
	return text, ok && found
}

// params parses the parameters of a link and returns the text after them. It uses the
// first `rel` and the first `anchor`.
func (l *headerLink) params(text string) (rest string) {
	related := false
	for {
		text = strings.TrimLeft(text, " \t")
		if !strings.HasPrefix(text, ";") {
			return text
		}
		text = strings.TrimLeft(text[1:], " \t")
		name, value := text, ""
		if end := strings.IndexAny(text, "=;, \t"); end >= 0 {
			name, text = text[:end], text[end:]
		} else {
			text = ""
		}
		if after, ok := strings.CutPrefix(strings.TrimLeft(text, " \t"), "="); ok {
			value, text = linkValue(strings.TrimLeft(after, " \t"))
		}
		switch {
		case strings.EqualFold(name, "rel") && !related:
			l.Relations, related = strings.Fields(value), true
		case strings.EqualFold(name, "anchor") && !l.anchored:
			l.Anchor, l.anchored = value, true
		}
	}
}

// linkValue parses the value of a parameter: a quoted string, or the text before the next
// semicolon or comma.
func linkValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ";,")
		if end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// LinkTo returns the target of the first link with a relation, which is not
// case-sensitive, in the values of the header Link. It ignores links that are not about
// the response. address is the URL of the response. ok is false if there is no such link.
func LinkTo(relation string, header []string, address *url.URL) (target string, ok bool) {
	for _, link := range parseLinks(header) {
		if !link.about(address) {
			continue
		}
		for _, one := range link.Relations {
			if strings.EqualFold(one, relation) {
				return link.Target, true
			}
		}
	}
	return "", false
}

// about reports whether a link is about the response with the URL address.
func (l headerLink) about(address *url.URL) bool {
	if !l.anchored {
		return true
	}
	if address == nil {
		return l.Anchor == ""
	}
	address = withoutFragment(address)
	anchor, err := address.Parse(l.Anchor)
	return err == nil && anchor.String() == address.String()
}

func withoutFragment(u *url.URL) *url.URL {
	clone := *u
	clone.Fragment, clone.RawFragment = "", ""
	return &clone
}
