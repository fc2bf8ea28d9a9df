package apis

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// googleKey is the private key of the service account in all tests.
var googleKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// googleAccount issues access tokens to a service account, and checks them. Facts:
// https://developers.google.com/identity/protocols/oauth2/service-account.
type googleAccount struct {
	*world
	scope  string
	tokens map[string]*googleToken
}

type googleToken struct {
	ends    time.Time
	isFirst bool // it is revoked after some requests
	uses    int
}

func newGoogleAccount(w *world, scope string) googleAccount {
	return googleAccount{w, address("www.googleapis.com", "/auth/"+scope), map[string]*googleToken{}}
}

func (g *googleAccount) keys() map[string]string { return g.privateKey(googleKey()) }

// admit responds to requests for a token, and those without a valid one. It reports whether
// the request may continue.
func (g *googleAccount) admit(rw http.ResponseWriter, r *http.Request) bool {
	if r.Host == "oauth2.googleapis.com" {
		g.refuseError(g.login(r))
		name := "ya29.token-" + strconv.Itoa(len(g.tokens))
		g.tokens[name] = &googleToken{ends: g.Now().Add(3599 * time.Second), isFirst: len(g.tokens) == 0}
		reply(rw, http.StatusOK, object{"access_token": name, "expires_in": 3599, "token_type": "Bearer"})
		return false
	}
	token := g.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	g.refuseIf(token == nil, "unknown token")
	token.uses++
	if g.Now().After(token.ends) || token.isFirst && token.uses > 4 {
		g.shows(expiredToken)
		googleError(rw, http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
	}
	return true
}

func isRS256(sum, signature []byte) bool {
	return rsa.VerifyPKCS1v15(&googleKey().PublicKey, crypto.SHA256, sum, signature) == nil
}

func (g *googleAccount) login(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	if r.Method != http.MethodPost || r.URL.String() != "/token" || len(r.PostForm) != 2 ||
		r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return fmt.Errorf("not a JWT bearer grant: %s", r.PostForm.Encode())
	}
	var header struct{ Alg, Typ string }
	var claims struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	if err := readJWT(r.PostForm.Get("assertion"), isRS256, &header, &claims); err != nil {
		return err
	}
	now := g.Now().Unix()
	switch {
	case header.Alg != "RS256" || header.Typ != "JWT":
		return fmt.Errorf("header %+v", header)
	case claims.Iss != "your-account@your-project.iam.gserviceaccount.com" || claims.Scope != g.scope || claims.Aud != address("oauth2.googleapis.com", "/token"):
		return fmt.Errorf("claims %+v", claims)
	// With concurrency the waits of other requests advance the clock while this one is under way.
	case claims.Iat > now || claims.Iat < now-3600 || claims.Exp <= now || claims.Exp-claims.Iat > 3600:
		return fmt.Errorf("claims %+v at %d", claims, now)
	}
	return nil
}

// googleError ends the request.
func googleError(rw http.ResponseWriter, code int, status, message string) {
	fail(rw, code, object{"error": object{"code": code, "status": status, "message": message}})
}
