package webui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

var idInPattern = regexp.MustCompile(`\{[a-z]+\}`)

// acceptsPosts are the paths at which a POST may change nothing and show something.
var acceptsPosts = regexp.MustCompile(`/configurations/[^/]+/[^/]+/(edit|assist)$`)

// addresses are those of all pages of a session with an id in every place.
func addresses(t testing.TB, inside session, id string) []string {
	t.Helper()
	var all []string
	for _, pattern := range slices.Sorted(maps.Keys(new(site).pages())) {
		if _, path, found := strings.Cut(pattern, " "); found { // without the method
			pattern = path
		}
		pattern = strings.TrimSuffix(pattern, "{$}")
		all = append(all, inside.path+idInPattern.ReplaceAllString(pattern, id))
	}
	if len(all) < 8 {
		t.Fatalf("only %q", all)
	}
	return append(slices.Compact(all), "/login", "/favicon.ico", newAssets().path("page.js"), "/assets/"+id)
}

// addressesOf are the addresses with each of the ids. Addresses without an id are there
// once.
func addressesOf(t testing.TB, inside session, ids ...string) []string {
	var all []string
	for _, id := range ids {
		for _, path := range addresses(t, inside, id) {
			if !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// probe sends a request, whose context has ended so that streams do too; header is
// name and value in turns. The response must be sound.
func probe(t testing.TB, page http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	target, err := url.ParseRequestURI(path)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
	r.Method, r.URL, r.RequestURI, r.Host = method, target, path, "localhost:8088"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response := httptest.NewRecorder()
	page.ServeHTTP(response, r)
	h := response.Header()
	asks := method == "GET" || method == "HEAD" || method == "POST" && acceptsPosts.MatchString(target.Path)
	if response.Code >= 500 || response.Code == http.StatusOK && !asks {
		t.Errorf("%s %.200s: %d %.500s", method, path, response.Code, response.Body)
	}
	if to := h.Get("Location"); to != "" && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n")) {
		t.Errorf("%s %.200s leads to %q", method, path, to)
	}
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s %.200s: header %s", method, path, name)
		}
	}
	policy := h.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("Referrer-Policy") != "same-origin" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("%s %.200s: headers %v", method, path, h)
	}
	if cached := h.Get("Cache-Control"); cached != "no-store" && !strings.HasPrefix(path, "/assets/") {
		t.Errorf("%s %.200s: Cache-Control %q", method, path, cached)
	}
	return response
}

// filled is a platform that holds the text mine wherever it can, and the ids of
// what there is.
func filled(t *testing.T, mine string) (p *platform, ids []string) {
	t.Helper()
	tries := newTryPlatform(t)
	p = tries.platform
	close(p.done) // streams say what there is and end
	try := strings.TrimPrefix(tries.run(strings.ReplaceAll(tries.shop.document(""), "since", mine)), "/tries/")
	c := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "2", Name: mine, Description: mine, Configuration: []byte(`{"a":"` + mine + `"}`)})
	j := p.start(c)
	p.say(j.ID, "info", mine)
	p.load(store.Load{Table: "in.c-b.t", Columns: []store.Column{{Name: mine}}, Job: j.ID}, []string{mine})
	archive := `{"log":{"entries":[{"request":{"method":"GET","url":"https://h/` + mine + `"},"response":{"status":200,"content":{"text":"{\"a\":[{\"id\":1}]}"}},"startedDateTime":"2026-01-02T03:04:05Z"}]}}`
	draft := strings.TrimPrefix(p.led(p.upload("/begin", "har", archive)), "/begin/")
	return p, []string{c.ID, j.ID, "in.c-b.t", try, draft}
}

// TestNothingWithoutTheCookie: who has not shown the token sees and changes
// nothing, at no address, streams and downloads included.
func TestNothingWithoutTheCookie(t *testing.T) {
	slowtest.SkipRace(t, "it sends thousands of requests, one after another")
	const mine = "only-for-those-with-the-token"
	p, ids := filled(t, mine)
	cookie := p.cookie().String()
	seen := 0
	paths := append(addressesOf(t, p.session, ids...), p.session.path+"/configurations/acme.ex-shop/2", p.session.path+"/tries/"+ids[3]+"/requests/2")
	for _, path := range paths {
		if strings.Contains(probe(t, p.page, "GET", path, "", "Cookie", cookie).Body.String(), mine) {
			seen++
		}
		for who, header := range map[string][]string{
			"no one": nil, "an empty cookie": {"Cookie", cookieName + "8088="}, "the token as a cookie": {"Cookie", cookieName + "8088=" + url.QueryEscape(testToken)},
			"another cookie": {"Cookie", cookieName + "8088=" + newSession().cookie}, "the cookie of another port": {"Cookie", cookieName + "8089=" + p.session.cookie}, "the token of the API": {"X-StorageApi-Token", testToken},
			"a part of the cookie": {"Cookie", cookieName + "8088=" + p.session.cookie[:25]}, "the path as a cookie": {"Cookie", cookieName + "8088=" + p.session.path},
		} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"} {
				queries := []string{"", "?token=", "?token=wrong", "?after=1"}
				if method != "GET" && method != "POST" {
					queries = queries[:1]
				}
				for _, query := range queries {
					response := probe(t, p.page, method, path+query, "token=wrong&next=/", append(header, "Content-Type", "application/x-www-form-urlencoded")...)
					shown := strings.Contains(response.Body.String(), mine) || strings.Contains(response.Body.String()+fmt.Sprint(response.Header()), p.session.path)
					if shown || len(response.Result().Cookies()) > 0 {
						t.Errorf("%s: %s %s%s: %d %s", who, method, path, query, response.Code, response.Body)
					}
				}
			}
		}
	}
	for name, path := range map[string]string{"no session": "/", "another session": newSession().path + "/", "a part of the session": p.session.path[:20] + "/"} {
		if response := probe(t, p.page, "GET", path, "", "Cookie", cookie); response.Code != http.StatusSeeOther {
			t.Errorf("the cookie with %s: status %d", name, response.Code)
		}
	}
	if seen < 10 {
		t.Errorf("only %d pages show it to those with the cookie", seen)
	}
}

// TestEveryPageRefusesOtherSites, reads too, but for links that are followed.
func TestEveryPageRefusesOtherSites(t *testing.T) {
	const mine = "not-for-other-sites"
	p, ids := filled(t, mine)
	cookie := p.cookie().String()
	for _, path := range addresses(t, p.session, ids[1]) {
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://localhost:3000"}, {"Origin", "null"},
			{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"},
			{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"},
			{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "document"},
		} {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				if response := probe(t, p.page, method, path, "", append(header, "Cookie", cookie)...); response.Code != http.StatusForbidden || strings.Contains(response.Body.String(), mine) {
					t.Errorf("%s %s %v: %d %s", method, path, header, response.Code, response.Body)
				}
			}
		}
		link := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
		if response := probe(t, p.page, "GET", path, "", append(link, "Cookie", cookie)...); response.Code == http.StatusForbidden {
			t.Errorf("a link to %s: %d %s", path, response.Code, response.Body)
		}
		if response := probe(t, p.page, "POST", path, "", append(link, "Cookie", cookie)...); response.Code != http.StatusForbidden {
			t.Errorf("a form sent to %s: %d %s", path, response.Code, response.Body)
		}
	}
}

// TestEveryPageTakesOddRequests: methods, ids, queries, headers and bodies that
// no browser sends.
func TestEveryPageTakesOddRequests(t *testing.T) {
	slowtest.SkipRace(t, "it sends odd requests to every page")
	p, real := filled(t, "mine")
	cookie := p.cookie().String()
	ids := []string{
		"1", "0", "-1", "99999999999999999999999999", "18446744073709551615", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%00", "a%2fb", "%ff%fe", "%c0%af",
		"%0d%0aSet-Cookie:%20a=b", "%3Cscript%3E", "in.c-b.t", "%F0%9F%98%80", "*", "{id}", strings.Repeat("9", 5_000), strings.Repeat("%ff", 5_000),
	}
	for i, path := range addressesOf(t, p.session, append(ids, real...)...) {
		for j, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get", "BREW"} {
			if !slowtest.Turn(i+j, 2) {
				continue
			}
			probe(t, p.page, method, path, "\xff{", "Cookie", cookie, "Content-Type", "application/json")
		}
	}
	for _, path := range addressesOf(t, p.session, append(real, "%ff%fe")...) {
		for _, query := range []string{"after=-1", "after=18446744073709551615", "after=99999999999999999999", "after=%ff", "next=//evil.example", "next=/%5cevil.example", "next=%00", "rq=%00&eq=%ff&ekind=%ff&rkind=slow&rbefore=-1&eafter=99999999999999999999", "eafter=18446744073709551615&rbefore=18446744073709551615", "q=%ff&sort=mine&desc=1&page=99999999999999999999", "page=-1&sort=%00", "%zz", ";", strings.Repeat("a=1&", 1_000)} {
			probe(t, p.page, "GET", path+"?"+query, "", "Cookie", cookie, "Last-Event-ID", "18446744073709551615")
		}
	}
	for _, kind := range []string{"", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data", "application/json", "a/b;=", "text/plain"} {
		for _, body := range []string{"", "token", "token=%zz", "token=%ff%00&next=%5c%5cevil.example", `{"token":"x"}`, strings.Repeat("token=a&", 10_000), "--x\r\n\r\n"} {
			if response := probe(t, p.page, "POST", "/login", body, "Content-Type", kind); response.Code != http.StatusUnauthorized && response.Code != http.StatusBadRequest {
				t.Errorf("%s %.50q: %d", kind, body, response.Code)
			}
		}
	}
}

// TestHeadOfStreams: the headers of a stream come without a stream, and the
// connection serves the next request.
func TestHeadOfStreams(t *testing.T) {
	p := newPlatform(t)
	j := p.start(p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"}))
	server := httptest.NewServer(p.page)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, path := range []string{"/stream", "/jobs/" + j.ID + "/stream", "/jobs/" + j.ID + "/events"} {
		r, err := http.NewRequestWithContext(ctx, http.MethodHead, server.URL+p.session.path+path, nil)
		p.must(err)
		r.Host = "localhost:8088"
		r.AddCookie(p.cookie())
		response, err := server.Client().Do(r)
		p.must(err)
		text, err := io.ReadAll(response.Body)
		if err != nil || len(text) > 0 || response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %q, %v", path, response.StatusCode, text, err)
		}
		p.must(response.Body.Close())
	}
	closed := make(chan struct{})
	go func() {
		server.Close() // waits for the requests under way
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("a stream continues that no one gets")
		close(p.done)
	}
}

// TestStreamsLeaveNothing: many browsers follow, and when they have gone nothing
// waits for them.
func TestStreamsLeaveNothing(t *testing.T) {
	const browsers = 50
	p := newPlatform(t)
	j := p.start(p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"}))
	stopped := make(chan struct{}, 2*browsers)
	page, session := p.open(func(time.Duration) (<-chan time.Time, func()) {
		return p.beats, func() { stopped <- struct{}{} }
	})
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for range browsers {
		for _, path := range []string{"/stream", "/jobs/" + j.ID + "/stream"} {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+session.path+path, nil)
			p.must(err)
			r.Host = "localhost:8088"
			r.AddCookie(&http.Cookie{Name: cookieName + "8088", Value: session.cookie})
			response, err := http.DefaultTransport.RoundTrip(r)
			p.must(err)
			t.Cleanup(func() { _ = response.Body.Close() })
			if _, err := response.Body.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	leave()
	for i := range 2 * browsers {
		select {
		case <-stopped:
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of %d streams have ended", i, 2*browsers)
		}
	}
}

// FuzzPage: no matter what a client with the cookie sends, the response is not a 5xx or a
// panic, and leads to no other host.
func FuzzPage(f *testing.F) {
	for _, id := range []string{"1", "%2e%2e%2f", "%00", "%ff"} {
		for _, path := range addresses(f, session{}, id) {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
				f.Add(method, path+"?after=2&next=/x", "Last-Event-ID", "1", "token=a&next=%2f%2fevil.example")
			}
		}
	}
	f.Add("GET", "/?token=a+token+%26+more", "Sec-Fetch-Site", "none", "")
	f.Add("GET", "//evil.example/..?token=a+token+%26+more", "Origin", "null", "")
	f.Add("POST", "/login", "Content-Type", "application/x-www-form-urlencoded", "token=a+token+%26+more&next=/%09/evil.example")
	opened, err := store.Open(filepath.Join(f.TempDir(), "store"), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := opened.Close(); err != nil {
			f.Error(err)
		}
	})
	if _, err := opened.CreateConfiguration(store.Configuration{Component: "1", ID: "1", Name: "n"}); err != nil {
		f.Fatal(err)
	}
	if _, err := opened.CreateJob(store.Job{Component: "1", Config: "1", Mode: store.Run}); err != nil {
		f.Fatal(err)
	}
	done := make(chan struct{})
	close(done)
	nowhere := func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no example of this test is fetched")
	}
	var reported atomic.Pointer[error]
	page, inside := open(Options{Store: opened, API: newAPI(opened, nil), Token: testToken, Done: done, Dial: nowhere, Report: func(err error) { reported.Store(&err) }})
	cookie := cookieName + "8088=" + inside.cookie
	f.Fuzz(func(t *testing.T, method, path, header, text, body string) {
		if _, err := url.ParseRequestURI(path); err != nil || strings.ContainsAny(method, " \r\n") || method == "" {
			return // nothing that a client could send
		}
		probe(t, page, method, path, body, "Cookie", cookie, header, text)
		probe(t, page, method, inside.path+path, body, "Cookie", cookie, header, text)
		if err := reported.Load(); err != nil {
			t.Fatalf("reported: %v", *err)
		}
	})
}
