package webui

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func (p *platform) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p.page.ServeHTTP(w, r)
	return w
}

func form(path, token, next string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(url.Values{"token": {token}, "next": {next}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestRequireSession(t *testing.T) {
	p := newPlatform(t)
	get := func(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }
	right := url.QueryEscape(testToken)
	for _, c := range []struct {
		name    string
		request *http.Request
		status  int
		// location is where it leads, enters whether it gives the cookie.
		location string
		enters   bool
	}{
		{"no one knows you", get("/"), 303, "/login?next=%2F", false},
		{"deep in the page", get("/tables/in.c-a%2Fb"), 303, "/login?next=%2Ftables%2Fin.c-a%252Fb", false},
		{"a stream", get("/stream"), 303, "/login?next=%2Fstream", false},
		{"a path that is not there", get("/nowhere"), 303, "/login?next=%2Fnowhere", false},
		{"the form", get("/login"), 200, "", false},
		{"a page of the session without the cookie", get(p.session.path + "/jobs/1"), 303, "/login?next=%2Fjobs%2F1", false},
		{"a page of an earlier session", get("/session/" + strings.Repeat("A", 26) + "/jobs/1"), 303, "/login?next=%2Fjobs%2F1", false},
		{"a session without a page", get("/session/x"), 303, "/login?next=%2F", false},
		{"the printed address", get("/?token=" + right), 303, p.session.path + "/", true},
		{"an address of a job with the token", get("/jobs/1?token=" + right), 303, p.session.path + "/jobs/1", true},
		{"an address of an earlier session with the token", get("/session/x/jobs/1?token=" + right), 303, p.session.path + "/jobs/1", true},
		{"a wrong token in the address", get("/?token=wrong"), 401, "", false},
		{"an empty token in the address", get("/?token="), 401, "", false},
		{"the right token in the form", form("/login", testToken, "/jobs/1"), 303, p.session.path + "/jobs/1", true},
		{"a wrong token in the form", form("/login", testToken+" ", "/jobs/1"), 401, "", false},
		{"the value of the cookie is not a token", form("/login", p.cookie().Value, "/"), 401, "", false},
		{"the form cannot be sent to a page", form("/", testToken, "/"), 303, "/login?next=%2F", false},
		{"too long a form", form("/login", strings.Repeat("x", maxLoginBytes), "/"), 400, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := p.serve(c.request)
			if w.Code != c.status || w.Header().Get("Location") != c.location {
				t.Errorf("status %d, location %q, want %d, %q", w.Code, w.Header().Get("Location"), c.status, c.location)
			}
			cookies := w.Result().Cookies()
			if (len(cookies) == 1) != c.enters {
				t.Fatalf("cookies %v, want one: %v", cookies, c.enters)
			}
			if !c.enters {
				return
			}
			if got := cookies[0]; got.Name != "local_platform_80" || !got.HttpOnly || got.SameSite != http.SameSiteStrictMode || got.Path != p.session.path+"/" || strings.Contains(got.Value, testToken) || len(got.Value) < 26 {
				t.Errorf("cookie %+v", got)
			}
			inside := get(p.session.path + "/")
			inside.AddCookie(cookies[0])
			if w := p.serve(inside); w.Code != http.StatusOK {
				t.Errorf("the cookie does not open the page: status %d", w.Code)
			}
		})
	}
}

// TestScriptsLogIn: a script gets no login page but a status, and the path of the session.
func TestScriptsLogIn(t *testing.T) {
	p := newPlatform(t)
	script := func(r *http.Request) *httptest.ResponseRecorder {
		r.Header.Set("X-Requested-With", "script")
		return p.serve(r)
	}
	w := script(httptest.NewRequest(http.MethodPost, newSession().path+"/configurations/a/b/edit", nil))
	if w.Code != http.StatusUnauthorized || w.Body.String() != `{"problem":"You are logged out."}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = script(form("/login", "wrong", "/"))
	if w.Code != http.StatusUnauthorized || w.Body.String() != `{"problem":"Wrong token."}` || len(w.Result().Cookies()) != 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = script(form("/login", testToken, "/"))
	if w.Code != http.StatusOK || w.Body.String() != `{"session":"`+p.session.path+`"}` || len(w.Result().Cookies()) != 1 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestOtherServersGetNoCookie: a browser sends the cookies of a host to all of its
// ports. Another server on this machine does not get ours, no matter to which of its own
// addresses it leads a browser to, and what a browser sends to one platform does
// not open another.
func TestOtherServersGetNoCookie(t *testing.T) {
	p := newPlatform(t)
	other, _ := p.open(ticker)
	got := make(chan string, 1)
	neighbour := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Cookie") }))
	ours, second := httptest.NewServer(p.page), httptest.NewServer(other)
	for _, server := range []*httptest.Server{neighbour, ours, second} {
		t.Cleanup(server.Close)
	}
	jar, err := cookiejar.New(nil)
	p.must(err)
	browser := &http.Client{Jar: jar}
	visit := func(address string) *http.Response {
		response, err := browser.Get(address)
		p.must(err)
		p.must(response.Body.Close())
		return response
	}
	entered := visit(ours.URL + "/?token=" + url.QueryEscape(testToken)).Request.URL
	if entered.Path != p.session.path+"/" {
		t.Fatalf("the token leads to %s", entered)
	}
	for _, path := range []string{"/", "/login", "/jobs/1", "/session/", newSession().path + "/"} {
		visit(neighbour.URL + path)
		if cookie := <-got; cookie != "" {
			t.Errorf("%s of another port gets %q", path, cookie)
		}
	}
	if to := visit(second.URL + entered.Path).Request.URL.Path; to != "/login" {
		t.Errorf("the session opens %s of another platform", to)
	}
	if back := visit(ours.URL + entered.Path); back.Request.URL.Path != entered.Path || back.StatusCode != http.StatusOK {
		t.Errorf("the session is over: %s", back.Status)
	}
}

func TestOtherSitesAreRefused(t *testing.T) {
	p := newPlatform(t)
	for _, c := range []struct {
		name, header, value string
		status              int
	}{
		{"another origin", "Origin", "http://evil.example", 403},
		{"this site", "Sec-Fetch-Site", "same-origin", 303},
		{"this origin", "Origin", "http://example.com", 303},
	} {
		r := form("/login", testToken, "/")
		r.Header.Set(c.header, c.value)
		if w := p.serve(r); w.Code != c.status {
			t.Errorf("%s: status %d, want %d", c.name, w.Code, c.status)
		}
	}
}

func TestLocal(t *testing.T) {
	for next, want := range map[string]string{
		"/jobs/1":              "/jobs/1",
		"/tables/in.c-a%2Fb":   "/tables/in.c-a%2Fb",
		"":                     "/",
		"jobs":                 "/",
		"//evil.example":       "/",
		"https://evil.example": "/",
		`/\evil.example`:       "/",
		"/\t/evil.example":     "/",
		"/\r\nSet-Cookie: a=b": "/",
		"javascript:alert(1)":  "/",
	} {
		if got := local(next); got != want {
			t.Errorf("local(%q) = %q, want %q", next, got, want)
		}
	}
}

func TestAssets(t *testing.T) {
	p := newPlatform(t)
	a := newAssets()
	for path, kind := range map[string]string{
		a.path("style.css"): "text/css; charset=utf-8",
		a.path("page.js"):   "text/javascript; charset=utf-8",
		a.path("icon.svg"):  "image/svg+xml",
	} {
		w := p.serve(httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: status %d, %v", path, w.Code, w.Header())
		}
	}
	if w := p.serve(httptest.NewRequest(http.MethodGet, "/assets/style.css", nil)); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
}

func TestNewRefusesAnEmptyToken(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the page is open to everyone")
		}
	}()
	New(Options{})
}

// TestFailuresAreReported breaks the store under the page.
func TestFailuresAreReported(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "store"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/tables", "/tables/in.c-a.b", "/jobs/1", "/jobs/1/stream", "/configurations/a/b"} {
		var reported error
		p := &platform{T: t}
		p.page, p.session = open(Options{Store: s, Token: testToken, Report: func(err error) { reported = err }})
		w := p.get(path)
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "The page could not be created") {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
		if reported == nil || !strings.HasPrefix(reported.Error(), "page "+path+": ") {
			t.Errorf("%s: reported %v", path, reported)
		}
	}
}
