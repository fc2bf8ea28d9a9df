package secret

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// schemes are the words before the credentials in a header: the registered HTTP
// authentication schemes, and other words that APIs use.
var schemes = []string{
	"apikey", "api-key", "basic", "bearer", "digest", "dpop", "hmac", "jwt", "key", "negotiate", "oauth",
	"private-token", "secret", "ssws", "token", "x-api-key", "zoho-oauthtoken",
}

// minUnknownScheme is the minimum number of characters of credentials after a word that
// is not a known scheme.
const minUnknownScheme = 16

// addCredentials adds the credentials in a secret that contains more text: X of "Bearer
// X", the texts in "Digest realm=…, response=…", user name and password of "Basic X".
func (s *secretSet) addCredentials(secret string) {
	scheme, rest, _ := strings.Cut(secret, " ")
	rest = strings.TrimSpace(rest)
	known := slices.Contains(schemes, strings.ToLower(strings.TrimSuffix(scheme, ":")))
	if !known && (!inBase64(rest) || utf8.RuneCountInString(rest) < minUnknownScheme) {
		return
	}
	s.add(rest)
	if strings.EqualFold(scheme, "basic") {
		s.addUser(rest)
	}
	for pair := range strings.SplitSeq(rest, ",") {
		_, text, _ := strings.Cut(pair, "=")
		if text = strings.Trim(text, " =\""); utf8.RuneCountInString(text) >= minSearched {
			s.add(text)
		}
	}
}

// addUser adds the decoded credentials of "Basic X", the password and the user name.
// The user name is a secret itself only if the password is too short to be searched
// for. Otherwise it is masked as a remainder.
func (s *secretSet) addUser(encoded string) {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	user, password, found := strings.Cut(string(plain), ":")
	if err != nil || !found {
		return
	}
	s.add(string(plain))
	s.add(password)
	if utf8.RuneCountInString(password) < minSearched {
		s.add(user)
	} else {
		s.addPart(user)
	}
}
