package secret

import "strings"

// IsSecretPointer reports whether a secret may be at a JSON pointer: the keys on the
// way to it say so. The value must not be shown then.
func IsSecretPointer(pointer string) bool {
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
		case "authentication", "parentkey", "primarykey", "urlkey", "idkey":
			continue // these only sound like credentials
		}
		for _, word := range []string{"auth", "token", "pass", "secret", "key", "credential", "cookie", "certificate", "signature"} {
			if strings.Contains(segment, word) {
				return true
			}
		}
	}
	return false
}

// WithoutCredentials hides user name and password of an address, and the query
// of anything. AddDocument masks what it leaves of a secret.
func WithoutCredentials(s string) string {
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = Hidden + rest[at:]
		}
		s = scheme + "://" + rest
	}
	if query := strings.IndexByte(s, '?'); query >= 0 {
		s = s[:query] + "?" + Hidden
	}
	return s
}
