package php

import (
	"iter"
	"net/url"
	"strconv"
	"strings"
)

// URLEncode implements urlencode: blanks become +, and all characters except letters,
// digits, - . _ are percent-encoded.
func URLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "~", "%7E") }

// RawURLEncode implements rawurlencode (RFC 3986): all characters except letters, digits,
// - . _ ~ are percent-encoded.
func RawURLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// URLDecode implements urldecode: it decodes + and percent escapes. A percent sign that
// begins no escape stays.
func URLDecode(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '+' {
			c = ' '
		} else if c == '%' && i+2 < len(s) {
			if escaped, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c = byte(escaped)
				i += 2
			}
		}
		b = append(b, c)
	}
	return string(b)
}

// Parameter is one decoded name=value of a query.
type Parameter struct {
	Name, Value string
	Bare        bool // true if there is no =
}

// Query yields the parameters of a query in their order, without empty parameters.
func Query(query string) iter.Seq[Parameter] {
	return func(yield func(Parameter) bool) {
		for pair := range strings.SplitSeq(query, "&") {
			name, text, ok := strings.Cut(pair, "=")
			if pair != "" && !yield(Parameter{URLDecode(name), URLDecode(text), !ok}) {
				return
			}
		}
	}
}
