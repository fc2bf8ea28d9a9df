package plan

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// newTestMask knows a document with the secret s3cret-1, another secret that was
// computed, and three stand-ins.
func newTestMask(t *testing.T) (m *mask, unknown, other, variable string) {
	t.Helper()
	doc, err := value.Parse([]byte(`{"#key": "s3cret-1", "a": ["Bearer %s", "Sig "], "b": {"#pin": 12, "c": "0123456789"}, "plain": "open-1"}`))
	if err != nil {
		t.Fatal(err)
	}
	m = newMask("platform-token")
	m.addSecrets(doc, value.Value{})
	m.addUnprotected(doc, "/plain")
	return m, m.standIn("login: token"), m.standIn(`login: id, or "id"`), m.standIn("{name}")
}

func TestMask(t *testing.T) {
	t.Parallel()
	m, token, id, name := newTestMask(t)
	if again := m.standIn("login: token"); again != token || token == id || len(token) != 15 {
		t.Fatalf("stand-ins: %s, %s, %s", token, again, id)
	}
	digest := "900150983cd24fb0d6963f7d28e17f72"
	for _, secret := range []string{token, "Bearer " + token, digest + token, "12" + token, "c0mputed", "Sig s3cret-1" + token} {
		m.secrets.AddTemporary(secret) // as the authentication does
	}
	tests := []struct{ name, text, want string }{
		{"nothing", "users?limit=5", "users?limit=5"},
		{"a secret", "k=s3cret-1&t=platform-token", "k=[hidden]&t=[hidden]"},
		{"without a hash sign", "k=open-1", "k=[hidden]"},
		{"computed", "sig=c0mputed", "sig=[hidden]"},
		{"unknown", token, "{login: token}"},
		{"unknown in what is written for everyone", "Bearer " + token, "Bearer {login: token}"},
		{"percent-encoded", "t=Bearer%20" + token, "t=Bearer%20{login: token}"},
		{"beside what was computed of a secret", digest + token, "[hidden]{login: token}"},
		{"beside a secret that is elsewhere, too", "12" + token, "[hidden]{login: token}"},
		{"beside a secret", "Sig s3cret-1" + token, "[hidden]{login: token}"},
		{"no secret", "id=" + id + ".", `id={login: id, or "id"}.`},
		{"a variable", "https://" + name + ".example.com", "https://{{name}}.example.com"},
		{"another spelling", "NDE3MjYzOTU4MjAwMDAz", "{{name}, encoded}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := m.text(tt.text); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMaskHeader(t *testing.T) {
	t.Parallel()
	m, token, _, _ := newTestMask(t)
	tests := []struct{ name, text, want string }{
		{"X-Key", "s3cret-1", "[hidden]"},
		{"X-Open", "Basic abc", "Basic abc"},
		{"Authorization", "Basic abc", "Basic [hidden]"},
		{"authorization", "abc", "[hidden]"},
		{"Authorization", "", ""},
		{"Authorization", "Bearer " + token, "Bearer {login: token}"},
		{"Authorization", "OAuth a=1, s=s3cret-1", "OAuth a=1, s=[hidden]"},
		{"Proxy-Authorization", "Basic abc", "Basic [hidden]"},
		{"Cookie", "a=1; b=2", "[hidden]"},
	}
	for _, tt := range tests {
		if got := m.header(httpclient.Line{Name: tt.name, Text: tt.text}, &httpclient.Outgoing{}).text.String(); got != tt.want {
			t.Errorf("%s: %s is shown as %s, want %s", tt.name, tt.text, got, tt.want)
		}
	}
}

// TestMadeOfSecrets: of what was made of secrets only that is shown which is in
// the document for everyone, and only beside a secret that is known.
func TestMadeOfSecrets(t *testing.T) {
	m, token, _, _ := newTestMask(t)
	m.plain = append(m.plain, "Bearer ", "v1", "sprintf is %s here")
	tests := []struct{ text, want string }{
		{"1", "[hidden]"},
		{"Bearer 1", "[hidden]"},
		{"Bearer ", "[hidden]"},
		{"s3cret-1", "[hidden]"},
		{"Bearer s3cret-1", "Bearer [hidden]"},
		{"v1s3cret-1", "v1[hidden]"},
		{"1s3cret-1", "[hidden][hidden]"},
		{"2024-s3cret-1", "[hidden][hidden]"},
		{"Bearer+s3cret-1+here", "Bearer+[hidden]+here"},
		{"Bearer " + token, "Bearer {login: token}"},
		{"x" + token, "[hidden]{login: token}"},
	}
	for _, tt := range tests {
		text := "a=1&b=" + tt.text + "&c=1"
		if got, want := m.pieces(text, secret.Span{From: 6, To: 6 + len(tt.text)}).String(), "a=1&b="+tt.want+"&c=1"; got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestVariable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"#api-token":                "API_TOKEN",
		"#a/b":                      "A_B",
		"login: data.access_token":  "LOGIN_DATA_ACCESS_TOKEN",
		`login: sid, or "sid"`:      "LOGIN_SID",
		`order-id ← id of "orders"`: "ORDER_ID",
		`2:id ← id of "orders"`:     "V_2_ID",
		"{name}":                    "NAME",
		"#č":                        "V_",
	} {
		if got := variable(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestSecretsOfOneNameHaveDifferentVariables(t *testing.T) {
	t.Parallel()
	doc, err := value.Parse([]byte(`{"a": {"#key": "s3cret-1"}, "b": {"#key": "s3cret-2"}, "c": {"#key": "s3cret-1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	m := newMask("")
	m.addSecrets(doc, value.Value{})
	c := &command{}
	if got, want := c.quoted("X", m.pieces("s3cret-1, s3cret-2, s3cret-1")), `"$KEY"', '"$KEY_2"', '"$KEY"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
