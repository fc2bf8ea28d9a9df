package har

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

func secretsOf(texts ...string) *secret.Registry {
	s := &secret.Registry{}
	for _, text := range texts {
		s.Add(text)
	}
	return s
}

func masked(t testing.TB, secrets *secret.Registry, body string) (string, bool) {
	t.Helper()
	var b strings.Builder
	m := masker{w: &b, secrets: secrets, size: int64(len(body))}
	if err := m.copy(strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	return b.String(), m.found
}

func TestMask(t *testing.T) {
	secrets := secretsOf("s3cret", "12345", `{"deep":"json"}`, "x", "true-token")
	tests := []struct{ name, body, want string }{
		{"nothing", `{"a":"b"}`, `{"a":"b"}`},
		{"empty", ``, ``},
		{"text in JSON", `{"a":"my s3cret!"}`, `{"a":"my [hidden]!"}`},
		{"number in JSON", `{"a":12345,"b":[12345]}`, `{"a":"[hidden]","b":["[hidden]"]}`},
		{"part of a number", `{"a":-12345.5e1}`, `{"a":"[hidden]"}`},
		{"twice in a number", `[123451234512345]`, `["[hidden]"]`},
		{"number in a text", `{"a":"12345"}`, `{"a":"[hidden]"}`},
		{"name", `{"s3cret":1}`, `{"[hidden]":1}`},
		{"after an escaped quote", `{"a":"\"s3cret","b":12345}`, `{"a":"\"[hidden]","b":"[hidden]"}`},
		{"after a backslash", `{"a":"\\","b":12345}`, `{"a":"\\","b":"[hidden]"}`},
		{"a whole value", `{"a":{"deep":"json"}}`, `{"a":"[hidden]"}`},
		{"base64", `{"a":"czNjcmV0"}`, `{"a":"[hidden]"}`},
		{"a short one", `{"a":"x","b":"xx"}`, `{"a":"x","b":"xx"}`},
		{"a scalar", `12345`, `"[hidden]"`},
		{"no JSON", `a=12345&b=s3cret`, `a=[hidden]&b=[hidden]`},
		{"with a byte order mark", "\xEF\xBB\xBF[12345]", "\xEF\xBB\xBF[\"[hidden]\"]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := masked(t, secrets, tt.body)
			if got != tt.want || found != (tt.body != tt.want) {
				t.Errorf("got %s (%t), want %s", got, found, tt.want)
			}
		})
	}
}

// TestMaskAcrossWindows puts a secret at each place around the end of a window.
func TestMaskAcrossWindows(t *testing.T) {
	secrets := secretsOf("s3cret-token", "987654")
	filler := strings.Repeat(`{"name":"žluť","n":1},`, 30000)
	for name, secret := range map[string]string{"text": `"s3cret-token"`, "number": `987654`} {
		for offset := -40; offset < 40; offset += 5 {
			at := strings.Index(filler[maskWindow+offset*7:], "1}") + maskWindow + offset*7
			body := "[" + filler[:at] + secret + filler[at+1:] + "0]"
			got, _ := masked(t, secrets, body)
			want := "[" + filler[:at] + `"[hidden]"` + filler[at+1:] + "0]"
			if got != want {
				t.Fatalf("%s at %d: lengths %d and %d, still there: %t", name, at, len(got), len(want), strings.Contains(got, secret))
			}
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add(`{"a":12345,"b":"s3cret"}`)
	f.Add(`[12345.12345,"\"12345\\",true]`)
	f.Fuzz(func(t *testing.T, body string) {
		secrets := secretsOf("s3cret", "12345")
		got, _ := masked(t, secrets, body)
		if again := secrets.Mask(got); again != got {
			t.Errorf("%q leaves %q, in which there is still a secret", body, got)
		}
		if json.Valid([]byte(body)) && len(body) < 100 && !json.Valid([]byte(got)) {
			t.Errorf("%q is JSON, masked it is not: %q", body, got)
		}
	})
}
