// Package guard decides which requests the servers of the local platform may serve.
package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
)

// Equal reports whether a client sent the right secret. It returns false if the secret is
// empty. It compares hashes, so that its time depends neither on the texts nor on their
// lengths.
func Equal(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return secret != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// CrossSite reports whether a browser sent a request on behalf of a page of another site.
// It checks all methods.
func CrossSite(r *http.Request) bool {
	asWrite := *r
	asWrite.Method = http.MethodPost // CrossOriginProtection permits all reads
	return http.NewCrossOriginProtection().Check(&asWrite) != nil
}
