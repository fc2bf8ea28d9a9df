package target

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// signature is `aws.signature.credentials`: what signature version 4 of Amazon
// Web Services is computed from.
type signature struct {
	keyID, secret, service, region string
}

// compileSignature reads the section `aws`. Missing keys are problems already.
func compileSignature(s config.Section) *signature {
	if !s.Present() {
		return nil
	}
	credentials := s.Get("signature").Get("credentials")
	return &signature{
		keyID:   credentials.Text("accessKeyId", ""),
		secret:  credentials.Text("#secretKey", ""),
		service: credentials.Text("serviceName", ""),
		region:  credentials.Text("regionName", ""),
	}
}

// aws signs every request in its headers: each attempt, each login, each hop of
// a redirect that stays on its origin.
//
// The recipe is written out here, on the cryptography of the standard library:
// which headers are signed is that of the original, and no library lets us say
// so.
type aws struct {
	next    http.RoundTripper
	with    *signature
	now     func() time.Time
	secrets *secret.Registry
}

var _ http.RoundTripper = (*aws)(nil)

const (
	awsAlgorithm = "AWS4-HMAC-SHA256"
	awsTime      = "20060102T150405Z"
	awsDate      = "X-Amz-Date"
)

// RoundTrip implements http.RoundTripper.
func (t *aws) RoundTrip(req *http.Request) (*http.Response, error) {
	if foreign(req.Context()) {
		return t.next.RoundTrip(req)
	}
	payload, err := payloadHash(req)
	if err != nil {
		return nil, err
	}
	signed := req.Clone(req.Context())
	for name := range signed.Header {
		if slices.Contains([]string{"date", "authorization", "x-amz-date"}, strings.ToLower(name)) {
			delete(signed.Header, name)
		}
	}
	at := t.now().UTC().Format(awsTime)
	signed.Header.Set(awsDate, at)
	pairs := queryPairs(req.URL.RawQuery)
	signed.URL.RawQuery = strings.Join(pairs, "&")
	names, lines := signedHeaders(signed)
	text := strings.Join([]string{signed.Method, signedPath(signed.URL), signedQuery(pairs), lines, names, payload}, "\n")
	scope, digest := t.with.sign(text, at)
	t.secrets.AddPassing(digest)
	signed.Header.Set("Authorization", awsAlgorithm+" Credential="+t.with.keyID+"/"+scope+", SignedHeaders="+names+", Signature="+digest)
	return t.next.RoundTrip(signed)
}

// sign gives the scope and the signature of a canonical request at a time.
func (s *signature) sign(text, at string) (scope, digest string) {
	const end = "aws4_request"
	day := at[:len("20060102")]
	scope = strings.Join([]string{day, s.region, s.service, end}, "/")
	key := []byte("AWS4" + s.secret)
	for _, part := range []string{day, s.region, s.service, end} {
		key = mac(key, part)
	}
	hash := sha256.Sum256([]byte(text))
	return scope, hex.EncodeToString(mac(key, strings.Join([]string{awsAlgorithm, at, scope, hex.EncodeToString(hash[:])}, "\n")))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// payloadHash is the hash of the body, or what the request says it is.
func payloadHash(req *http.Request) (string, error) {
	if given := headerLines(req.Header, "X-Amz-Content-Sha256"); len(given) > 0 {
		return given[0], nil
	}
	h := sha256.New()
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, body)
		if err := cmp.Or(err, body.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// signedPath is the path as it is sent, encoded once more.
func signedPath(u *url.URL) string {
	path := percentEncode(strings.TrimLeft(u.EscapedPath(), "/"))
	return "/" + strings.ReplaceAll(path, "%2F", "/")
}

// queryPairs are the pairs of a query, strictly percent-encoded anew: so they
// are sent.
func queryPairs(query string) []string {
	var pairs []string
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, text, ok := strings.Cut(pair, "=")
		pair = percentEncode(config.UnescapeQuery(name))
		if ok {
			pair += "=" + percentEncode(config.UnescapeQuery(text))
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// signedQuery are the pairs in their order of names, then of values, as they
// are encoded.
func signedQuery(pairs []string) string {
	type parameter struct{ name, text string }
	var all []parameter
	for _, pair := range pairs {
		name, text, _ := strings.Cut(pair, "=")
		all = append(all, parameter{name, text})
	}
	slices.SortFunc(all, func(a, b parameter) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.text, b.text))
	})
	var b strings.Builder
	for i, p := range all {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name + "=" + p.text)
	}
	return b.String()
}

// signedHeaders are the names of the signed headers, and a line for each of
// them. The values of a header with several lines are sorted, and sent in that
// order, for the server joins them as they arrive.
func signedHeaders(req *http.Request) (names, lines string) {
	values := map[string][]string{"host": {cmp.Or(req.Host, req.URL.Host)}}
	for name, texts := range req.Header {
		if name = strings.ToLower(name); !unsigned(name) {
			slices.Sort(texts)
			values[name] = append(values[name], texts...)
		}
	}
	sorted := slices.Sorted(maps.Keys(values))
	var b strings.Builder
	for _, name := range sorted {
		for i, text := range values[name] {
			values[name][i] = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' }), " ")
		}
		slices.Sort(values[name])
		b.WriteString(name + ":" + strings.Join(values[name], ",") + "\n")
	}
	return strings.Join(sorted, ";"), b.String()
}

// unsigned tells the headers that are left out of a signature: those that a
// server on the way may change, as the original has them, and those of ours
// that no author of a configuration asked for or that are never sent.
func unsigned(name string) bool {
	switch name {
	case "cache-control", "content-type", "content-length", "expect", "max-forwards", "pragma", "range", "te",
		"accept", "authorization", "proxy-authorization", "from", "referer", "user-agent", "x-amzn-trace-id":
		return true
	case "accept-encoding", "host", "transfer-encoding", "trailer":
		return true
	}
	return strings.HasPrefix(name, "if-")
}

// percentEncode is RFC 3986: everything but letters, digits, - . _ ~ encoded.
func percentEncode(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
