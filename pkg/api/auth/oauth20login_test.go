package auth

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const refreshCredentials = `{"#data":"{\"rt\":\"R1token\",\"deep\":{\"ids\":[\"x\",\"yy\"]},\"n\":5}","appKey":"cid","#appSecret":"c1secret"}`

func TestOAuth20Login(t *testing.T) {
	for _, tt := range []struct {
		name, authentication, response string
		params, headers                string // of the login request
		query, token                   string // of the request after it
	}{
		{
			name: "refresh token for access token",
			authentication: `"loginRequest":{"endpoint":"token","method":"FORM","params":{"grant_type":"refresh_token","refresh_token":{"user":"rt"},"client_id":{"consumer":"client_id"},"client_secret":{"consumer":"client_secret"}}},
				"apiRequest":{"headers":{"X-Token":{"response":"access"}},"query":{"q":{"response":"n"}}}`,
			response: `{"access":"A1token","n":3}`,
			params:   `{"grant_type":"refresh_token","refresh_token":"R1token","client_id":"cid","client_secret":"c1secret"}`, headers: `{}`,
			query: "page=1&q=3", token: "A1token",
		},
		{
			name: "headers, functions, paths and attributes",
			authentication: `"loginRequest":{"endpoint":"token","headers":{"A":{"function":"base64_encode","args":[{"function":"concat","args":[{"consumer":"client_id"},":",{"consumer":"client_secret"}]}]},"B":{"user":"deep.ids.1"},"C":{"attr":"name"},"D":{"user":"n"}}},
				"apiRequest":{"headers":{"X-Token":{"function":"concat","args":[{"response":"access"},{"attr":"name"}]}}}`,
			response: `{"access":"A1token"}`,
			params:   `{}`, headers: `{"A":["Y2lkOmMxc2VjcmV0"],"B":["yy"],"C":["ann"],"D":["5"]}`,
			query: "page=1", token: "A1tokenann",
		},
		{
			name: "text", authentication: `"format":"text","loginRequest":{"endpoint":"token"},"apiRequest":{"headers":{"X-Token":{"response":"data"}}}`,
			response: "plain\n", params: `{}`, headers: `{}`, query: "page=1", token: "plain",
		},
		{
			name: "same name in request and login", authentication: `"loginRequest":{"endpoint":"token"},"apiRequest":{"query":{"page":{"response":"p"}}}`,
			response: `{"p":"1"}`, params: `{}`, headers: `{}`, query: "page%5B0%5D=1&page%5B1%5D=1",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.response)
			tr := trial{authentication: `{"type":"oauth20.login",` + tt.authentication + `}`, credentials: refreshCredentials, config: `{"name":"ann"}`}
			a := tr.start(t, w)
			for range 2 {
				sent := attempt(t, a, requestTo(t, "http://api.test/items?page=1"))
				if sent.URL.RawQuery != tt.query || sent.Header.Get("X-Token") != tt.token {
					t.Errorf("query %s, token %s; want %s, %s", sent.URL.RawQuery, sent.Header.Get("X-Token"), tt.query, tt.token)
				}
			}
			if len(w.logins) != 1 {
				t.Fatalf("%d logins, want 1", len(w.logins))
			}
			r := w.logins[0]
			if r.Endpoint != "token" || r.Params.JSON() != tt.params || r.Headers.JSON() != tt.headers {
				t.Errorf("login %s with %s and headers %s; want %s and %s", r.Endpoint, r.Params.JSON(), r.Headers.JSON(), tt.params, tt.headers)
			}
		})
	}
}

func TestOAuth20LoginProblems(t *testing.T) {
	const place = "/parameters/api/authentication"
	for _, tt := range []struct {
		name, authentication, credentials string
		want                              []string
	}{
		{"checks of the login come first", `"format":"xml","expires":"soon"`, `{"appKey":"c"}`, []string{
			place + `/format: expected one of "json", "text"`,
			place + "/expires: expected a number of seconds or an object with \"response\"",
			place + "/loginRequest: the login needs the object 'loginRequest'",
			credentialsPlace + "/#data: OAuth needs the token data in '#data'",
			credentialsPlace + "/#appSecret: OAuth needs the secret of the application in '#appSecret'",
		}},
		{"unknown path of the data", `"loginRequest":{"endpoint":"l","params":{"a":{"user":"refresh"}}}`, refreshCredentials,
			[]string{place + `/loginRequest/params/a/user: expected the path of a string, number or boolean that exists in "user"`}},
		{"unknown part of the application", `"loginRequest":{"endpoint":"l","headers":{"A":{"consumer":"clientId"}}}`, refreshCredentials,
			[]string{place + `/loginRequest/headers/A/consumer: expected the path of a string, number or boolean that exists in "consumer"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := trial{authentication: `{"type":"oauth20.login",` + tt.authentication + `}`, credentials: tt.credentials}
			tr.checkProblems(t, tt.want...)
			_, problems := tr.compile(t)
			if text := problems.Error(); strings.Contains(text, "R1token") || strings.Contains(text, "c1secret") {
				t.Errorf("the problem shows a value: %s", text)
			}
		})
	}
}

// TestOAuth20LoginContexts shows that application and user are known to the
// login request only.
func TestOAuth20LoginContexts(t *testing.T) {
	for pointer, apiRequest := range map[string]string{
		"/headers/A": `{"headers":{"A":{"consumer":"client_id"}}}`,
		"/query/b":   `{"query":{"b":{"user":"rt"}}}`,
	} {
		a := trial{authentication: `{"type":"oauth20.login","loginRequest":{"endpoint":"l"},"apiRequest":` + apiRequest + `}`, credentials: refreshCredentials}
		_, problems := a.compile(t)
		err := problems.Err()
		if err == nil {
			err = a.start(t, newWorld(t, `{}`)).Authenticate(t.Context(), requestTo(t, "http://api.test/items"))
		}
		if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "/parameters/api/authentication/apiRequest"+pointer) {
			t.Errorf("%s: %v", apiRequest, err)
		}
	}
}

// TestLoginWithoutUser shows that a plain login knows neither application nor
// user: there they are data.
func TestLoginWithoutUser(t *testing.T) {
	w := newWorld(t, `{}`)
	a := trial{authentication: `{"type":"login","loginRequest":{"endpoint":"l","method":"POST","params":{"a":{"user":"rt"},"b":{"consumer":"client_id"}}}}`}.
		start(t, w)
	attempt(t, a, requestTo(t, "http://api.test/items"))
	if got, want := w.logins[0].Params.JSON(), `{"a":{"user":"rt"},"b":{"consumer":"client_id"}}`; got != want {
		t.Errorf("params %s, want %s", got, want)
	}
}

// TestOAuth20LoginSecrets lists what no event shows.
func TestOAuth20LoginSecrets(t *testing.T) {
	w := newWorld(t, `{"access":"A1token"}`)
	a := trial{
		authentication: `{"type":"oauth20.login","loginRequest":{"endpoint":"l","headers":{"A":{"function":"sha1","args":[{"user":"rt"}]}}},"apiRequest":{"query":{"t":{"response":"access"}}}}`,
		credentials:    refreshCredentials,
	}.start(t, w)
	attempt(t, a, requestTo(t, "http://api.test/items"))
	computed := w.logins[0].Headers.Field("A").Items()[0].Text()
	for _, secret := range []string{"R1token", "c1secret", "A1token", computed} {
		if got := w.secrets.Mask(secret); got != "[hidden]" {
			t.Errorf("%s is reported as %s", secret, got)
		}
	}
}
