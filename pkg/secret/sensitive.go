package secret

import (
	"net/url"
	"slices"
	"strings"
)

// Sensitive lists the parts of a request that are secrets because of their sources,
// regardless of their values. The zero value lists no part. It is immutable: the With
// methods return a new value.
type Sensitive struct {
	headers []string // names in lower case
	params  []string
	body    []Span
}

// WithHeader adds the header with a name, in any letter case.
func (s Sensitive) WithHeader(name string) Sensitive {
	s.headers = append(slices.Clone(s.headers), strings.ToLower(name))
	return s
}

// WithParam adds the query parameter with a decoded name, and the parameters inside it
// (name[key]).
func (s Sensitive) WithParam(name string) Sensitive {
	s.params = append(slices.Clone(s.params), name)
	return s
}

// WithBody sets the ranges of the body that are secrets, in their order.
func (s Sensitive) WithBody(parts []Span) Sensitive {
	s.body = parts
	return s
}

// Header reports whether the header with a name is a secret.
func (s Sensitive) Header(name string) bool {
	return slices.Contains(s.headers, strings.ToLower(name))
}

// Param reports whether the query parameter with a decoded name is a secret.
func (s Sensitive) Param(name string) bool {
	return slices.ContainsFunc(s.params, func(param string) bool {
		rest, ok := strings.CutPrefix(name, param)
		return ok && (rest == "" || rest[0] == '[')
	})
}

// Pair reports whether a pair of a query, as it is sent, is a secret parameter.
func (s Sensitive) Pair(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	return s.Param(name)
}

// Query returns the ranges of the secret values in the query of a URL.
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

// Body returns the ranges of the body that are secrets.
func (s Sensitive) Body() []Span { return s.body }

// Address returns the URL of a request with the values of secret parameters masked. It
// omits the user name and the password, which are sent as a header.
func (s Sensitive) Address(u *url.URL) string {
	whole := withoutUser(u)
	return hide(whole, Span{0, len(whole)}, s.Query(whole))
}

func withoutUser(u *url.URL) string {
	shown := *u
	shown.User = nil
	return shown.String()
}

// Address is the URL of a request with the secrets masked. Path and Query are the rest
// of the path and of the query in Whole.
type Address struct{ Whole, Path, Query string }

// RedactAddress returns a URL like Sensitive.Address, and also replaces what Mask
// replaces. It masks the URL before it splits it, because a secret may begin in the
// path and end in the query.
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

// RedactWith returns a text with all secrets and the given ranges replaced by [hidden].
func (r *Registry) RedactWith(text string, parts []Span) string {
	return hide(text, Span{0, len(text)}, r.maskedSpansWith(text, parts))
}

func (r *Registry) maskedSpansWith(text string, parts []Span) []Span {
	return mergeSpans(append(r.MaskedSpans(text), parts...))
}

// hide returns a part of a text with the given ranges replaced by [hidden].
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
