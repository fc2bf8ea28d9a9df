package httpclient

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// example are the credentials of the test vectors that Amazon has published.
func example() *signature {
	return &signature{keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", service: "service", region: "us-east-1"}
}

// signedBy returns a request signed at the time of the test vectors.
func signedBy(t *testing.T, with *signature, req *request.Request) *request.Request {
	t.Helper()
	var sent *request.Request
	step := &aws{
		next: stepFunc(func(_ context.Context, x *call) (*Response, error) {
			sent = x.Request
			return nil, nil
		}),
		with:    with,
		now:     func() time.Time { return time.Date(2015, 8, 30, 14, 36, 0, 0, time.FixedZone("", 7200)) },
		secrets: &secret.Registry{},
	}
	if _, err := step.do(t.Context(), &call{Request: req}); err != nil {
		t.Fatal(err)
	}
	return sent
}

// vector is a request for example.amazonaws.com.
func vector(t *testing.T, method, target, body string, headers ...string) *request.Request {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	if !strings.Contains(path, "://") {
		path = "https://example.amazonaws.com" + path
	}
	u, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = query
	req := &request.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}, Body: []byte(body)}
	for _, h := range headers {
		name, text, _ := strings.Cut(h, ": ")
		req.Header[name] = append(req.Header[name], text)
	}
	return req
}

func TestSignatureOfPublishedVectors(t *testing.T) {
	tests := []struct {
		name, method, target string
		headers              []string
		names, signature     string
	}{
		{"get-vanilla", "GET", "/", nil, "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query", "GET", "/?", nil, "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1", nil, "", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"get-vanilla-query-order-value", "GET", "/?Param1=value2&Param1=value1", nil, "", "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"},
		{"get-vanilla-query-unreserved", "GET", "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
			nil, "", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
		{"get-vanilla-utf8-query", "GET", "/?ሴ=bar", nil, "", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
		{"get-slash", "GET", "//", nil, "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-unreserved", "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", nil, "",
			"07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
		{"get-header-value-trim", "GET", "/", []string{`My-Header1:  value1`, `My-Header2:  "a   b   c"`}, "my-header1;my-header2;",
			"acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
		{"post-vanilla", "POST", "/", nil, "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		{"post-vanilla-query", "POST", "/?Param1=value1", nil, "", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
		{"post-header-key-sort", "POST", "/", []string{"My-Header1: value1"}, "my-header1;", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
		{"post-header-value-case", "POST", "/", []string{"My-Header1: VALUE1"}, "my-header1;", "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := signedBy(t, example(), vector(t, tt.method, tt.target, "", tt.headers...))
			if got := sent.Header.Get("X-Amz-Date"); got != "20150830T123600Z" {
				t.Errorf("the time is %s", got)
			}
			names := "host;" + tt.names + "x-amz-date"
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" + names + ", Signature=" + tt.signature
			if got := sent.Header.Get("Authorization"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// verify checks the signature of a received request like the service: of the headers
// that it lists, over the bytes that were sent.
func verify(t *testing.T, r seen, with *signature) (names string) {
	t.Helper()
	authorization := r.header.Get("Authorization")
	_, rest, _ := strings.Cut(authorization, "SignedHeaders=")
	names, given, _ := strings.Cut(rest, ", Signature=")
	method, target, _ := strings.Cut(r.line, " ")
	path, query, _ := strings.Cut(target, "?")
	var pairs []string
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && !strings.Contains(pair, "=") {
			pair += "="
		}
		pairs = append(pairs, pair)
	}
	slices.Sort(pairs)
	var lines strings.Builder
	for name := range strings.SplitSeq(names, ";") {
		text := strings.Join(r.header.Values(name), ",")
		if name == "host" {
			text = r.host
		}
		lines.WriteString(name + ":" + strings.Join(strings.Fields(text), " ") + "\n")
	}
	payload := r.header.Get("X-Amz-Content-Sha256")
	if payload == "" {
		payload = hexHash(r.body)
	}
	encoded := strings.NewReplacer("%", "%25", ":", "%3A", "+", "%2B", "$", "%24", "@", "%40").Replace(path)
	canonical := method + "\n" + encoded + "\n" + strings.Join(pairs, "&") + "\n" + lines.String() + "\n" + names + "\n" + payload
	at := r.header.Get("X-Amz-Date")
	scope := at[:8] + "/" + with.region + "/" + with.service + "/aws4_request"
	key := "AWS4" + with.secret
	for _, part := range []string{at[:8], with.region, with.service, "aws4_request", "AWS4-HMAC-SHA256\n" + at + "\n" + scope + "\n" + hexHash(canonical)} {
		h := hmac.New(sha256.New, []byte(key))
		io.WriteString(h, part)
		key = string(h.Sum(nil))
	}
	if want := hex.EncodeToString([]byte(key)); given != want || !strings.HasPrefix(authorization, "AWS4-HMAC-SHA256 Credential="+with.keyID+"/"+scope+", ") {
		t.Errorf("%s has the wrong signature\n%s\nwant %s of\n%s", r.line, authorization, want, canonical)
	}
	return names
}

func hexHash(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// signing makes a client sign.
func signing(o *Options) { o.Settings.signature = example() }

func TestSignedRequestsArriveAsTheyWereSigned(t *testing.T) {
	const plain = "host;x-amz-date"
	tests := []struct {
		name, request, line, names string
	}{
		{"nothing special", `{}`, "GET /x", plain},
		{"query is encoded again", `{"endpoint":"x?a+b=c+d&e[]=(f)&~=*&&g&e[]=%28"}`, "GET /x?a%20b=c%20d&e%5B%5D=%28f%29&~=%2A&g&e%5B%5D=%28", plain},
		{"parameters", `{"params":{"q":"a b;c","p":["2","10"]}}`, "GET /x?q=a%20b%3Bc&p%5B0%5D=2&p%5B1%5D=10", plain},
		{"path is encoded twice", `{"endpoint":"a b/%2F/č:@$+/"}`, "GET /a%20b/%2F/%C4%8D:@$+/", plain},
		{"JSON body", `{"method":"POST","params":{"q":1}}`, "POST /x", plain},
		{"form", `{"method":"FORM","params":{"q":1}}`, "POST /x", plain},
		{"custom headers", `{"headers":{"X-B":"2","x-a":"1  1","Cache-Control":"no-cache","Pragma":"x","Range":"bytes=0-1","If-Match":"e","Accept":"text/plain","From":"f","Referer":"r","X-Amzn-Trace-Id":"t","Te":"trailers","Max-Forwards":"1","Proxy-Authorization":"p","Expect":"100-continue","Trailer":"x","User-Agent":"u"}}`,
			"GET /x", "host;x-a;x-amz-date;x-b"},
		{"replaced headers", `{"headers":{"Date":"yesterday","authorization":"Basic x","x-amz-date":"20000101T000000Z"}}`, "GET /x", plain},
		{"several lines", `{"headers":{"X-A":["b","a","c"]}}`, "GET /x", "host;x-a;x-amz-date"},
		{"hash given", `{"method":"POST","headers":{"x-amz-content-sha256":"UNSIGNED-PAYLOAD"}}`, "POST /x", "host;x-amz-content-sha256;x-amz-date"},
		{"host given", `{"headers":{"Host":"Service.test:80"}}`, "GET /x", plain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, ok("1"))
			f := newFixture(t, server.URL, `{}`, nil, signing)
			v := parse(t, tt.request)
			r := config.RequestSpec{Endpoint: "x", Method: v.Field("method").Text(), Params: v.Field("params"), Headers: v.Field("headers")}
			if endpoint := v.Field("endpoint").Text(); endpoint != "" {
				r.Endpoint = endpoint
			}
			if _, err := f.do(t, r); err != nil {
				t.Fatal(err)
			}
			got := server.seen[0]
			if got.line != tt.line {
				t.Errorf("sent %s, want %s", got.line, tt.line)
			}
			if names := verify(t, got, example()); names != tt.names {
				t.Errorf("signed are %s, want %s", names, tt.names)
			}
			if at := got.header.Values("X-Amz-Date"); !slices.Equal(at, []string{"20250301T090000Z"}) || got.header.Get("Date") != "" || len(got.header.Values("Authorization")) != 1 {
				t.Errorf("the headers are %v", got.header)
			}
			_, digest, _ := strings.Cut(got.header.Get("Authorization"), "Signature=")
			if f.secrets.Mask(digest) == digest {
				t.Error("the signature is not kept secret")
			}
		})
	}
}

// Requests that Amazon's library signs differently if it gets them unchanged. The
// expected signatures are from an independent implementation.
func TestSignatureOfTheOriginalsRules(t *testing.T) {
	const plain = "host;x-amz-date"
	tests := []struct {
		name, method, target, body string
		headers                    []string
		names, signature           string
	}{
		{"headers that are not signed", "GET", "/", "", []string{"Accept: application/json", "Content-Type: text/plain", "content-length: 3", "Cache-Control: no-cache", "If-Match: e", "Range: bytes=0-1", "Accept-Encoding: gzip", "host: x"},
			plain, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"length of the body", "POST", "/", "a=1", nil, plain, "4fbb5bf1a92ffc8104fed1da813934d1a460ee9edc1b6c6308a8814d97e16021"},
		{"hash given", "POST", "/", "a=1", []string{"x-amz-content-sha256: UNSIGNED-PAYLOAD"}, "host;x-amz-content-sha256;x-amz-date", "05e1b307416f2cbcf15dd86269efd55537182ee4416101af58762e96bba470bb"},
		{"port that the scheme implies", "GET", "https://example.amazonaws.com:443/", "", nil, plain, "fd5a2ac302647754a4f7a0b30d8871340c1101a19642ebba6ef8c5e72d4a0253"},
		{"slashes in front of the path", "GET", "///a//b/", "", nil, plain, "f8014770ceb6ba22794e922eb30de35d6c50afb52e17958027dc858d24294876"},
		{"path that is encoded already", "GET", "https://s3.amazonaws.com/a b/%2F", "", nil, plain, "808e1ba797bb7c40f06ea88b5a2764b75e65a5d7ecdfd47a7a22d569c3619314"},
		{"order changed by encoding", "GET", "/?aB=1&a[0]=2&aB=[&aB=A", "", nil, plain, "16fb4484588f6f2b0f61101a0268f84a839a8f3970886be3ec53f73242c70773"},
		{"query that net/url refuses", "GET", "/?a;b=%zz&c", "", nil, plain, "2de4627d090c249a03b05632529f1d21721f6af8be12eb778a52899eb6d33040"},
		{"tabs", "GET", "/", "", []string{"X-A: 1\t \t2"}, "host;x-a;x-amz-date", "9d8f260dfb7f1eef2c724736f85171a952f2b5764540f7ed84ebbee643c7f2da"},
		{"several lines and spellings", "GET", "/", "", []string{"X-A: b", "X-A: a", "x-a: 0"}, "host;x-a;x-amz-date", "67fdbdebf4f450463dc8b4f4525be0283df68207a8ab5e54946decda327084c4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := signedBy(t, example(), vector(t, tt.method, tt.target, tt.body, tt.headers...))
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" + tt.names + ", Signature=" + tt.signature
			if got := sent.Header.Get("Authorization"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestHeaderOfSeveralLinesIsSentAsItWasSigned(t *testing.T) {
	req := vector(t, "GET", "/", "", "X-A: b", "X-A: a\u00a0", "x-a: 0")
	sent := signedBy(t, example(), req)
	equal(t, "lines on the wire", sent.Header["X-A"], []string{"a", "b"})
	equal(t, "lines of the request itself", req.Header["X-A"], []string{"b", "a\u00a0"})
}

// Without the check the library would sign an empty query.
func TestTooManyParametersAreNotSigned(t *testing.T) {
	query := strings.Repeat("a&", 10000)
	signedBy(t, example(), vector(t, "GET", "/?"+query, ""))
	_, err := (&aws{with: example(), now: today, secrets: &secret.Registry{}}).do(t.Context(), &call{Request: vector(t, "GET", "/?"+query+"a", "")})
	if err == nil || !strings.Contains(err.Error(), "10001 parameters") {
		t.Errorf("got %v", err)
	}
}

func TestSignatureReplacesOtherCredentials(t *testing.T) {
	server := serve(t, ok("1"))
	base := strings.Replace(server.URL, "//", "//ann:s3cret@", 1)
	f := newFixture(t, base, `{}`, authenticated(func(r *auth.Attempt) error {
		r.Header.Set("Authorization", "Basic YW5uOnMzY3JldA==")
		r.URL.RawQuery = "token=t"
		return nil
	}), signing)
	if _, err := f.get(t, "x"); err != nil {
		t.Fatal(err)
	}
	verify(t, server.seen[0], example())
	if got := server.seen[0].line; got != "GET /x?token=t" {
		t.Errorf("sent %s, want the query of the authentication in it", got)
	}
}

func FuzzSignature(f *testing.F) {
	f.Add("/a//b", "x=1&y&z=%zz&=;", "X-A", "v")
	f.Fuzz(func(t *testing.T, path, query, name, text string) {
		req := vector(t, "GET", "/", "")
		req.URL.Path, req.URL.RawQuery = path, query
		req.Header[name] = []string{text}
		sent := signedBy(t, example(), req)
		again, err := strictQuery(sent.URL.RawQuery)
		if err != nil || again != sent.URL.RawQuery {
			t.Errorf("the query %q is sent as %q, which is encoded as %q", query, sent.URL.RawQuery, again)
		}
	})
}
