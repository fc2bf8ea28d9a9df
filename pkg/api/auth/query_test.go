package auth

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"testing"
	"time"
)

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestQuery(t *testing.T) {
	for _, tt := range []struct {
		name, query, address, want string
	}{
		{"one literal", `{"key":"K1"}`, "/items", "/items?key=K1"},
		{"appended in order", `{"b":"2","a":"1"}`, "/items?z=0", "/items?z=0&b=2&a=1"},
		{"the exact name only", `{"K":"n","a":"m"}`, "/items?k=1&a%5B0%5D=2", "/items?k=1&a%5B0%5D=2&K=n&a=m"},
		{"names and values are encoded", `{"k é[]":"a&b=/~č"}`, "/items", "/items?k%20%C3%A9%5B%5D=a%26b%3D%2F~%C4%8D"},
		{"attributes", `{"key":{"attr":"#k"},"sub":{"attr":"a.b"}}`, "/items", "/items?key=S&sub=7"},
		{"signature of a parameter", `{"sig":{"function":"md5","args":[{"function":"concat","args":[{"attr":"#k"},{"query":"type"}]}]}}`,
			"/items?type=new&page=2", "/items?type=new&page=2&sig=" + md5Hex("Snew")},
		{"repeated parameters", `{"sig":{"function":"concat","args":[{"query":"k.1"},{"query":"k.0"}]}}`, "/items?k=a&k=b", "/items?k=a&k=b&sig=ba"},
		{"name as it is after decoding", `{"sig":{"query":"f[a]"}}`, "/items?f%5Ba%5D=x", "/items?f%5Ba%5D=x&sig=x"},
		{"parts of the request", `{"sig":{"function":"implode","args":["|",[{"request":"method"},{"request":"hostname"},{"request":"port"},{"request":"path"},{"request":"queryString"}]]}}`,
			"/items?a=b+c", "/items?a=b%20c&sig=GET%7Capi.test%7C80%7C%2Fitems%7Ca%3Db%2Bc"},
		{"address and resource", `{"u":{"request":"url"},"r":{"request":"resource"}}`, "/i?a=1", "/i?a=1&u=http%3A%2F%2Fapi.test%2Fi%3Fa%3D1&r=%2Fi%3Fa%3D1"},
		{"all see the request as it came", `{"a":"new","b":{"query":"a"},"c":{"request":"queryString"}}`, "/i?a=old", "/i?a=new&b=old&c=a%3Dold"},
		{"time", `{"t":{"function":"time"}}`, "/i", "/i?t=" + trialSeconds},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"query", "url.query"} {
				tr := trial{authentication: `{"type":"` + name + `","query":` + tt.query + `}`, config: `{"#k":"S","a":{"b":7}}`}
				r := requestTo(t, "http://api.test"+tt.address)
				sent := attempt(t, tr.start(t, newWorld(t)), r)
				if got := sent.URL.String(); got != "http://api.test"+tt.want {
					t.Errorf("%s:\n%s, want\nhttp://api.test%s", name, got, tt.want)
				}
				if len(sent.Header) > 0 {
					t.Errorf("headers %v", sent.Header)
				}
			}
		})
	}
}

// TestQueryEachRequest shows that everything is computed for each request, and
// that a repeated one gets nothing twice.
func TestQueryEachRequest(t *testing.T) {
	w := newWorld(t)
	a := trial{authentication: `{"type":"query","query":{"t":{"function":"time"},"p":{"function":"concat","args":["p",{"query":"page"}]}}}`}.
		start(t, w)
	for _, page := range []string{"1", "2", "2"} {
		w.clock.Advance(time.Second)
		r := requestTo(t, "http://api.test/items?page="+page)
		want := fmt.Sprintf("page=%s&t=%d&p=p%s", page, w.clock.Now().Unix(), page)
		for range 2 {
			if got := attempt(t, a, r).URL.RawQuery; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

// TestQueryOfOldPlace shows that `api.query` counts when the proper place is
// empty.
func TestQueryOfOldPlace(t *testing.T) {
	for _, tt := range []struct{ name, authentication, want string }{
		{"alone", `{"type":"query"}`, "key=old"},
		{"beside an empty one", `{"type":"url.query","query":[]}`, "key=old"},
		{"beside another", `{"type":"query","query":{"key":"new"}}`, "key=new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := trial{authentication: tt.authentication, query: `{"key":{"attr":"k"}}`, config: `{"k":"old"}`}.start(t, newWorld(t))
			if got := attempt(t, a, requestTo(t, "http://api.test/items")).URL.RawQuery; got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	trial{authentication: `{"type":"query"}`, query: `{"key":{"attr":"nope"}}`}.
		checkProblems(t, `/parameters/api/query/key/attr: expected the path of a string, number or boolean that exists in "attr"`)
}

func TestQueryProblems(t *testing.T) {
	const place = "/parameters/api/authentication/query"
	for _, tt := range []struct {
		name, authentication string
		want                 []string
	}{
		{"empty", `{"type":"url.query","query":{}}`, []string{place + ": query authentication needs the object 'query'"}},
		{"null", `{"type":"query","query":null}`, []string{place + ": query authentication needs the object 'query'"}},
		{"list", `{"type":"query","query":["k"]}`, []string{place + ": expected an object"}},
		{"unknown attribute", `{"type":"query","query":{"a":{"attr":"nope"}}}`,
			[]string{place + `/a/attr: expected the path of a string, number or boolean that exists in "attr"`}},
		{"unknown part of the request", `{"type":"query","query":{"a":{"request":"body"}}}`,
			[]string{place + `/a/request: expected the path of a string, number or boolean that exists in "request"`}},
		{"context that is not there", `{"type":"query","query":{"a":{"response":"token"},"b":{"authorization":"data"}}}`,
			[]string{place + "/a: " + expectedText, place + "/b: " + expectedText}},
		{"object", `{"type":"query","query":{"a":{"b":1},"c":{}}}`, []string{place + "/a: " + expectedText, place + "/c: " + expectedText}},
		{"list that is not a list of texts", `{"type":"query","query":{"a":[["b"]],"b":[],"c":[{"time":"#k"}]}}`,
			[]string{place + "/a: " + expectedText, place + "/b: " + expectedText, place + "/c: " + expectedText}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trial{authentication: tt.authentication}.checkProblems(t, tt.want...)
		})
	}
}

func TestQueryErrors(t *testing.T) {
	for _, tt := range []struct {
		name, query, text, pointer string
	}{
		{"parameter that the request lacks", `{"a":{"query":"nope"}}`, `query "nope" not found`, "/a"},
		{"parameter without value", `{"a":{"query":"n"}}`, `query "n" not found`, "/a"},
		{"list under its plain name", `{"a":{"query":"k"}}`, `query "k" not found`, "/a"},
		{"failing function", `{"a":{"function":"hash","args":[{"query":"t"},"x"]}}`, "hash", "/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := trial{authentication: `{"type":"query","query":` + tt.query + `}`}.start(t, newWorld(t))
			r := requestTo(t, "http://api.test/items?n&k=1&k=2&t=s3cret")
			err := a.Authenticate(t.Context(), r)
			wantUserError(t, err, "/parameters/api/authentication/query"+tt.pointer, tt.text)
		})
	}
}

// TestQuerySecrets shows that what is computed is masked, and what merely
// repeats the request or a plain attribute is not.
func TestQuerySecrets(t *testing.T) {
	w := newWorld(t)
	a := trial{
		authentication: `{"type":"query","query":{"sig":{"function":"md5","args":[{"attr":"#k"}],"query":"ignored"},"type":{"query":"kind"},"p":{"request":"path"},"who":{"attr":"name"},"lit":"plainword"}}`,
		config:         `{"#k":"S","name":"somebody"}`,
	}.start(t, w)
	sent := attempt(t, a, requestTo(t, "http://api.test/items?kind=fresh"))
	want := "kind=fresh&sig=[hidden]&type=fresh&p=%2Fitems&who=somebody&lit=plainword"
	if got := w.secrets.Mask(sent.URL.RawQuery); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestQueryOfNoTime: an odd value of one request does not end the run, and is
// reported once.
func TestQueryOfNoTime(t *testing.T) {
	w := newWorld(t)
	a := trial{authentication: `{"type":"query","query":{"day":{"function":"date","args":["Y-m-d",{"query":"t"}]}}}`}.start(t, w)
	for address, want := range map[string]string{
		"http://api.test/items?t=s3cret":     "t=s3cret&day=",
		"http://api.test/items?t=soon":       "t=soon&day=",
		"http://api.test/items?t=1700000000": "t=1700000000&day=2023-11-14",
	} {
		if got := attempt(t, a, requestTo(t, address)).URL.RawQuery; got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
	if len(w.events) != 1 || w.events[0].Message != "Configuration: /parameters/api/authentication/query/day: date: argument 2 is not a number of seconds, the result is empty" {
		t.Errorf("got the events %v, want one warning", w.events)
	}
}
