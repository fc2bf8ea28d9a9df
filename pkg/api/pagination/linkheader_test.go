package pagination

import (
	"net/url"
	"strings"
	"testing"
)

func address(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestLinkTo(t *testing.T) {
	tests := []struct {
		name   string
		header []string
		want   string // "" for none
	}{
		{"none", nil, ""},
		{"the form of most APIs", []string{`<https://h/a?page=2>; rel="next", <https://h/a?page=9>; rel="last"`}, "https://h/a?page=2"},
		{"another one first", []string{`<https://h/a?page=1>; rel="prev", <https://h/a?page=3>; rel="next"`}, "https://h/a?page=3"},
		{"a token", []string{`<b>;rel=next`}, "b"},
		{"several relations, in any case", []string{`<b>; REL="prefetch Next"`}, "b"},
		{"other parameters, with signs of the syntax", []string{`<b,c;d>; title="a \"<x>\"; rel=next, y"; rel="next"; type=x`}, "b,c;d"},
		{"several lines", []string{`<a>; rel=self`, `<b>; rel=next`}, "b"},
		{"the first rel counts", []string{`<a>; rel=prev; rel=next`}, ""},
		{"the first rel counts, though it is empty", []string{`<a>; rel; rel=next`}, ""},
		{"blanks around the equals sign", []string{"<a> ;\t rel = \"next\" "}, "a"},
		{"empty items of the list", []string{`, ,<a>; rel=prev, ,<b>; rel=next,`}, "b"},
		{"part of a word", []string{`<a>; rel="nextpage"`, `<b>; rev="next"`, `<c>; title="rel=next"`}, ""},
		{"broken", []string{`<a; rel=next`, `a; rel=next`, `<a> rel`, `<`, `;;=,`, `<a>;rel="next`}, "a"},
		{"nothing is read after what is not a link", []string{`x, <a>; rel=next`, `<b> x, <c>; rel=next`}, ""},
		{"the reference may be empty", []string{`<>; rel=next`}, ""},
		{"about another response", []string{`<a>; rel=next; anchor="/other"`, `<b>; rel=next; anchor="#part"`, `<c>; anchor="https://elsewhere.test/"; rel=next`}, ""},
		{"about this response", []string{`<a>; rel=next; anchor=""`}, "a"},
		{"about this response, by its address", []string{`<a>; rel=next; anchor="list?page=1"`}, "a"},
		{"an anchor that is not an address", []string{`<a>; rel=next; anchor=":"`}, ""},
	}
	for _, tt := range tests {
		if got, _ := LinkTo("next", tt.header, address(t, asked)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if _, ok := LinkTo("next", []string{`<>; rel=next`}, nil); !ok {
		t.Error("an empty reference is not found")
	}
	if _, ok := LinkTo("next", []string{`<a>; rel=next; anchor="/x"`}, nil); ok {
		t.Error("a link about something else is found where the address is not known")
	}
}

// The examples of RFC 8288, section 3.5.
func TestExamplesOfTheRFC(t *testing.T) {
	tests := []struct{ header, relation, want string }{
		{`<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"`, "previous", "http://example.com/TheBook/chapter2"},
		{`</>; rel="http://example.net/foo"`, "http://example.net/foo", "/"},
		{`</>; rel="http://example.net/foo"`, "foo", ""},
		{`</terms>; rel="copyright"; anchor="#foo"`, "copyright", ""},
		{`</TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel`, "previous", "/TheBook/chapter2"},
		{`</TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel`, "next", "/TheBook/chapter4"},
		{`<http://example.org/>; rel="start http://example.net/relation/other"`, "start", "http://example.org/"},
		{`<http://example.org/>; rel="start http://example.net/relation/other"`, "HTTP://example.net/relation/OTHER", "http://example.org/"},
		{`<https://example.org/>; rel="start", <https://example.org/index>; rel="index"`, "index", "https://example.org/index"},
	}
	for _, tt := range tests {
		if got, _ := LinkTo(tt.relation, []string{tt.header}, address(t, asked)); got != tt.want {
			t.Errorf("%s of %s: got %q, want %q", tt.relation, tt.header, got, tt.want)
		}
	}
}

func TestLink(t *testing.T) {
	const job = `{"endpoint":"t?z=1","params":{"a":1},"headers":{"X":"1"}}`
	const none = "the header Link of the response has no URL with the relation 'next'"
	testSequences(t, []sequence{
		{name: "until there is none", settings: `{"method":"link"}`, job: job,
			responses: []string{"Link: <https://api.test/v1/t?page=2&d=9>; rel=\"next\"\n\n[1]", "Link: </t3>; rel=next\n\n[1]", "Link: <x>; rel=prev\n\n[1]"},
			sent:      []string{`t?z=1 {"a":1} {"X":"1"}`, `https://api.test/v1/t?page=2&d=9 {"X":"1"}`, `https://api.test/t3 {"X":"1"}`}, rule: none, pointer: "/method"},
		{name: "relative addresses", settings: `{"method":"link"}`,
			responses: []string{"Link: <?page=2>; rel=next\n\n[]", "Link: <next>; rel=next\n\n[]", "Link: <../a b>; rel=next\n\n[]", "Link: <//other.test/x>; rel=next\n\n[]", "\n\n[]"},
			sent:      []string{`t`, `https://api.test/v1/items/list?page=2`, `https://api.test/v1/items/next`, `https://api.test/v1/a%20b`, `https://other.test/x`}, rule: none, pointer: "/method"},
		{name: "parameters are kept, another relation", settings: `{"method":"link","includeParams":true,"rel":"older"}`, job: `{"endpoint":"t","method":"POST","params":{"a":1}}`,
			responses: []string{"LINK: </2>; rel=\"Older\"\n\n[1]", "Link: </2>; rel=next\n\n[1]"},
			sent:      []string{`POST t {"a":1}`, `POST https://api.test/2 {"a":1}`}, rule: "the header Link of the response has no URL with the relation 'older', but it has one with the relation 'next'", pointer: "/rel"},
	})
}

func TestLinkThatIsNoAddress(t *testing.T) {
	for _, target := range []string{"mailto:a@b", "http://", "http://[", "ftp://h/x", "https://h:x/"} {
		_, stop, err := walk(t, scroller(t, `{"method":"link"}`, ""), request(t, ""), 0, "Link: <"+target+">; rel=next\n\n[1]")
		const want = "the URL of the next page in the header Link is not valid: expected an http or https URL, absolute or relative (at /api/pagination/method)"
		if stop != nil || err == nil || err.Error() != want {
			t.Errorf("%s: got %v, %v", target, stop, err)
		}
	}
}

// FuzzLinkTo: a header of any form has an end, what is found is in it, and the
// address to continue with is one.
func FuzzLinkTo(f *testing.F) {
	for _, seed := range []string{`<a>; rel="next", <b>; rel=prev`, `<a>;x="\"";rel=next`, `=;,"<>`, `<a>;;=;rel`, `<//h>; rel=next; anchor=""`, `</a?b=<c>; rel="x next"`} {
		f.Add(seed)
	}
	page := PageInfo{Address: address(f, asked)}
	f.Fuzz(func(t *testing.T, header string) {
		target, ok := LinkTo("next", []string{header}, page.Address)
		if !ok {
			return
		}
		if !strings.Contains(header, target) {
			t.Errorf("%q is not in %q", target, header)
		}
		if to, err := page.resolve(target); err == nil && !strings.HasPrefix(to, "http") {
			t.Errorf("%q leads to %q", target, to)
		}
	})
}
