package field

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// longest is the number of characters of a value that a message shows.
const longest = 40

// Describe says what stands at a place of the document, for a person: scalars
// as JSON, shortened; of lists and objects only the size.
//
// A value that may be a secret is described by its type alone: below a key that
// begins with #, in `authorization`, in headers and parameters, and wherever a
// key says that it holds a credential. Credentials and queries inside addresses
// are cut out.
func Describe(pointer string, v value.Value) failure.Text {
	if !v.IsScalar() || v.Raw() == "" || MayBeSecret(pointer) {
		return DescribeKind(v)
	}
	if v.Kind() != value.String {
		return failure.Part(prose.Shorten(v.Raw(), longest))
	}
	return failure.Part(value.OfString(prose.Shorten(withoutCredentials(v.Raw()), longest)).JSON())
}

// DescribeKind gives the type and the size of a value, and nothing of what is
// in it.
func DescribeKind(v value.Value) failure.Text {
	switch n := v.Len(); {
	case v.Kind() == value.Null:
		return "null"
	case v.Kind() == value.String && v.Raw() == "":
		return "an empty string"
	case v.IsScalar():
		return failure.Text("a " + v.Kind().String())
	case v.Kind() == value.Array && n == 0:
		return "an empty list"
	case v.Kind() == value.Array:
		return failure.Text(fmt.Sprintf("a list of %d", n))
	case n == 0:
		return "an empty object"
	default:
		return "an object"
	}
}

// MayBeSecret judges a place by the keys on the way to it: whether a value there
// must not be shown.
func MayBeSecret(pointer string) bool {
	if strings.HasSuffix(pointer, "/authentication") {
		return true
	}
	for segment := range strings.SplitSeq(pointer, "/") {
		if strings.HasPrefix(segment, "#") {
			return true
		}
		segment = strings.ToLower(segment)
		switch segment {
		case "headers", "params", "query", "username", "sshproxy", "aws":
			return true
		}
		for _, word := range []string{"auth", "token", "pass", "secret", "key", "credential", "cookie", "certificate", "signature"} {
			if strings.Contains(segment, word) && !harmless(segment) {
				return true
			}
		}
	}
	return false
}

// harmless are settings whose names only sound like credentials.
func harmless(segment string) bool {
	switch segment {
	case "authentication", "parentkey", "primarykey", "urlkey", "idkey":
		return true
	}
	return false
}

// withoutCredentials hides user name and password of an address, and the query
// of anything.
func withoutCredentials(s string) string {
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = secret.Hidden + rest[at:]
		}
		s = scheme + "://" + rest
	}
	if query := strings.IndexByte(s, '?'); query >= 0 {
		s = s[:query] + "?" + secret.Hidden
	}
	return s
}
