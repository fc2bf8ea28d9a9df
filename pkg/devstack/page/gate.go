package page

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
)

const (
	cookieName    = "local_platform_" // the port follows
	sessionPath   = "/session/"       // its key follows
	maxLoginBytes = 16 << 10
)

// gate lets those pass who have shown the token once.
type gate struct {
	token   string
	session session
	site    *site
}

// session is what a browser gets for the token, for as long as this process
// lives: a path under which it finds the pages, and a cookie for that path. A
// browser sends the cookies of 127.0.0.1 to every port of it, but only to the
// path of the cookie, which nobody else knows: so another server of this machine
// never gets it. The path alone, in a history or a picture, opens nothing.
type session struct {
	path, cookie string
}

func newSession() session { return session{path: sessionPath + rand.Text(), cookie: rand.Text()} }

// handler serves the login and the assets to everyone, everything else to those
// with the cookie.
func (g gate) handler(inside http.Handler) http.Handler {
	inside = http.StripPrefix(g.session.path, inside)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		g.ask(w, http.StatusOK, r.URL.Query().Get("next"))
	})
	mux.HandleFunc("POST /login", g.login)
	mux.Handle("GET /assets/{name}", g.site.assets)
	// Pages of plain text cannot name their icon.
	mux.Handle("GET /favicon.ico", http.RedirectHandler(g.site.assets.Icon, http.StatusFound))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		session, page := splitSession(r.URL.EscapedPath())
		switch {
		case r.Method == http.MethodGet && query.Has("token"):
			g.enter(w, r, query.Get("token"), page)
		case same(session, g.session.path) && g.known(r):
			inside.ServeHTTP(w, r)
		default:
			http.Redirect(w, r, "/login?next="+url.QueryEscape(page), http.StatusSeeOther)
		}
	})
	return mux
}

// splitSession takes the path of a session, of this process or an earlier one,
// off that of a page; it is "" where there is none.
func splitSession(path string) (session, page string) {
	rest, ok := strings.CutPrefix(path, sessionPath)
	if !ok {
		return "", path
	}
	key, page, _ := strings.Cut(rest, "/")
	return sessionPath + key, "/" + page
}

func (g gate) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLoginBytes)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form cannot be read.", http.StatusBadRequest)
		return
	}
	g.enter(w, r, r.PostForm.Get("token"), r.PostForm.Get("next"))
}

// enter gives the cookie to those who show the right token, and sends them on.
func (g gate) enter(w http.ResponseWriter, r *http.Request, token, next string) {
	if !same(token, g.token) {
		g.ask(w, http.StatusUnauthorized, next)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: nameOfCookie(r), Value: g.session.cookie, Path: g.session.path + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, g.session.path+local(next), http.StatusSeeOther)
}

func (g gate) ask(w http.ResponseWriter, status int, next string) {
	g.site.show(w, status, "login", layout{
		Title:   "Log in",
		Outside: true,
		Body: struct {
			Refused bool
			Next    string
		}{status == http.StatusUnauthorized, local(next)},
	})
}

func (g gate) known(r *http.Request) bool {
	for _, cookie := range r.CookiesNamed(nameOfCookie(r)) {
		if same(cookie.Value, g.session.cookie) {
			return true
		}
	}
	return false
}

// nameOfCookie has the port in it that the browser asked, so that platforms side
// by side do not take each other's cookie away.
func nameOfCookie(r *http.Request) string {
	port := (&url.URL{Host: r.Host}).Port()
	if port == "" {
		port = "80"
	}
	return cookieName + port
}

// ownSite refuses what other sites make a browser send, reads included: also
// those on another port of this machine. A link that a person follows is let
// through.
func ownSite(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asWrite := *r
		if !followsLink(r) {
			asWrite.Method = http.MethodPost // reads would pass
		}
		if protection.Check(&asWrite) != nil {
			http.Error(w, "Requests from other sites are not allowed.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// followsLink tells whether a browser wants to show a page in a window of its
// own, not within that of another site.
func followsLink(r *http.Request) bool {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	return read && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// same compares in a time that tells nothing, not even the length.
func same(given, wanted string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(wanted))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// local is a path of this host; / for anything that leads elsewhere, also in
// the eyes of a browser, for which a backslash is a slash and a tab is nothing.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }) {
		return "/"
	}
	return next
}
