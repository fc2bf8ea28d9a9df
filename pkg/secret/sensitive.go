package secret

import (
	"net/url"
	"slices"
	"strings"
)

// Sensitive says which parts of a request are secrets because of what they were
// made of, regardless of what their values looklike. The zero value is none. It does not
// change: the With methods return another one.
type Sensitive struct {
	headers []string // lower case
	params  []string
	body    []Span
}

// WithHeader also has the header of that name, in any letter case.
func (s Sensitive) WithHeader(name string) Sensitive {
	s.headers = append(slices.Clone(s.headers), strings.ToLower(name))
	return s
}

// WithParam also has the parameter of the query with that name, decoded, and those
// inside it (name[key]).
func (s Sensitive) WithParam(name string) Sensitive {
	s.params = append(slices.Clone(s.params), name)
	return s
}

// WithBody also has these parts of the body, in their order.
func (s Sensitive) WithBody(parts []Span) Sensitive {
	s.body = parts
	return s
}

// Header reports whether the header of that name is a secret.
func (s Sensitive) Header(name string) bool {
	return slices.Contains(s.headers, strings.ToLower(name))
}

// Param reports whether the parameter of that name is a secret.
func (s Sensitive) Param(name string) bool {
	return slices.ContainsFunc(s.params, func(param string) bool {
		rest, ok := strings.CutPrefix(name, param)
		return ok && (rest == "" || rest[0] == '[')
	})
}

// Pair is Param for a pair of a query as it is sent.
func (s Sensitive) Pair(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	return s.Param(name)
}

// Query lists the values of the query of an address that are secrets.
func (s Sensitive) Query(address string) []Span {
	var parts []Span
	for at := strings.IndexByte(address, '?') + 1; at > 0 && at < len(address); {
		pair, _, _ := strings.Cut(address[at:], "&")
		if name, value, _ := strings.Cut(pair, "="); value != "" && s.Pair(pair) {
			parts = append(parts, Span{at + len(name) + len("="), at + len(pair)})
		}
		at += len(pair) + len("&")
	}
	return parts
}

// Body lists the parts of the body that are secrets.
func (s Sensitive) Body() []Span { return s.body }

// Address is the address of a request without user name and password, which are
// sent as a header, and with the values of these parameters masked.
func (s Sensitive) Address(u *url.URL) string {
	whole := withoutUser(u)
	return hide(whole, Span{0, len(whole)}, s.Query(whole))
}

func withoutUser(u *url.URL) string {
	shown := *u
	shown.User = nil
	return shown.String()
}

// Address is the address of a request as it may be shown. Path and Query are what
// is left of them in Whole.
type Address struct{ Whole, Path, Query string }

// RedactAddress is an address as Sensitive.Address has it, with everything masked
// that Redact masks. That is done before it is taken apart, for a secret may be
// in its path and continue in its query.
func (r *Registry) RedactAddress(u *url.URL, sensitive Sensitive) Address {
	whole := withoutUser(u)
	query := len(whole) - len(u.RawQuery)
	path := query
	if u.RawQuery != "" || u.ForceQuery {
		path -= len("?")
	}
	spans := r.maskedSpansWith(whole, sensitive.Query(whole))
	return Address{
		Whole: hide(whole, Span{0, len(whole)}, spans),
		Path:  hide(whole, Span{path - len(u.EscapedPath()), path}, spans),
		Query: hide(whole, Span{query, len(whole)}, spans),
	}
}

// RedactWith is Redact for a text of which these parts are secrets, too.
func (r *Registry) RedactWith(text string, parts []Span) string {
	return hide(text, Span{0, len(text)}, r.maskedSpansWith(text, parts))
}

// maskedWith is Masked for a text of which these parts are secrets, too.
func (r *Registry) maskedSpansWith(text string, parts []Span) []Span {
	return mergeSpans(append(r.MaskedSpans(text), parts...))
}

// hide is a part of a text with [hidden] in the place of what belongs to one of
// these spans.
func hide(text string, part Span, spans []Span) string {
	if len(spans) == 0 {
		return text[part.From:part.To]
	}
	var b strings.Builder
	done := part.From
	for _, one := range spans {
		if one.To <= done || one.From >= part.To {
			continue
		}
		b.WriteString(text[done:max(done, one.From)])
		b.WriteString(Hidden)
		done = min(one.To, part.To)
	}
	b.WriteString(text[done:part.To])
	return b.String()
}
