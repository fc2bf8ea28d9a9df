package auth

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

func TestQueryIsRebuilt(t *testing.T) {
	tests := []struct{ name, query, want string }{
		{"nothing", "", ""},
		{"plus and percent are blanks", "q=a+b%20c", "q=a%20b%20c"},
		{"unreserved characters", "q=A-z_0.9%7E~", "q=A-z_0.9~~"},
		{"everything else is encoded", "q=!*'();:@$,/?[]", "q=%21%2A%27%28%29%3B%3A%40%24%2C%2F%3F%5B%5D"},
		{"UTF-8", "č=%C5%BE", "%C4%8D=%C5%BE"},
		{"worked example", "q=a+b%7E", "q=a%20b~"},
		{"repeated names are together", "m=1&n=2&m=3", "m=1&m=3&n=2"},
		{"brackets are part of a name", "a[0]=1&a%5B0%5D=2&a=3", "a%5B0%5D=1&a%5B0%5D=2&a=3"},
		{"a name without a value", "a&b=1&a", "a&a&b=1"},
		{"an empty value", "a=", "a="},
		{"a value with an equals sign", "a=b=c", "a=b%3Dc"},
		{"no name", "=a", "=a"},
		{"empty pairs", "&&a=1&", "a=1"},
		{"an empty pair between others", "a=1&&b=2", "a=1&b=2"},
		{"an invalid escape", "a=100%", "a=100%25"},
		{"an invalid escape after a valid one", "a=a%20b%&c%20%=1", "a=a%20b%25&c%20%25=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for kind, merge := range map[string]func() string{
				"indexed": func() string {
					r := requestTo(t, "http://a.test/")
					r.URL.RawQuery = tt.query
					mergeIndexed(r.Request, testvalue.Parse(t, `{}`))
					return r.URL.RawQuery
				},
				"replaced": func() string {
					r := requestTo(t, "http://a.test/")
					r.URL.RawQuery = tt.query
					mergeReplaced(r.Request, testvalue.Parse(t, `{}`))
					return r.URL.RawQuery
				},
			} {
				if got := merge(); got != tt.want {
					t.Errorf("%s: got %s, want %s", kind, got, tt.want)
				}
			}
		})
	}
}

func TestAddedParameters(t *testing.T) {
	tests := []struct{ name, added, want string }{
		{"text", `{"k":"a b"}`, "k=a%20b"},
		{"integer", `{"k":12345678901234567890}`, "k=12345678901234567890"},
		{"fraction", `{"k":2.50}`, "k=2.5"},
		{"true", `{"k":true}`, "k=1"},
		{"false", `{"k":false}`, "k="},
		{"empty text", `{"k":""}`, "k="},
		{"null", `{"k":null}`, "k"},
		{"list", `{"l":["p","q"],"m":1}`, "l=p&l=q&m=1"},
		{"empty list", `{"l":[],"m":1}`, "m=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := requestTo(t, "http://a.test/?x=1")
			mergeIndexed(r.Request, testvalue.Parse(t, tt.added))
			if got := r.URL.RawQuery; got != "x=1&"+tt.want {
				t.Errorf("indexed: got %s, want %s", got, tt.want)
			}
			r = requestTo(t, "http://a.test/?x=1")
			mergeReplaced(r.Request, testvalue.Parse(t, tt.added))
			if got := r.URL.RawQuery; got != "x=1&"+tt.want {
				t.Errorf("replaced: got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSameNameOfALogin(t *testing.T) {
	tests := []struct{ name, query, added, want string }{
		{"different values", "a=1", `{"a":2}`, "a[0]=1&a[1]=2"},
		{"equal values", "a=1", `{"a":"1"}`, "a[0]=1&a[1]=1"},
		{"the request's list has other names", "a[0]=x&a[1]=y", `{"a":"z"}`, "a[0]=x&a[1]=y&a=z"},
		{"repeated name", "a=1&a=3", `{"a":2}`, "a[0]=1&a[0]=3&a[1]=2"},
		{"list of the login", "a=1", `{"a":[2,3]}`, "a[0]=1&a[1]=2&a[1]=3"},
		{"name without a value", "a", `{"a":2}`, "a[0]&a[1]=2"},
		{"empty texts on both sides", "a=", `{"a":""}`, "a[0]=&a[1]="},
		{"only in the login", "b=1", `{"a":2}`, "b=1&a=2"},
		{"letter case counts", "A=1", `{"a":2}`, "A=1&a=2"},
		{"plain names first, indexed ones last in the login's order", "a=1&b=2&c=3&d=4", `{"c":"C","n":"N","a":"A"}`,
			"b=2&d=4&n=N&c[0]=3&c[1]=C&a[0]=1&a[1]=A"},
		{"worked example", "verbose=1&sort=name&pin=job", `{"sid":77,"pin":"42"}`, "verbose=1&sort=name&sid=77&pin[0]=job&pin[1]=42"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := requestTo(t, "http://a.test/?"+tt.query)
			mergeIndexed(r.Request, testvalue.Parse(t, tt.added))
			want := strings.NewReplacer("[", "%5B", "]", "%5D").Replace(tt.want)
			if got := r.URL.RawQuery; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestSameNameOfOtherAuthentications(t *testing.T) {
	tests := []struct{ name, query, added, want string }{
		{"worked example", "m=2&key=job&w=a+b", `{"key":"K 1"}`, "m=2&key=K%201&w=a%20b"},
		{"all values are replaced", "k=1&x=2&k=3", `{"k":"n"}`, "k=n&x=2"},
		{"equal values", "k=1", `{"k":1}`, "k=1"},
		{"new names follow in their order", "x=1", `{"z":1,"a":2}`, "x=1&z=1&a=2"},
		{"a list replaces", "k=1&x=2", `{"k":["p","q"]}`, "k=p&k=q&x=2"},
		{"null replaces", "k=1&x=2", `{"k":null}`, "k&x=2"},
		{"an index is another name", "k[0]=1", `{"k":2}`, "k%5B0%5D=1&k=2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := requestTo(t, "http://a.test/?"+tt.query)
			mergeReplaced(r.Request, testvalue.Parse(t, tt.added))
			if got := r.URL.RawQuery; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMergedHeaders(t *testing.T) {
	tests := []struct {
		name    string
		headers []string
		added   string
		want    string
	}{
		{"others are kept", []string{"X-Env: test"}, `{"X-Acct":"ab"}`, "X-Acct: ab; X-Env: test"},
		{"same name", []string{"X-Acct: 5"}, `{"X-Acct":"ab"}`, "X-Acct: ab"},
		{"same name in another case, wherever from", []string{"x-acct: 5", "X-ACCT: 6"}, `{"X-Acct":"ab"}`, "X-Acct: ab"},
		{"names are sent as written", nil, `{"x-API-key":"k"}`, "x-API-key: k"},
		{"names that must be recognised", nil, `{"authorization":"a","cookie":"c","USER-AGENT":"u","content-length":"0"}`,
			"Authorization: a; Content-Length: 0; Cookie: c; User-Agent: u"},
		{"two cases of one name are both sent", []string{"X-A: 0"}, `{"X-A":"1","x-a":"2"}`, "X-A: 1; x-a: 2"},
		{"true", nil, `{"X-A":true}`, "X-A: 1"},
		{"false and empty", nil, `{"X-A":false,"X-B":""}`, "X-A: ; X-B: "},
		{"number", nil, `{"X-A":77}`, "X-A: 77"},
		{"list", []string{"X-A: 0"}, `{"X-A":["p","q"]}`, "X-A: p; X-A: q"},
		{"nothing", []string{"X-A: 0"}, `{}`, "X-A: 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := requestTo(t, "http://a.test/", tt.headers...)
			mergeHeaders(r.Request, testvalue.Parse(t, tt.added))
			if got := headersOf(r); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMergedHost(t *testing.T) {
	r := requestTo(t, "http://a.test/")
	mergeHeaders(r.Request, testvalue.Parse(t, `{"host":"b.test"}`))
	if r.Host != "b.test" || len(r.Header) > 0 {
		t.Errorf("got host %s and %v", r.Host, r.Header)
	}
}

// FuzzQuery checks that a query put together is taken apart into the same
// parameters, and that it can be in an address.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{"", "a=1&b=2", "a&a=&a=b=c", "q=a+b%20c%7E", "a[0]=1", "=&==", "%zz=%", "č=ž&\x00=\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := parseQuery(text)
		encoded := q.encode()
		again := parseQuery(encoded)
		if !slices.EqualFunc(q, again, func(a, b parameter) bool { return a.name == b.name && slices.Equal(a.values, b.values) }) {
			t.Errorf("%q is %v, encoded %q is %v", text, q, encoded, again)
		}
		if at := strings.IndexFunc(encoded, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"#+<>[]{}`, r) }); at >= 0 {
			t.Errorf("%q is encoded as %q", text, encoded)
		}
	})
}
