package auth

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// xmlLogin is a login whose response is XML, with a header from a path of it.
func xmlLogin(path string) string {
	return `{"type":"login","loginRequest":{"endpoint":"s","response":{"format":"xml"}},"apiRequest":{"headers":{"X-H":{"response":"` + path + `"}}}}`
}

func TestXMLLogin(t *testing.T) {
	tests := []struct{ name, path, response, want string }{
		{"element", "Body.token", `<E><Body><token>a&amp;b</token></Body></E>`, "a&b"},
		{"attribute", "s:Body.@id", `<s:E xmlns:s="urn:x"><s:Body id="7x7x"><a/></s:Body></s:E>`, "7x7x"},
		{"text beside an attribute", "token.#text", `<E><token type="t">abcd</token></E>`, "abcd"},
		{"repeated elements", "id.1", `<E><id>one1</id><id>two2</id></E>`, "two2"},
		{"CDATA", "token", `<E><token><![CDATA[<ab>]]></token></E>`, "<ab>"},
		{"character set of the document", "token", "<?xml version='1.0' encoding='iso-8859-2'?><E><token>\xb1bcd</token></E>", "ąbcd"},
		{"only a text", "data", `<token>abcd</token>`, "abcd"},
		{"byte order mark", "token", "\ufeff<E><token>abcd</token></E>", "abcd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.response)
			r := authenticated(t, w.start(mustCompile(t, xmlLogin(tt.path), `{}`)), requestTo(t, "http://a.test/"))
			if got := strings.Join(r.Header["X-H"], "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if accept := w.logins[0].Headers.Field("Accept").Text(); !strings.Contains(accept, "xml") {
				t.Errorf("the login accepts %q", accept)
			}
		})
	}
}

func TestXMLLoginFailures(t *testing.T) {
	for name, tt := range map[string]struct{ response, words string }{
		"JSON":             {`{"token":"s3cret"}`, "is not valid XML"},
		"HTML":             {`<html><body>s3cret<br></body>`, "is not valid XML"},
		"empty":            {``, "has no body"},
		"no such element":  {`<E><a>s3cret</a></E>`, "'token' not found"},
		"list of elements": {`<E><token>s3cret</token><token>s3cret</token></E>`, "not found"},
		"entity bomb":      {`<!DOCTYPE E [<!ENTITY a "s3cret"><!ENTITY b "&a;&a;">]><E><token>&b;</token></E>`, "is not valid XML"},
		"text outside":     {`s3cret <E/>`, "is not valid XML"},
		"too large":        {`<E>` + strings.Repeat(" ", maxResponse), "expected at most 8388608"},
	} {
		t.Run(name, func(t *testing.T) {
			err := newWorld(t, tt.response).start(mustCompile(t, xmlLogin("token"), `{}`)).Authenticate(t.Context(), requestTo(t, "http://a.test/"))
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `"`, "'"), tt.words) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got %v, want %q and nothing of the response", err, tt.words)
			}
		})
	}
}

func TestXMLLoginRegistersComments(t *testing.T) {
	w := newWorld(t, `<?xml version="1.0"?><!-- session q9x7s3cret --><E><token>abcd</token><?trace zz8877aa?></E>`)
	authenticated(t, w.start(mustCompile(t, xmlLogin("token"), `{}`)), requestTo(t, "http://a.test/"))
	if got := w.secrets.Mask("q9x7s3cret zz8877aa version"); strings.Contains(got, "q9x7") || strings.Contains(got, "zz88") || !strings.Contains(got, "version") {
		t.Errorf("got %s", got)
	}
}

func TestFaultsOfXMLLogin(t *testing.T) {
	for _, keys := range []string{
		`"format":"text","loginRequest":{"endpoint":"s","response":{"format":"xml"}}`,
		`"loginRequest":{"endpoint":"s","response":{"format":"csv"}}`,
		`"loginRequest":{"endpoint":"s","body":{"type":"text/xml","text":"<a/>"}}`,
		`"loginRequest":{"endpoint":"s","method":"FORM","body":{"type":"text/xml","text":"<a/>"}}`,
		`"loginRequest":{"endpoint":"s","method":"POST","body":{"type":"text/xml","text":"<a>{x}</a>","values":{"x":{"attr":"nope"}}}}`,
	} {
		if _, problems := compile(t, `{"type":"login",`+keys+`}`, `{}`); problems.Err() == nil {
			t.Errorf("no problem with %s", keys)
		}
	}
}

func TestBodyOfLogin(t *testing.T) {
	w := newWorld(t, `{}`)
	m := mustCompile(t, `{"type":"login","loginRequest":{"endpoint":"s","method":"POST","params":{"a":1},"body":{"type":"text/xml","text":["<a p='{#p}'>","{u}</a>"],"values":{"u":{"attr":"u"},"#p":{"function":"md5","args":[{"attr":"#p"}]}}}}}`, `{"u":"x<y","#p":"pass"}`)
	authenticated(t, w.start(m), requestTo(t, "http://a.test/"))
	body := w.logins[0].Body
	const hash = "1a1dc91c907325c69271ddf0c944bc72"
	if want := "<a p='" + hash + "'>\nx&lt;y</a>"; body == nil || string(body.Text) != want || body.Type != "text/xml" {
		t.Fatalf("got %+v, want %s", body, want)
	}
	if len(body.Secrets) != 1 || string(body.Text[body.Secrets[0].From:body.Secrets[0].To]) != hash || w.secrets.Mask(hash) == hash {
		t.Errorf("secrets %v, and %s", body.Secrets, w.secrets.Mask(hash))
	}
}

// TestDryXML: the login of a dry run has a text at each path that a document can have.
func TestDryXML(t *testing.T) {
	paths := []string{"a:B.c.1.@d", "x.#text", "e", "list.2", "a:B.f"}
	var members []value.Member
	for _, path := range append(slices.Clone(paths), "no name.x", "list.1000000000") {
		members = append(members, value.Member{Name: path, Value: value.OfString("<" + path + ">")})
	}
	document := string(dryXML(members))
	for _, path := range paths {
		r := authenticated(t, newWorld(t, document).start(mustCompile(t, xmlLogin(path), `{}`)), requestTo(t, "http://a.test/"))
		if got := r.Header.Get("X-H"); got != "<"+path+">" {
			t.Errorf("%s: got %q from %s", path, got, document)
		}
	}
}
