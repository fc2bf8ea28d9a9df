package httpclient

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// pieces takes a template apart: {} is the next value, {~} one that is encoded already.
func pieces(template string, values ...string) []Piece {
	var all []Piece
	for template != "" {
		text, rest, ok := strings.Cut(template, "{")
		if text != "" {
			all = append(all, Piece{Text: text})
		}
		if !ok {
			break
		}
		mark, after, _ := strings.Cut(rest, "}")
		all = append(all, Piece{Text: values[0], Value: true, Encoded: mark == "~", Name: "the value"})
		values, template = values[1:], after
	}
	return all
}

func TestEndpoint(t *testing.T) {
	tests := []struct {
		template string
		values   []string
		want     string // an error begins with !
	}{
		{"users/{}/orders", []string{"a#b"}, "users/a%23b/orders"},
		{"users/{}/orders", []string{"c?x=1"}, "users/c%3Fx=1/orders"},
		{"users/{}/orders", []string{"100%"}, "users/100%25/orders"},
		{"users/{}/orders", []string{"a%20b%2"}, "users/a%20b%252/orders"},
		{"users/{}/orders", []string{"a b\tc\r\n\x00\x7f"}, "users/a%20b%09c%0D%0A%00%7F/orders"},
		{"users/{}/orders", []string{"a/b;c=1&d+e,f:g@h"}, "users/a/b;c=1&d+e,f:g@h/orders"},
		{"users/{}/orders", []string{""}, "users//orders"},
		{"users/{}", []string{"../secret"}, "!the value makes '..' a segment of the path"},
		{"users/{}", []string{"a/./b"}, "!the value makes '.' a segment of the path"},
		{"users/{}/x", []string{"%2E%2e"}, "!the value makes '..' a segment of the path"},
		{"users/{}/x", []string{".%2e"}, "!"},
		{"users/{}/x", []string{"..%2fadmin"}, "!the value makes '..' a segment of the path"},
		{"users/{}/x", []string{"a%2F%2e%2E"}, "!"},
		{"users/a%2f{}/x", []string{".."}, "!"},
		{"users/{}/x", []string{"a%2f..b"}, "users/a%2f..b/x"},
		{"users/{}/x", []string{"%252e%252e"}, "users/%252e%252e/x"},
		{"users/.{}/x", []string{"."}, "!"},
		{"users/{}{}/x", []string{".", "."}, "!"},
		{"users/{}./x", []string{"."}, "!"},
		{"users/{}/x", []string{"..."}, "users/.../x"},
		{"../{}/./x", []string{"a"}, "../a/./x"}, // those of the configuration stay
		{"./users/..{}", []string{""}, "./users/.."},
		{"users?id={}", []string{".."}, "users?id=.."},
		{"users?id={}&x=1", []string{"a&b=c#d+e f%41/?é"}, "users?id=a%26b=c%23d%2Be%20f%2541/?é&x=1"},
		{"users?{}=1", []string{"a=b"}, "users?a%3Db=1"},
		{"users?a=1&{}-{}=1", []string{"x=", "=y"}, "users?a=1&x%3D-%3Dy=1"},
		{"users?{}", []string{"status=open"}, "users?status=open"},
		{"users?{}&x=1", []string{"status=open"}, "users?status=open&x=1"},
		{"{}", []string{"https://o.test/a?b=c&d#e"}, "https://o.test/a?b=c&d#e"},
		{"{}/x?y={}", []string{"https://o.test/a", "#"}, "https://o.test/a/x?y=%23"},
		{"{}&y={}", []string{"list?x=1", "&"}, "list?x=1&y=%26"},
		{"{}{}", []string{"", "//evil.test/x"}, "/.//evil.test/x"},
		{"/{}", []string{"/evil.test/x"}, "/.//evil.test/x"},
		{"h{}", []string{"ttp://evil.test/x"}, "./http://evil.test/x"},
		{"//h.test/{}", []string{"/a"}, "//h.test//a"},
		{"https://{}/x", []string{"h.test:8080"}, "https://h.test:8080/x"},
		{"https://{}/x", []string{"h.test/base"}, "https://h.test/base/x"},
		{"https://u:p@{}/x", []string{"h.test:8080"}, "https://u:p@h.test:8080/x"},
		{"https://{}.h.test/x", []string{"a-1"}, "https://a-1.h.test/x"},
		{"https://{}.h.test/x", []string{"evil.test/"}, "!the value is part of the host"},
		{"https://{}.h.test/x", []string{"evil.test#"}, "!the value is part of the host"},
		{"https://{}/x", []string{"h.test@evil.test"}, "!the value is part of the host"},
		{"https://h.test{}/x", []string{"@evil.test"}, "!the value is part of the host"},
		{"https://h.test{}", []string{".evil.test/x"}, "!the value is part of the host"},
		{"https://h.test{}", []string{"/a?b/c"}, "https://h.test/a%3Fb/c"},
		{"https://h.test{}?x={}", []string{"/a", "&"}, "https://h.test/a?x=%26"},
		{"https://h.test:{}/x", []string{"8080"}, "https://h.test:8080/x"},
		{"https://h{}.test/x", []string{"/evil"}, "!the value is part of the host"},
		{"https://{}/x", []string{"/evil.test"}, "https:///evil.test/x"}, // no address
		{"https://h.test{}", []string{"/../x"}, "!the value makes '..'"},
		{"https://h.test/{}", []string{"@evil.test"}, "https://h.test/@evil.test"},
		{"c/{~}/{~}", []string{"a+b%2Fc", "%23"}, "c/a+b%2Fc/%23"},
		{"c?a={~}", []string{"a+b%26"}, "c?a=a+b%26"},
		{"c/{~}", []string{".."}, "!"},
		{"c/100%{}", []string{"41"}, "c/100%2541"},
		{"c/%4{}", []string{"1"}, "c/%2541"},
		{"c/{}{}", []string{"%", "41"}, "c/%2541"},
		{"c/%41{}", []string{"1"}, "c/%411"},
		{"c#{}", []string{"?"}, "c#?"},
	}
	for _, tt := range tests {
		got, err := Endpoint(pieces(tt.template, tt.values...))
		if err != nil {
			if failure.KindOf(err) != failure.User {
				t.Errorf("%s: %v is no user error", tt.template, err)
			}
			got = "!" + err.Error()
		}
		if want, isError := strings.CutPrefix(tt.want, "!"); got != tt.want && !(isError && strings.HasPrefix(got, "!"+want)) {
			t.Errorf("%s with %q:\n got  %s\n want %s", tt.template, tt.values, got, tt.want)
		}
	}
}

// templates have a value in every part of an address but at its beginning.
var templates = []string{
	"users/{}/orders", "users/{}", "/users/{}/x/", "users/a{}b/x", "/{}", "h{}/x", "users/{}?a=1&b=2#f", "//h.test/{}/x", "users//{}//x",
	"users?id={}", "users?id={}&x=1", "users?a=1&id={}#f", "https://h.test/{}", "http://h.test?x={}", "?x={}", "{}/{}?a={}", "users/{}/{}?{}={}",
}

// atoms are what values are made of that want to change an address.
var atoms = []string{"#", "?", "%", "&", "+", "=", " ", "\t", "\r\n", "\x00", "\x7f", ".", "..", "%2e", "%2E", "%252e", "%2F", "%23", "%", "%4", "\\", "@", ":", "//", "/", "/../", "http:", "é", "\u00a0", "\u2028", "{id}", "\"", "<", "[0]", ";", "a", "1", "long", "\xff"}

func randomValue(r *rand.Rand) string {
	var text strings.Builder
	for range r.IntN(6) {
		if r.IntN(4) == 0 {
			text.WriteByte(byte(r.IntN(256)))
		} else {
			text.WriteString(atoms[r.IntN(len(atoms))])
		}
	}
	if r.IntN(50) == 0 {
		return strings.Repeat(text.String(), 3000)
	}
	return text.String()
}

// For any value the server sees the same number of segments, the same names in
// the query, and the value.
func TestValuesKeepTheStructure(t *testing.T) {
	slowtest.SkipRace(t, "it builds 20,000 addresses")
	var got *url.URL
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL }))
	defer server.Close()
	r := rand.New(rand.NewPCG(27, 5))
	sent := 0
	for range 20_000 {
		template := templates[r.IntN(len(templates))]
		values := make([]string, strings.Count(template, "{}"))
		for i := range values {
			values[i] = randomValue(r)
		}
		over := r.IntN(20) == 0 && len(strings.Join(values, "")) < 10_000
		if checkStructure(t, template, values, func(u *url.URL) *url.URL {
			if !over {
				parsed, err := url.ParseRequestURI(u.RequestURI())
				if err != nil {
					t.Fatalf("%s with %q: %v", template, values, err)
				}
				return parsed
			}
			sent++
			at := *u
			at.Scheme, at.Host = "http", strings.TrimPrefix(server.URL, "http://")
			res, err := http.Get(at.String())
			if err != nil {
				t.Fatalf("%s with %q: %v", template, values, err)
			}
			res.Body.Close()
			return got
		}); t.Failed() {
			t.FailNow()
		}
	}
	if sent < 100 {
		t.Errorf("only %d requests were sent", sent)
	}
}

func FuzzEndpoint(f *testing.F) {
	for _, atom := range atoms {
		f.Add(0, atom)
	}
	f.Fuzz(func(t *testing.T, n int, value string) {
		template := templates[max(0, n)%len(templates)]
		values := slices.Repeat([]string{value}, strings.Count(template, "{}"))
		checkStructure(t, template, values, func(u *url.URL) *url.URL {
			parsed, err := url.ParseRequestURI(u.RequestURI())
			if err != nil {
				t.Fatal(err)
			}
			return parsed
		})
	})
}

// checkStructure compares the address with that of values without any special character.
func checkStructure(t *testing.T, template string, values []string, send func(*url.URL) *url.URL) {
	t.Helper()
	base := &url.URL{Scheme: "http", Host: "base.test", Path: "/v1"}
	if strings.HasPrefix(template, "{}") {
		values[0] = "start" // an address, which stays as it is
	}
	plain := make([]string, len(values))
	for i := range values {
		plain[i] = "v"
	}
	plain[0] = values[0]
	if !strings.HasPrefix(template, "{}") {
		plain[0] = "v"
	}
	expected := resolved(t, base, pieces(template, plain...))
	endpoint, err := Endpoint(pieces(template, values...))
	path, _, _ := strings.Cut(template, "?")
	inPath := values[:strings.Count(path, "{}")]
	if err != nil {
		// Dots may be made of a value and of what is beside it.
		if text := strings.ToLower(strings.Join(inPath, "")); failure.KindOf(err) != failure.User || !strings.Contains(text, ".") && !strings.Contains(text, "%2e") {
			t.Errorf("%s with %q: %v", template, values, err)
		}
		return
	}
	u, err := Resolve(base, endpoint)
	if err != nil {
		t.Errorf("%s with %q: %v", template, values, err)
		return
	}
	if u.Host != expected.Host || u.Scheme != expected.Scheme {
		t.Errorf("%s with %q: leads to %s, expected %s", template, values, u.Host, expected.Host)
	}
	u.RawQuery = escape(u.RawQuery, queryCharacters)
	seen := send(u)
	if seen == nil {
		return
	}
	slashes := strings.Count(strings.Join(inPath, ""), "/")
	if got, want := strings.Count(seen.EscapedPath(), "/"), strings.Count(expected.EscapedPath(), "/")+slashes; got != want {
		t.Errorf("%s with %q: %d slashes in the path %s, want %d", template, values, got, seen.EscapedPath(), want)
	}
	for _, v := range inPath {
		decoded, err := url.PathUnescape(escape(v, pathCharacters))
		if err == nil && !strings.Contains(seen.Path, decoded) {
			t.Errorf("%s: the path %q has no %q", template, seen.Path, decoded)
		}
	}
	checkQuery(t, template, values[len(inPath):], seen.RawQuery, expected.RawQuery)
}

func checkQuery(t *testing.T, template string, values []string, got, want string) {
	t.Helper()
	pairs, expected := strings.Split(got, "&"), strings.Split(want, "&")
	if len(pairs) != len(expected) {
		t.Errorf("%s with %q: the query %s has %d pairs, want %d", template, values, got, len(pairs), len(expected))
		return
	}
	next := 0
	for i, pair := range pairs {
		name, text, _ := strings.Cut(pair, "=")
		wantName, wantText, _ := strings.Cut(expected[i], "=")
		for _, part := range []struct{ got, want string }{{name, wantName}, {text, wantText}} {
			if part.want == "v" {
				part.want = values[next]
				next++
			}
			if decoded, err := url.QueryUnescape(part.got); err != nil || decoded != part.want {
				t.Errorf("%s with %q: the server reads %q (%v), want %q", template, values, decoded, err, part.want)
			}
		}
	}
}

func resolved(t *testing.T, base *url.URL, all []Piece) *url.URL {
	t.Helper()
	endpoint, err := Endpoint(all)
	if err != nil {
		t.Fatal(err)
	}
	u, err := Resolve(base, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestHarmless(t *testing.T) {
	for c := range 256 {
		text := string([]byte{byte(c)})
		got, err := Endpoint(pieces("a/x{}x?y={}", text, text))
		if want := "a/x" + text + "x?y=" + text; Harmless(text) && (got != want || err != nil) {
			t.Errorf("%q is not harmless: %s, %v", text, got, err)
		}
		if utf8.RuneSelf <= c && Harmless(text) {
			t.Errorf("%q is harmless", text)
		}
	}
}
