package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

const (
	tokenHeader = "X-StorageApi-Token"
	runHeader   = "X-KBC-RunId"
	maxID       = 255
)

// authorize wants a token. That of a component may do everything but make the
// platform fail, which no real platform offers.
func (s *server) authorize(r *http.Request) error {
	given := r.Header.Get(tokenHeader)
	switch {
	case same(given, s.token):
		return nil
	case !same(given, s.jobToken):
		return &refusal{status: http.StatusUnauthorized, code: "storage.tokenInvalid", message: "Invalid access token"}
	case within(r.URL.Path, faultsPath):
		return &refusal{status: http.StatusForbidden, code: "accessDenied", message: "Components cannot make the platform fail"}
	default:
		return nil
	}
}

// same compares with a token, "" is none. The hashes are compared so that the
// time tells nothing, not even the length.
func same(given, token string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
	return token != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// sameSite refuses what a browser sends for the page of another site, reads
// included: the default token is no secret.
func sameSite(r *http.Request) error {
	asWrite := *r
	asWrite.Method = http.MethodPost
	if err := new(http.CrossOriginProtection).Check(&asWrite); err != nil {
		return &refusal{status: http.StatusForbidden, code: "accessDenied", message: "Requests from other sites are not allowed"}
	}
	return nil
}

// base is the address of this server as the client spelt it, so that it is right
// from inside a container too.
func base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// validID tells whether a text is an id that means the same in every spelling of
// a path, and that the store can hold.
func validID(id string) bool {
	odd := func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-')
	}
	return id != "" && len(id) <= maxID && id != "." && id != ".." && !strings.ContainsFunc(id, odd)
}
