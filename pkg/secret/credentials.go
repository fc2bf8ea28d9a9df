package secret

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// schemes are the words that are before credentials in a header: those of the
// register of HTTP authentication schemes, and others that APIs use.
var schemes = []string{
	"apikey", "api-key", "basic", "bearer", "digest", "dpop", "hmac", "jwt", "key", "negotiate", "oauth",
	"private-token", "secret", "ssws", "token", "x-api-key", "zoho-oauthtoken",
}

// unknownScheme is how many characters credentials have at least after a word that
// is not a known scheme.
const minUnknownScheme = 16

// addCredentials adds the credentials in a secret that holds more than them: X of
// "Bearer X", the texts in "Digest realm=…, response=…", user name and password of
// "Basic X".
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

// addUser adds what "Basic X" is made of. The user name is not a secret by itself, as
// long as there is a password; it is masked all the same.
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
