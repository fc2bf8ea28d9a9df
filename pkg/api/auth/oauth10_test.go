package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

const (
	oauth10Credentials = `{"#data":"{\"oauth_token\":\"t/1\",\"oauth_token_secret\":\"s&2\"}","appKey":"ck","#appSecret":"cs 3"}`
	oauth10Type        = `{"type":"oauth10"}`
)

// TestOAuth10Vectors are published examples.
func TestOAuth10Vectors(t *testing.T) {
	for _, tt := range []struct {
		name      string
		oauth10   oauth10
		request   *Attempt
		nonce     string
		timestamp int64
		signature string
	}{
		{
			name: "OAuth Core 1.0, appendix A",
			oauth10: oauth10{consumer: "dpf43f3p2l4k3l03", consumerSecret: "kd94hf93k423kf44",
				token: "nnch734d00sl2jdk", tokenSecret: "pfkkdhi9sl3r4s00"},
			request: requestTo(t, "http://photos.example.net/photos?file=vacation.jpg&size=original"),
			nonce:   "kllo9940pd9333jh", timestamp: 1191242096, signature: "tR3+Ty81lMeYAr/Fid0kMTYa/WM=",
		},
		{
			name: "a form, Twitter's documentation",
			oauth10: oauth10{consumer: "xvz1evFS4wEEPTGEFPHBog", consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
				token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"},
			request: post(t, "https://api.twitter.com/1/statuses/update.json?include_entities=true", "application/x-www-form-urlencoded",
				"status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21"),
			nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", timestamp: 1318622958, signature: "tnnArxj06cWHq44gCs1OSKk/jLY=",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, signature := tt.oauth10.sign(tt.request.Request, tt.nonce, time.Unix(tt.timestamp, 0))
			if got := q[q.find("oauth_signature")].values[0].s; got != tt.signature || signature != tt.signature {
				t.Errorf("signature %s, %s, want %s", got, signature, tt.signature)
			}
		})
	}
}

// TestOAuth10 signs requests and compares with the recipe, done by hand: the
// parameters that must be signed are in the table, in order and encoded.
func TestOAuth10(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	oauth := func(nonce string) string {
		return "oauth_consumer_key=ck&oauth_nonce=" + nonce +
			"&oauth_signature_method=HMAC-SHA1&oauth_timestamp=" + trialSeconds + "&oauth_token=t%2F1&oauth_version=1.0"
	}(counted(0, 20))
	for _, tt := range []struct {
		name       string
		request    *Attempt
		address    string
		parameters string
	}{
		{"no parameters", requestTo(t, "http://api.test/users"), "GET&http%3A%2F%2Fapi.test%2Fusers", oauth},
		{"root", requestTo(t, "http://api.test/"), "GET&http%3A%2F%2Fapi.test%2F", oauth},
		{"query, sorted by name", requestTo(t, "http://api.test/u?z=1&a=2&b=3"), "GET&http%3A%2F%2Fapi.test%2Fu", "a=2&b=3&" + oauth + "&z=1"},
		{"bytes decide: upper case first", requestTo(t, "http://api.test/u?b=1&B=2&_=3&1=4"), "GET&http%3A%2F%2Fapi.test%2Fu", "1=4&B=2&_=3&b=1&" + oauth},
		{"encoding", requestTo(t, "http://api.test/u?q=a+b%7E%2A%C4%8D&f%5Bx%5D=%28%29"), "GET&http%3A%2F%2Fapi.test%2Fu",
			"f%5Bx%5D=%28%29&" + oauth + "&q=a%20b~%2A%C4%8D"},
		{"repeated names, sorted by value", requestTo(t, "http://api.test/u?t=z&a=1&t=b&t=%C4%8D"), "GET&http%3A%2F%2Fapi.test%2Fu",
			"a=1&" + oauth + "&t=%C4%8D&t=b&t=z"},
		{"names without = are left out", requestTo(t, "http://api.test/u?n&e=&t&t=1"), "GET&http%3A%2F%2Fapi.test%2Fu", "e=&" + oauth + "&t=1"},
		{"OAuth's parameters win", requestTo(t, "http://api.test/u?oauth_token=mine&a=1"), "GET&http%3A%2F%2Fapi.test%2Fu", "a=1&" + oauth},
		{"also over those of a form", post(t, "http://api.test/u", form, "oauth_nonce=mine&oauth_version=2"), "POST&http%3A%2F%2Fapi.test%2Fu", oauth},
		{"port that is not implicit", requestTo(t, "https://api.test:8443/u"), "GET&https%3A%2F%2Fapi.test%3A8443%2Fu", oauth},
		{"encoded path", requestTo(t, "http://api.test/a%20b/%C4%8D"), "GET&http%3A%2F%2Fapi.test%2Fa%2520b%2F%25C4%258D", oauth},
		{"user and password are no part of the address", requestTo(t, "http://ann:s3@api.test/u"), "GET&http%3A%2F%2Fapi.test%2Fu", oauth},
		{"form", post(t, "http://api.test/u?z=1", form, "b=x+y&a=%26"), "POST&http%3A%2F%2Fapi.test%2Fu", "a=%26&b=x%20y&" + oauth + "&z=1"},
		{"form wins over the query", post(t, "http://api.test/u?b=query&c=3", form, "b=form"), "POST&http%3A%2F%2Fapi.test%2Fu", "b=form&c=3&" + oauth},
		{"empty form", post(t, "http://api.test/u", form, ""), "POST&http%3A%2F%2Fapi.test%2Fu", oauth},
		{"JSON is not signed", post(t, "http://api.test/u?z=1", "application/json", `{"a":1}`), "POST&http%3A%2F%2Fapi.test%2Fu", oauth + "&z=1"},
		{"a form with a charset is one, too", post(t, "http://api.test/u", form+"; charset=utf-8", "a=1"), "POST&http%3A%2F%2Fapi.test%2Fu", "a=1&" + oauth},
		{"nor is a body of another content type", post(t, "http://api.test/u", form+"2", "a=1"), "POST&http%3A%2F%2Fapi.test%2Fu", oauth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := trial{authentication: oauth10Type, credentials: oauth10Credentials}.start(t, newWorld(t))
			sent := attempt(t, a, tt.request)
			mac := hmac.New(sha1.New, []byte("cs%203&s%262"))
			mac.Write([]byte(tt.address + "&" + strings.ReplaceAll(url.QueryEscape(tt.parameters), "+", "%20")))
			want := fmt.Sprintf(`OAuth oauth_consumer_key="ck", oauth_nonce="%s", oauth_signature="%s", oauth_signature_method="HMAC-SHA1", `+
				`oauth_timestamp="%s", oauth_token="t%%2F1", oauth_version="1.0"`,
				counted(0, 20), url.QueryEscape(base64.StdEncoding.EncodeToString(mac.Sum(nil))), trialSeconds)
			if got := sent.Header["Authorization"]; !slices.Equal(got, []string{want}) {
				t.Errorf("Authorization:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
			}
			if got := sent.URL.String(); got != tt.request.URL.String() {
				t.Errorf("the address became %s", got)
			}
		})
	}
}

// verify recomputes a signature as a receiver does, from the request alone.
func verify(t *testing.T, r *Attempt, consumerSecret, tokenSecret string) {
	t.Helper()
	header, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	if !ok {
		t.Fatalf("Authorization: %v", r.Header["Authorization"])
	}
	var pairs []string
	pair := func(name, value string) {
		escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
		pairs = append(pairs, escape(name)+"="+escape(value))
	}
	signature := ""
	for _, field := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(header, -1) {
		value, err := url.QueryUnescape(field[2])
		if err != nil {
			t.Fatal(err)
		}
		if field[1] == "oauth_signature" {
			signature = value
			continue
		}
		pair(field[1], value)
	}
	received := &http.Request{Method: r.Method, URL: r.URL, Header: r.Header, Body: io.NopCloser(bytes.NewReader(r.Body))}
	if err := received.ParseForm(); err != nil {
		t.Fatal(err)
	}
	for name, values := range received.Form {
		for _, value := range values {
			pair(name, value)
		}
	}
	sort.Strings(pairs)
	mac := hmac.New(sha1.New, []byte(url.QueryEscape(consumerSecret)+"&"+url.QueryEscape(tokenSecret)))
	mac.Write([]byte(r.Method + "&" + url.QueryEscape(r.URL.Scheme+"://"+r.URL.Host+r.URL.EscapedPath()) + "&" + url.QueryEscape(strings.Join(pairs, "&"))))
	if want := base64.StdEncoding.EncodeToString(mac.Sum(nil)); signature != want {
		t.Errorf("signature %s, a receiver expects %s", signature, want)
	}
}

// TestOAuth10EachAttempt shows that each attempt is signed again, with its body,
// and that nothing is sent twice.
func TestOAuth10EachAttempt(t *testing.T) {
	w := newWorld(t)
	a := trial{
		authentication: oauth10Type,
		credentials:    `{"#data":"{\"oauth_token\":\"tk\",\"oauth_token_secret\":\"ts\"}","appKey":"ck","#appSecret":"cs"}`,
	}.start(t, w)
	r := post(t, "http://api.test/u?page=1", "application/x-www-form-urlencoded", "a=1&b=x+y")
	r.Header["authorization"] = []string{"of a job"}
	for i := range 3 {
		w.clock.Advance(time.Second)
		sent := attempt(t, a, r)
		verify(t, sent, "cs", "ts")
		if len(sent.Header) != 2 || len(sent.Header["Authorization"]) != 1 {
			t.Errorf("headers %v", sent.Header)
		}
		header := sent.Header.Get("Authorization")
		for _, text := range []string{
			`oauth_nonce="` + counted(20*i, 20) + `"`,
			fmt.Sprintf(`oauth_timestamp="%d"`, w.clock.Now().Unix()),
		} {
			if strings.Count(header, text) != 1 {
				t.Errorf("attempt %d lacks %s: %s", i, text, header)
			}
		}
	}
}

// TestOAuth10Numbers shows that keys and tokens may be numbers.
func TestOAuth10Numbers(t *testing.T) {
	a := trial{
		authentication: oauth10Type,
		credentials:    `{"#data":"{\"oauth_token\":12345678901234567890,\"oauth_token_secret\":7}","appKey":42,"#appSecret":9}`,
	}.start(t, newWorld(t))
	sent := attempt(t, a, requestTo(t, "http://api.test/u"))
	verify(t, sent, "9", "7")
	for _, text := range []string{`oauth_consumer_key="42"`, `oauth_token="12345678901234567890"`} {
		if header := sent.Header.Get("Authorization"); !strings.Contains(header, text) {
			t.Errorf("%s lacks %s", header, text)
		}
	}
}

// TestOAuth10Random shows that the nonce is random by default.
func TestOAuth10Random(t *testing.T) {
	method, _ := trial{authentication: oauth10Type, credentials: oauth10Credentials}.compile(t)
	a := method.Start(&env.Run{Now: time.Now, Secrets: &secret.Registry{}}, nil)
	seen := map[string]bool{}
	for range 3 {
		nonce := regexp.MustCompile(`oauth_nonce="([0-9a-f]{40})"`).FindStringSubmatch(attempt(t, a, requestTo(t, "http://api.test/u")).Header.Get("Authorization"))
		if nonce == nil || seen[nonce[1]] {
			t.Errorf("nonce %v", nonce)
			continue
		}
		seen[nonce[1]] = true
	}
}

// TestOAuth10Secrets lists what no event shows.
func TestOAuth10Secrets(t *testing.T) {
	w := newWorld(t)
	a := trial{authentication: oauth10Type, credentials: oauth10Credentials}.start(t, w)
	header := attempt(t, a, requestTo(t, "http://api.test/u")).Header.Get("Authorization")
	want := `OAuth oauth_consumer_key="ck", oauth_nonce="` + counted(0, 20) + `", oauth_signature="[hidden]", oauth_signature_method="HMAC-SHA1", ` +
		`oauth_timestamp="` + trialSeconds + `", oauth_token="[hidden]", oauth_version="1.0"`
	if got := w.secrets.Mask(header); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, secret := range []string{"cs 3", `{"oauth_token":"t/1","oauth_token_secret":"s&2"}`} {
		if got := w.secrets.Mask("<" + secret + ">"); got != "<[hidden]>" {
			t.Errorf("%s is reported as %s", secret, got)
		}
	}
}

type brokenSource struct{}

func (brokenSource) Read([]byte) (int, error) { return 0, errors.New("out of order") }

// TestNonceFails shows that without random bytes nothing is sent, and that this
// is not the user's fault.
// TestBaseStringTakesTheFirstOfANameOnly: also where the name is the very first.
func TestBaseStringTakesTheFirstOfANameOnly(t *testing.T) {
	parameters := query{{"a", []optionalText{{s: "1"}}}, {"b", []optionalText{{s: "2"}}}, {"a", []optionalText{{s: "3"}}}, {"b", []optionalText{{s: "4"}}}}
	if got, want := baseString(requestTo(t, "http://a.test/x").Request, parameters), "GET&http%3A%2F%2Fa.test%2Fx&a%3D1%26b%3D2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNonceFails(t *testing.T) {
	for _, authentication := range []string{oauth10Type, `{"type":"oauth20"}`} {
		method, _ := trial{authentication: authentication, credentials: oauth10Credentials}.compile(t)
		a := method.Start(&env.Run{Now: today, Secrets: &secret.Registry{}, Rand: brokenSource{}}, nil)
		err := a.Authenticate(t.Context(), requestTo(t, "http://api.test/u"))
		if err == nil || !strings.Contains(err.Error(), "out of order") || failure.KindOf(err) != failure.Application {
			t.Errorf("%s: %v", authentication, err)
		}
	}
}
