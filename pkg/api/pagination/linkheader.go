package pagination

import (
	"net/url"
	"strings"
)

// Link is one link of the header Link (RFC 8288).
type Link struct {
	// Target is the address as it is there, maybe a relative one.
	Target string
	// Relations are what the target is to the response.
	Relations []string
	// Anchor is the address that the link is about, if that is another one than
	// that of the response; anchored is set when there is any.
	Anchor   string
	anchored bool
}

// Links reads the values of the header Link by RFC 8288, appendix B.2. What follows
// something that is not a link is not read.
func Links(header []string) []Link {
	var all []Link
	for _, line := range header {
		for {
			line = strings.TrimLeft(line, " \t,")
			target, rest, ok := strings.Cut(line, ">")
			if target, ok = cutPrefix(target, "<", ok); !ok {
				break
			}
			link := Link{Target: strings.TrimSpace(target)}
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

// params reads the parameters of a link and returns what comes after them. The
// first `rel` and the first `anchor` count.
func (l *Link) params(text string) (rest string) {
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

// linkValue reads the value of a parameter: a quoted string, or what is before
// the next sign.
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

// LinkTo is the target of the first link with a relation, in any letter case, among
// the values of the header Link of a response from an address; ok is false when there
// is none. Links that are about something else than the response do not count.
func LinkTo(relation string, header []string, address *url.URL) (target string, ok bool) {
	for _, link := range Links(header) {
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

// about reports whether a link is about the response from an address.
func (l Link) about(address *url.URL) bool {
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
