package config

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// baseURL returns the base URL: a string, an expression, or an expression as JSON inside
// a string, which is an old form. On failure it reports a problem and returns an empty
// URL.
func (e evaluator) baseURL(s Section) *url.URL {
	if s.Value.IsNull() || s.Faulty() {
		return &url.URL{} // already reported
	}
	e.registerSecret = skippingURLs(e.registerSecret)
	v := s.Value
	if v.Kind() == value.String && parseBaseURL(v.Raw()) == nil {
		inner, err := value.Parse([]byte(v.Raw()))
		if err != nil || inner.Kind() != value.Object && inner.Kind() != value.String {
			return invalidURL(s, v)
		}
		e.warn(failure.OldForm, s.Pointer, "an expression inside a string is the old form", "write it as an object")
		v = inner
	}
	before := len(*e.problems)
	result, ok := e.value(expr.InBaseURL, v, s.Pointer)
	if !ok {
		if s.Value.Kind() == value.String {
			// A pointer cannot lead into the string.
			for i := before; i < len(*e.problems); i++ {
				(*e.problems)[i].Pointer = s.Pointer
			}
		}
		return &url.URL{}
	}
	if u := parseBaseURL(result.Raw()); result.Kind() == value.String && u != nil {
		return u
	}
	return invalidURL(s, result)
}

// skippingURLs returns a function that registers secrets, except for complete URLs:
// messages should show the rest of the URL. It returns nil if register is nil.
func skippingURLs(register func(string)) func(string) {
	if register == nil {
		return nil
	}
	return func(secret string) {
		if !strings.Contains(secret, "://") {
			register(secret)
		}
	}
}

// invalidURL reports an invalid base URL. It does not show the URL if a secret may be
// part of it.
func invalidURL(s Section, result value.Value) *url.URL {
	found, hint := field.Describe(s.Pointer, result), failure.Text("")
	if result.Secret() || slices.ContainsFunc(appendAttributeNames(s.Value, nil), func(name string) bool { return secret.IsSecretPointer(strings.ReplaceAll(name, ".", "/")) }) {
		found = field.DescribeKind(result)
	}
	if text := result.Raw(); strings.Contains(text, "{{") {
		hint = "it still contains a variable that has no value"
	} else if !strings.Contains(text, "://") {
		hint = "a URL begins with http:// or https://"
	}
	s.Problems().Add(failure.Problem{Code: failure.InvalidAddress, Pointer: s.Pointer, Found: found, Expected: "expected a valid http or https URL", Hint: hint})
	return &url.URL{}
}

// Patterns for parts of a URL.
const (
	escaped   = `%[0-9A-Fa-f]{2}`
	pathChars = `[\pL\pN\-._~!$&'()*+,;=:@]|` + escaped
)

// address matches the URLs that the original extractor accepts: http or https, optional
// user and password, a host name in any script (without a required top-level domain) or
// an IP address, optional port, path, query and fragment. It does not match braces and
// blanks.
var address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:https?)://` +
		`(?:(?:[\pL\pN_.\-]|` + escaped + `)+(?::(?:[\pL\pN_.\-]|` + escaped + `)*)?@)?` +
		`(?:[\pL\pN\pS\-_.]*[\pL\pN]\.?|\[([0-9A-Fa-f:.]+)\])` +
		`(?::([0-9]+))?` +
		`(?:/(?:` + pathChars + `)*)*` +
		`(?:\?(?:` + pathChars + `|[/?\[\]])*)?` +
		`(?:#(?:` + pathChars + `|[/?])*)?$`)
})

// parseBaseURL returns nil if the URL is not valid.
func parseBaseURL(text string) *url.URL {
	parts := address().FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	if ip := parts[1]; ip != "" {
		if a, err := netip.ParseAddr(ip); err != nil || !a.Is6() {
			return nil
		}
	}
	if port := parts[2]; port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return nil
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return u
}
