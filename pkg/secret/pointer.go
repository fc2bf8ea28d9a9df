package secret

import "strings"

// IsSecretPointer reports whether the value at a JSON pointer may be a secret,
// according to the keys in the pointer. Such a value must not be shown.
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
			continue // only the names look like credentials
		}
		for _, word := range []string{"auth", "token", "pass", "secret", "key", "credential", "cookie", "certificate", "signature"} {
			if strings.Contains(segment, word) {
				return true
			}
		}
	}
	return false
}

// WithoutCredentials replaces the user name and password of a URL, and the query of any
// text, by [hidden]. AddDocument masks the rest if it belongs to a secret.
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
