package page

import (
	"net/http"
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

func TestGate(t *testing.T) {
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
		{"nobody knows you", get("/"), 303, "/login?next=%2F", false},
		{"deep in the page", get("/tables/in.c-a%2Fb"), 303, "/login?next=%2Ftables%2Fin.c-a%252Fb", false},
		{"a stream", get("/stream"), 303, "/login?next=%2Fstream", false},
		{"a path that is not there", get("/nowhere"), 303, "/login?next=%2Fnowhere", false},
		{"the form", get("/login"), 200, "", false},
		{"the printed address", get("/?token=" + right), 303, "/", true},
		{"an address of a job with the token", get("/jobs/1?token=" + right), 303, "/jobs/1", true},
		{"a wrong token in the address", get("/?token=wrong"), 401, "", false},
		{"an empty token in the address", get("/?token="), 401, "", false},
		{"the right token in the form", form("/login", testToken, "/jobs/1"), 303, "/jobs/1", true},
		{"a wrong token in the form", form("/login", testToken+" ", "/jobs/1"), 401, "", false},
		{"the value of the cookie is no token", form("/login", p.cookie().Value, "/"), 401, "", false},
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
			if got := cookies[0]; !got.HttpOnly || got.SameSite != http.SameSiteStrictMode || got.Path != "/" || strings.Contains(got.Value, testToken) || len(got.Value) != 64 {
				t.Errorf("cookie %+v", got)
			}
			inside := get("/")
			inside.AddCookie(cookies[0])
			if w := p.serve(inside); w.Code != http.StatusOK {
				t.Errorf("the cookie does not open the page: status %d", w.Code)
			}
		})
	}
}

func TestGateForgedCookies(t *testing.T) {
	p := newPlatform(t)
	other := newGate("another token", nil).cookie
	for name, value := range map[string]string{"empty": "", "the token": "a-token", "that of another token": other, "a part": p.cookie().Value[:63]} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: cookieName, Value: value})
		if w := p.serve(r); w.Code != http.StatusSeeOther {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
}

func TestGateRefusesOtherSites(t *testing.T) {
	p := newPlatform(t)
	for _, c := range []struct {
		name, header, value string
		status              int
	}{
		{"another site", "Sec-Fetch-Site", "cross-site", 403},
		{"a neighbour", "Sec-Fetch-Site", "same-site", 403},
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

func TestHeaders(t *testing.T) {
	p := newPlatform(t)
	for _, path := range []string{"/", "/login", "/nowhere", "/tables"} {
		header := p.get(path).Header()
		policy := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: policy %q", path, policy)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, header)
		}
	}
	if w := p.get("/nowhere"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "404 Not Found · Local platform") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

func TestAssets(t *testing.T) {
	p := newPlatform(t)
	a := newAssets()
	for path, kind := range map[string]string{a.Style: "text/css; charset=utf-8", a.Script: "text/javascript; charset=utf-8", a.Icon: "image/svg+xml"} {
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
		p := &platform{T: t, page: New(Options{Store: s, Token: testToken, Report: func(err error) { reported = err }})}
		w := p.get(path)
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "The page could not be made") {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
		if reported == nil || !strings.HasPrefix(reported.Error(), "page "+path+": ") {
			t.Errorf("%s: reported %v", path, reported)
		}
	}
}
