package webui

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
)

const (
	cookieName    = "local_platform_" // the port follows
	sessionPath   = "/session/"       // the key of the session follows
	maxLoginBytes = 16 << 10
)

// session is the access that a browser gets for the token, until this process ends. It
// consists of a path to the pages and a cookie for that path. A browser sends the cookies
// of 127.0.0.1 to every port, but only to the path of the cookie. The path is secret, so
// another server on this machine never gets the cookie. The path alone, in a history or a
// screenshot, gives no access.
type session struct {
	path, cookie string
}

func newSession() session { return session{path: sessionPath + rand.Text(), cookie: rand.Text()} }

// requireSession serves the login and the assets to everyone, and all other pages to
// clients with the cookie.
func (s *site) requireSession(inside http.Handler) http.Handler {
	inside = http.StripPrefix(s.session.path, inside)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		s.ask(w, r, http.StatusOK, r.URL.Query().Get("next"))
	})
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /assets/{name}", s.assets.serve)
	// Pages of plain text cannot link to their icon.
	mux.Handle("GET /favicon.ico", http.RedirectHandler(s.assets.path("icon.svg"), http.StatusFound))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		session, page := splitSession(r.URL.EscapedPath())
		known := slices.ContainsFunc(r.CookiesNamed(nameOfCookie(r)), func(c *http.Cookie) bool {
			return guard.Equal(c.Value, s.session.cookie)
		})
		switch {
		case r.Method == http.MethodGet && query.Has("token"):
			s.enter(w, r, query.Get("token"), page)
		case guard.Equal(session, s.session.path) && known:
			inside.ServeHTTP(w, r)
		case fromScript(r):
			s.respondLogin(w, http.StatusUnauthorized, loginResponse{Problem: "You are logged out."})
		default:
			http.Redirect(w, r, "/login?next="+url.QueryEscape(page), http.StatusSeeOther)
		}
	})
	return mux
}

// loginResponse is the response to a script, which cannot use the login page.
type loginResponse struct {
	// Session is the path of the session that a login opened.
	Session string `json:"session,omitzero"`
	Problem string `json:"problem,omitzero"`
}

// fromScript reports whether a script of a page sent the request. See session.js.
func fromScript(r *http.Request) bool { return r.Header.Get("X-Requested-With") == "script" }

func (s *site) respondLogin(w http.ResponseWriter, status int, reply loginResponse) {
	if err := writeJSON(w, status, reply); err != nil {
		s.Report(err)
	}
}

// splitSession splits a path into the path of a session and the path of a page. The
// session may be from an earlier process. session is "" if the path has no session.
func splitSession(path string) (session, page string) {
	rest, ok := strings.CutPrefix(path, sessionPath)
	if !ok {
		return "", path
	}
	key, page, _ := strings.Cut(rest, "/")
	return sessionPath + key, "/" + page
}

func (s *site) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLoginBytes)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "Cannot read the form.", http.StatusBadRequest)
		return
	}
	s.enter(w, r, r.PostForm.Get("token"), r.PostForm.Get("next"))
}

// enter sets the cookie and redirects to the page if the token is right.
func (s *site) enter(w http.ResponseWriter, r *http.Request, token, next string) {
	if !guard.Equal(token, s.Token) {
		if fromScript(r) {
			s.respondLogin(w, http.StatusUnauthorized, loginResponse{Problem: refusedToken})
			return
		}
		s.ask(w, r, http.StatusUnauthorized, next)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: nameOfCookie(r), Value: s.session.cookie, Path: s.session.path + "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
	if fromScript(r) {
		s.respondLogin(w, http.StatusOK, loginResponse{Session: s.session.path})
		return
	}
	http.Redirect(w, r, s.session.path+local(next), http.StatusSeeOther)
}

const refusedToken = "Wrong token."

func (s *site) ask(w http.ResponseWriter, r *http.Request, status int, next string) {
	if err := s.show(w, status, "login", layout{
		Title:   "Log in",
		Outside: true,
		Body: struct {
			Refused, Next string
		}{map[bool]string{true: refusedToken}[status == http.StatusUnauthorized], local(next)},
	}); err != nil {
		s.fail(w, r, err)
	}
}

// nameOfCookie returns the name of the cookie, which contains the port of the request. So
// several platforms do not overwrite each other's cookie.
func nameOfCookie(r *http.Request) string {
	port := (&url.URL{Host: r.Host}).Port()
	if port == "" {
		port = "80"
	}
	return cookieName + port
}

// ownSite refuses requests that other sites make a browser send, including reads. Other
// ports of this machine are other sites. Links that a person follows are allowed.
func ownSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !followsLink(r) && guard.CrossSite(r) {
			http.Error(w, "Requests from other sites are not allowed.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// followsLink reports whether a browser opens a page in a window, not within a page of
// another site.
func followsLink(r *http.Request) bool {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	return read && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// local returns next if it is a path on this host, and / otherwise. In a browser a
// backslash is a slash, and a tab is ignored.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }) {
		return "/"
	}
	return next
}
