// Package guard decides which requests the servers of the local platform may
// answer. It keeps nothing and answers nothing itself.
package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
)

// Equal compares what a client sent with a secret; an empty secret equals nothing.
// It compares hashes, so that the time it takes depends neither on the texts nor on
// their lengths.
func Equal(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return secret != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// CrossSite reports whether a browser sent a request, read or write, for a page of
// another site.
func CrossSite(r *http.Request) bool {
	asWrite := *r
	asWrite.Method = http.MethodPost // CrossOriginProtection lets every read pass
	return http.NewCrossOriginProtection().Check(&asWrite) != nil
}
