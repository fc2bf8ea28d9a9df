package httpclient

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// The error of a refused login shows the messages of the response and nothing else.
func TestRefusedLogins(t *testing.T) {
	long := strings.Repeat("0123456789 ", 40)
	const hidden = "; the response has no error message that can be shown, and the rest of it is not shown because it may contain credentials"
	tests := []struct{ name, body, want string }{
		{"OAuth", `{"error":"invalid_grant","error_description":"the token s3cret has ended","state":"abcdef99"}`, ": error: invalid_grant, error_description: the token [hidden] has ended"},
		{"nested", `{"errors":[{"code":12,"title":"No","detail":"way","id":"tok-444555"},"at all"],"error":{"message":"really","trace":"tok-666"}}`, ": code: 12, title: No, detail: way, errors: at all, message: really"},
		{"in other letters", `{"Message":"locked"}`, ": Message: locked"},
		{"a message that repeats what is elsewhere", `{"message":"no abcdef99","session":"abcdef99"}`, ": message: no [hidden]"},
		{"a message with control characters", "{\"message\":\"a\\u001b[31m\\n\\tb\"}", ": message: a[31m b"},
		{"a secret between control characters", `{"message":"s\u00013\u200bcr\u0007et is wrong"}`, ": message: [hidden] is wrong"},
		{"a secret in two lines", `{"message":"no s3c\nret"}`, hidden},
		{"a long one", `{"message":"` + long + `"}`, ": " + ("message: " + long)[:300] + " …"},
		{"a secret that is cut", `{"message":"` + strings.Repeat("x", 287) + ` s3cret"}`, ": message: " + strings.Repeat("x", 287) + " [hi …"},
		{"none", `{"token":"tok-123456","data":{"message":"of another place"}}`, hidden},
		{"no JSON", "<h1>tok-123456</h1>", hidden},
		{"a list", `[{"message":"tok-123456"}]`, hidden},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, say(401, tt.body))
			f := newFixture(t, s.URL, `{}`, nil)
			f.secrets.Add("s3cret")
			_, err := f.Login(t.Context(), config.RequestSpec{Endpoint: "x"})
			wantUserError(t, err)
			if want := "[401] Client error: GET " + s.URL + "/x returned 401 Unauthorized" + tt.want; err.Error() != want {
				t.Errorf("got  %q\nwant %q", err, want)
			}
		})
	}
}

// All values in responses to a login are secrets: of each hop and attempt, successful or
// not.
func TestResponsesToLoginsAreSecret(t *testing.T) {
	const refused = "HTTP/1.1 %s\r\nContent-Length: %d\r\nSet-Cookie: sid=cookie1; Path=/\r\nX-Session: header-22\r\nServer: nginx/1.2.3\r\nX-Odd: true\r\n%s\r\n%s"
	body := `{"text":"leaf-333","number":44445555,"names":{"name-6666-7777":1},"json":"{\"a\":[\"inner-88\"]}","form":"a=b&token=form-9999","ok":true,"n":7,"date":"2026"}`
	for _, status := range []string{"503 reason-1111", "401 reason-1111", "302 reason-1111"} {
		t.Run(status, func(t *testing.T) {
			more := ""
			if status[0] == '3' {
				more = "Location: /go/path-1234/on?code=query-55#frag=frag-66\r\n"
			}
			address, _ := misbehave(t, responding(fmt.Sprintf(refused, status, len(body), more, body)))
			f := newFixture(t, "http://"+address, `{"retryConfig":{"maxRetries":0}}`, nil)
			_, err := f.Login(t.Context(), config.RequestSpec{Endpoint: "x"})
			wantUserError(t, err)
			hidden := []string{"reason-1111", "cookie1", "sid=cookie1", "header-22", "leaf-333", "44445555", "name-6666-7777", "inner-88", "form-9999"}
			if more != "" {
				hidden = append(hidden, "path-1234", "query-55", "frag-66", "go/path-1234/on?code=query-55#frag=frag-66")
			}
			for _, text := range hidden {
				if got := f.secrets.Mask("<" + text + ">"); got != "<[hidden]>" {
					t.Errorf("%s is shown as %s", text, got)
				}
				if shown := f.secrets.Mask(err.Error()); strings.Contains(shown, text) {
					t.Errorf("the error shows %s: %s", text, shown)
				}
			}
			for _, text := range []string{"nginx/1.2.3", "true", "text", "names", "Path=/", "number"} {
				if got := f.secrets.Mask("<" + text + ">"); got != "<"+text+">" {
					t.Errorf("%s is hidden", text)
				}
			}
		})
	}
}

// TestRecordedLogins: a recording has only the shape of the response to a refused login,
// and its replay ends like the recorded run.
func TestRecordedLogins(t *testing.T) {
	header := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Session", "a1")
			w.Header().Set("Set-Cookie", "b2=c3")
			next(w, r)
		}
	}
	secrets := []string{`"a1"`, "b2=c3", "x\"y", "tok-123456", "12345", "xyz1", "name-6666-7777", "page-of-login", "query-55"}
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/page-of-login/1?code=query-55")
		w.WriteHeader(302)
		fmt.Fprint(w, `<a href="/page-of-login/1?code=query-55">`)
	}
	for name, last := range map[string]http.HandlerFunc{
		"succeeds":   header(ok(`{"token":"tok-123456"}`)),
		"is refused": header(say(403, `{"error":{"message":"no user tok-123456"},"token":"tok-123456","a":["x\\\"y",12345],"message":{"b":"xyz1"},"name-6666-7777":{"short":1,"ok":true}}`)),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.har")
			steps := []http.HandlerFunc{header(page), last}
			if name == "succeeds" {
				steps = append(steps, ok(`[]`))
			}
			s := serve(t, steps...)
			var used secret.Registry
			change, end := recording(t, path)
			f := newFixture(t, s.URL+"/", `{}`, withLogin(&used), func(o *Options) { o.Secrets = &used }, change)
			_, recorded := f.get(t, "x")
			end()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range secrets {
				if strings.Contains(string(text), secret) {
					t.Errorf("the recording shows %s: %s", secret, text)
				}
			}
			var player *har.Player
			var fresh secret.Registry
			g := newFixture(t, s.URL+"/", `{}`, withLogin(&fresh), func(o *Options) { o.Secrets = &fresh }, replaying(t, path, &player))
			_, err = g.get(t, "x")
			if recorded != nil {
				_, want, _ := strings.Cut(used.Mask(recorded.Error()), " returned ")
				if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(want, "message: no user [hidden]") {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			} else if err != nil {
				t.Error(err)
			}
			if err := player.Finish(); err != nil {
				t.Error(err)
			}
		})
	}
}
