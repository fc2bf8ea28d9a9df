package shop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxLoginBody is the maximum size, in bytes, of a login request. A login needs far less.
const maxLoginBody = 4096

func (s *shop) login(w http.ResponseWriter, r *http.Request) {
	var given struct {
		User     string `json:"user"`
		Password string `json:"password"`
	}
	body := http.MaxBytesReader(w, r.Body, maxLoginBody)
	if err := json.NewDecoder(body).Decode(&given); err != nil {
		writeError(w, http.StatusBadRequest, `the body must be JSON like {"user": "…", "password": "…"}`)
		return
	}
	if given.User != User || given.Password != Password {
		writeError(w, http.StatusUnauthorized, "unknown user or wrong password")
		return
	}
	writeJSON(w, http.StatusOK, struct {
		Token     string `json:"token"`
		TokenType string `json:"token_type"`
		ExpiresIn int    `json:"expires_in"`
	}{s.tokens.issue(), "Bearer", int(tokenLife / time.Second)})
}

// tokens holds the issued tokens and when they expire. It is safe for concurrent use.
type tokens struct {
	now func() time.Time

	mu     sync.Mutex
	issued int
	expiry map[string]time.Time
}

// issue returns a new token and forgets expired tokens. Tokens are numbered, not random,
// so that all runs against a new shop are the same.
func (t *tokens) issue() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for token, expiry := range t.expiry {
		if !now.Before(expiry) {
			delete(t.expiry, token)
		}
	}
	t.issued++
	token := fmt.Sprintf("shop-token-%04d", t.issued)
	t.expiry[token] = now.Add(tokenLife)
	return token
}

func (t *tokens) valid(token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	expiry, ok := t.expiry[token]
	return ok && t.now().Before(expiry)
}

// guard requires a valid token, or user and password.
func (t *tokens) guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		user, password, basic := r.BasicAuth()
		switch {
		case basic && user == User && password == Password:
			next(w, r)
		case basic:
			w.Header().Set("WWW-Authenticate", "Basic")
			writeError(w, http.StatusUnauthorized, "unknown user or wrong password")
		case !ok:
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeError(w, http.StatusUnauthorized, "log in by POST /login and send its token as Authorization: Bearer TOKEN")
		case !t.valid(token):
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			writeError(w, http.StatusUnauthorized, "the token is unknown or has expired")
		default:
			next(w, r)
		}
	}
}
