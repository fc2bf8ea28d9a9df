package auth

import (
	"strings"
	"testing"
)

const credentialsPlace = "/authorization/oauth_api/credentials"

// TestCredentials shows the checks that all who need credentials have, in their
// order.
func TestCredentials(t *testing.T) {
	const (
		none     = credentialsPlace + ": OAuth needs the credentials '#data', 'appKey' and '#appSecret'"
		noData   = credentialsPlace + "/#data: OAuth needs the token data in '#data'"
		noKey    = credentialsPlace + "/appKey: OAuth needs the key of the application in 'appKey'"
		noSecret = credentialsPlace + "/#appSecret: OAuth needs the secret of the application in '#appSecret'"
	)
	authentications := []string{
		`{"type":"oauth10"}`,
		`{"type":"oauth20","headers":{"A":{"authorization":"data"},"B":{"authorization":"clientId"}}}`,
		`{"type":"oauth20","format":"json","query":{"a":{"authorization":"data.t"}}}`,
		`{"type":"oauth20.login","loginRequest":{"endpoint":"l","params":{"t":{"user":"t"},"c":{"consumer":"client_id"},"s":{"consumer":"client_secret"}}}}`,
	}
	for _, tt := range []struct {
		name, credentials string
		want              []string
	}{
		{"none", "", []string{none}},
		{"nothing in them", `{"other":1}`, []string{noData, noKey, noSecret}},
		{"empty texts", `{"#data":"","appKey":"","#appSecret":""}`, []string{none}},
		{"zeros", `{"#data":"0","appKey":0,"#appSecret":"0"}`, []string{noData, noKey, noSecret}},
		{"nulls", `{"#data":null,"appKey":null,"#appSecret":null}`, []string{none}},
		{"no data", `{"appKey":"k","#appSecret":"s"}`, []string{noData}},
		{"no key", `{"#data":"{\"oauth_token\":1,\"oauth_token_secret\":2,\"t\":3}","#appSecret":"s"}`, []string{noKey}},
		{"no secret", `{"#data":"{\"oauth_token\":1,\"oauth_token_secret\":2,\"t\":3}","appKey":"k"}`, []string{noSecret}},
		{"a list as data", `{"#data":["x"],"appKey":"k","#appSecret":"s"}`, []string{credentialsPlace + "/#data: expected a string"}},
		{"an object as key", `{"#data":"{\"oauth_token\":1,\"oauth_token_secret\":2,\"t\":3}","appKey":{"a":1},"#appSecret":"s"}`,
			[]string{credentialsPlace + "/appKey: expected a string"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, authentication := range authentications {
				trial{authentication: authentication, credentials: tt.credentials}.checkProblems(t, tt.want...)
			}
		})
	}
}

// TestCredentialsData shows what the data must be, and that no problem says
// what it is.
func TestCredentialsData(t *testing.T) {
	const (
		place     = credentialsPlace + "/#data: "
		object    = place + "expected the JSON text of an object"
		token     = place + "expected the key 'oauth_token' in its JSON"
		oneSecret = place + "expected the key 'oauth_token_secret' in its JSON"
		oauth10   = `{"type":"oauth10"}`
		oauth20   = `{"type":"oauth20","format":"json","headers":{"A":{"authorization":"data.s3cret"}}}`
		login     = `{"type":"oauth20.login","loginRequest":{"endpoint":"l","headers":{"A":{"user":"s3cret"}}}}`
	)
	for _, tt := range []struct {
		name, authentication, data string
		want                       []string
	}{
		{"oauth10, no JSON", oauth10, `s3cret`, []string{object}},
		{"oauth10, list", oauth10, `["s3cret"]`, []string{object}},
		{"oauth10, scalar", oauth10, `"s3cret"`, []string{object}},
		{"oauth10, null", oauth10, `null`, []string{object}},
		{"oauth10, no token", oauth10, `{"oauth_token_secret":"s3cret"}`, []string{token}},
		{"oauth10, no secret of the token", oauth10, `{"oauth_token":"s3cret"}`, []string{oneSecret}},
		{"oauth10, nulls", oauth10, `{"oauth_token":null,"oauth_token_secret":null}`, []string{token, oneSecret}},
		{"oauth10, object as token", oauth10, `{"oauth_token":{"s3cret":1},"oauth_token_secret":["s3cret"]}`, []string{token, oneSecret}},
		{"oauth10, empty texts", oauth10, `{"oauth_token":"","oauth_token_secret":""}`, nil},
		{"oauth20, no JSON", oauth20, `s3cret`, []string{place + "expected JSON text"}},
		{"oauth20, null", oauth20, `null`, []string{place + "expected JSON text"}},
		{"oauth20.login, no JSON", login, `s3cret`, []string{object}},
		{"oauth20.login, scalar", login, `"s3cret"`, []string{object}},
		{"oauth20.login, number", login, `53`, []string{object}},
		{"oauth20.login, null", login, `null`, []string{object}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(tt.data)
			tr := trial{authentication: tt.authentication, credentials: `{"#data":"` + quoted + `","appKey":"k","#appSecret":"t0psecret"}`}
			tr.checkProblems(t, tt.want...)
			_, problems := tr.compile(t)
			if text := problems.Error(); strings.Contains(text, "s3cret") || strings.Contains(text, "t0psecret") {
				t.Errorf("the problem shows a value: %s", text)
			}
		})
	}
}
