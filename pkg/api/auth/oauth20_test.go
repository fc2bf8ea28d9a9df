package auth

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	textCredentials = `{"#data":"tok9","appKey":"cid","#appSecret":"shh"}`
	jsonCredentials = `{"#data":"{\"access_token\":\"at1\",\"n\":7,\"ids\":[\"x\",{\"y\":\"deep\"}],\"no\":null,\"yes\":true}","appKey":"cid","#appSecret":"shh"}`
)

func TestOAuth20(t *testing.T) {
	for _, tt := range []struct {
		name, authentication, credentials string
		address                           string
		headers                           http.Header // of the request
		want                              string      // the query
		wantHeaders                       map[string]string
	}{
		{name: "bearer of a text", authentication: `"headers":{"Authorization":{"function":"concat","args":["Bearer ",{"authorization":"data"}]}}`,
			credentials: textCredentials, wantHeaders: map[string]string{"Authorization": "Bearer tok9"}},
		{name: "format text is the default", authentication: `"format":"text","headers":{"X-T":{"authorization":"data"}}`,
			credentials: `{"#data":"{\"a\":1}","appKey":"cid","#appSecret":"shh"}`, wantHeaders: map[string]string{"X-T": `{"a":1}`}},
		{name: "leaves of JSON", authentication: `"format":"json","headers":{"X-T":{"authorization":"data.access_token"},"X-D":{"authorization":"data.ids.1.y"},"X-Y":{"authorization":"data.yes"}},"query":{"n":{"authorization":"data.n"},"i":{"authorization":"data.ids.0"}}`,
			credentials: jsonCredentials, want: "n=7&i=x", wantHeaders: map[string]string{"X-T": "at1", "X-D": "deep", "X-Y": "1"}},
		{name: "JSON scalar", authentication: `"format":"json","query":{"t":{"authorization":"data"}}`,
			credentials: `{"#data":"\"scalar\"","appKey":"cid","#appSecret":"shh"}`, want: "t=scalar"},
		{name: "JSON list", authentication: `"format":"json","query":{"t":{"authorization":"data.1"}}`,
			credentials: `{"#data":"[\"a\",\"b\"]","appKey":"cid","#appSecret":"shh"}`, want: "t=b"},
		{name: "client id, timestamp and nonce", authentication: `"query":{"c":{"authorization":"clientId"},"t":{"authorization":"timestamp"},"n":{"authorization":"nonce"}}`,
			credentials: textCredentials, want: "c=cid&t=" + trialSeconds + "&n=" + counted(0, 8)},
		{name: "numeric client id", authentication: `"query":{"c":{"authorization":"clientId"}}`,
			credentials: `{"#data":"x","appKey":42,"#appSecret":"shh"}`, want: "c=42"},
		{name: "headers replace, regardless of their case", authentication: `"headers":{"x-a":"auth","Authorization":"t"}`,
			credentials: textCredentials, headers: http.Header{"X-A": {"job"}, "authorization": {"job"}, "X-B": {"kept"}},
			wantHeaders: map[string]string{"x-a": "auth", "Authorization": "t", "X-B": "kept"}},
		{name: "values of headers", authentication: `"headers":{"T":true,"F":false,"E":"","N":null,"I":5,"L":["a","b"],"W":" w\n"}`,
			credentials: textCredentials, wantHeaders: map[string]string{"T": "1", "F": "", "E": "", "N": "", "I": "5", "L": "a|b", "W": "w"}},
		{name: "line break at the end of a text token", authentication: `"headers":{"X-T":{"authorization":"data"}}`,
			credentials: `{"#data":"tok\r\n","appKey":"cid","#appSecret":"shh"}`, wantHeaders: map[string]string{"X-T": "tok"}},
		{name: "query replaces in its place", authentication: `"query":{"k":{"authorization":"data"},"z":"9"}`,
			credentials: textCredentials, address: "?a=1+2&k=job&b=3&k=4", want: "a=1%202&k=tok9&b=3&z=9"},
		{name: "the query is put together again with nothing to add", authentication: `"headers":{"A":"b"}`,
			credentials: textCredentials, address: "?q=a+b%7E&m=1&n&m=3", want: "q=a%20b~&m=1&m=3&n", wantHeaders: map[string]string{"A": "b"}},
		{name: "values of the query", authentication: `"query":{"t":true,"f":false,"n":null,"l":["p","q"]}`,
			credentials: textCredentials, want: "t=1&f=&n&l=p&l=q"},
		{name: "headers see the request before the query was merged",
			authentication: `"query":{"a":"new","b":{"request":"queryString"}},"headers":{"Q":{"request":"queryString"},"A":{"query":"a"}}`,
			credentials:    textCredentials, address: "?a=old", want: "a=new&b=a%3Dold", wantHeaders: map[string]string{"Q": "a=old", "A": "old"}},
		{name: "nothing configured", credentials: textCredentials, authentication: `"headers":[],"query":[]`, address: "?a=1", want: "a=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := trial{authentication: `{"type":"oauth20",` + tt.authentication + `}`, credentials: tt.credentials}.start(t, newWorld(t))
			r := requestTo(t, "http://api.test/items"+tt.address)
			if tt.headers != nil {
				r.Header = tt.headers
			}
			sent := attempt(t, a, r)
			if sent.URL.RawQuery != tt.want {
				t.Errorf("query %s, want %s", sent.URL.RawQuery, tt.want)
			}
			if len(sent.Header) != len(tt.wantHeaders) {
				t.Errorf("headers %v, want %v", sent.Header, tt.wantHeaders)
			}
			for name, want := range tt.wantHeaders {
				if got, ok := sent.Header[name]; !ok || strings.Join(got, "|") != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestOAuth20Problems(t *testing.T) {
	const place = "/parameters/api/authentication"
	exists := `expected the path of a string, number or boolean that exists in "authorization"`
	for _, tt := range []struct {
		name, authentication, credentials string
		want                              []string
	}{
		{"format", `"format":"xml"`, textCredentials, []string{place + `/format: expected one of "json", "text"`}},
		{"attributes are not available", `"headers":{"A":{"attr":"x"}},"query":{"b":{"attr":"x"}}`, textCredentials,
			[]string{place + "/headers/A: " + expectedText, place + "/query/b: " + expectedText}},
		{"object", `"headers":{"A":{"b":1}},"query":{"b":{"c":{"authorization":"data"}}}`, textCredentials,
			[]string{place + "/headers/A: " + expectedText, place + "/query/b: " + expectedText}},
		{"path below a text", `"headers":{"A":{"authorization":"data.t"}}`, textCredentials, []string{place + "/headers/A/authorization: " + exists}},
		{"path that does not exist", `"format":"json","query":{"a":{"authorization":"data.nope"}}`, jsonCredentials, []string{place + "/query/a/authorization: " + exists}},
		{"null in the data", `"format":"json","query":{"a":{"authorization":"data.no"}}`, jsonCredentials, []string{place + "/query/a/authorization: " + exists}},
		{"object in the data", `"format":"json","query":{"a":{"authorization":"data.ids"}}`, jsonCredentials, []string{place + "/query/a/authorization: " + exists}},
		{"the secret of the application", `"headers":{"A":{"authorization":"clientSecret"}}`, textCredentials, []string{place + "/headers/A/authorization: " + exists}},
		{"name of a header", `"headers":{"A B":"c"}`, textCredentials, []string{place + "/headers/A B: expected the name of a header: letters, digits and -"}},
		{"headers that are not an object", `"headers":"x","query":["y"]`, textCredentials, []string{place + "/headers: expected an object", place + "/query: expected an object"}},
		{"unknown part of the request", `"headers":{"A":{"request":"verb"}}`, textCredentials, []string{place + `/headers/A/request: expected the path of a string, number or boolean that exists in "request"`}},
		{"unknown function", `"headers":{"A":{"function":"sha3","args":["x"]}}`, textCredentials, []string{place + "/headers/A/function: expected the name of a function"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := trial{authentication: `{"type":"oauth20",` + tt.authentication + `}`, credentials: tt.credentials, config: `{"x":"y"}`}
			tr.checkProblems(t, tt.want...)
			_, problems := tr.compile(t)
			if text := problems.Error(); strings.Contains(text, "tok9") || strings.Contains(text, "at1") || strings.Contains(text, "shh") {
				t.Errorf("the problem shows a value: %s", text)
			}
		})
	}
}

func TestOAuth20Errors(t *testing.T) {
	for _, tt := range []struct {
		name, authentication, credentials, text, pointer string
	}{
		{"parameter that the request lacks", `"headers":{"A":{"query":"nope"}}`, textCredentials, `query "nope" not found`, "/headers/A"},
		{"line break in a header", `"headers":{"A":{"authorization":"data"}}`, `{"#data":"to\nken","appKey":"c","#appSecret":"s"}`, "a character that is not allowed in a header", "/headers/A"},
		{"failing function", `"query":{"a":{"function":"hash","args":[{"authorization":"data"},"x"]}}`, textCredentials, "hash", "/query/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := trial{authentication: `{"type":"oauth20",` + tt.authentication + `}`, credentials: tt.credentials}.start(t, newWorld(t))
			r := requestTo(t, "http://api.test/items?a=1+2")
			err := a.Authenticate(t.Context(), r)
			wantUserError(t, err, "/parameters/api/authentication"+tt.pointer, tt.text)
			if err != nil && (strings.Contains(err.Error(), "tok9") || strings.Contains(err.Error(), "ken\"")) {
				t.Errorf("the error shows a value: %v", err)
			}
			if len(r.Header) > 0 || r.URL.RawQuery != "a=1+2" {
				t.Errorf("half of the authentication is there: %v %s", r.Header, r.URL.RawQuery)
			}
		})
	}
}

// TestOAuth20Secrets lists what no event shows.
func TestOAuth20Secrets(t *testing.T) {
	w := newWorld(t)
	a := trial{
		authentication: `{"type":"oauth20","format":"json","query":{"kind":{"query":"kind"},"sig":{"function":"sha1","args":[{"request":"path"}]}},
			"headers":{"Authorization":{"function":"concat","args":["Bearer ",{"authorization":"data.access_token"}]}}}`,
		credentials: `{"#data":"{\"access_token\":\"acc3ss\",\"refresh_token\":\"r3fresh\"}","appKey":"client","#appSecret":"s3cret"}`,
	}.start(t, w)
	sent := attempt(t, a, requestTo(t, "http://api.test/items?kind=fresh"))
	if got := w.secrets.Mask(sent.URL.RawQuery); got != "kind=fresh&sig=[hidden]" {
		t.Errorf("query %s", got)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(sent.Header.Get("Authorization")))
	for _, secret := range []string{"acc3ss", "r3fresh", "s3cret", `{"access_token":"acc3ss","refresh_token":"r3fresh"}`, "Bearer acc3ss", encoded, url.QueryEscape("Bearer acc3ss")} {
		if got := w.secrets.Mask(secret); got != "[hidden]" {
			t.Errorf("%s is reported as %s", secret, got)
		}
	}
	if got := w.secrets.Mask("client"); got != "client" {
		t.Errorf("the id of the client is reported as %s", got)
	}
}
