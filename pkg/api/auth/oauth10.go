package auth

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// oauth10 signs every request with OAuth 1.0, using HMAC-SHA1 or HMAC-SHA256. It signs
// parameters in the query and in a form. A JSON body is not signed.
//
// The signature is implemented here with the cryptography of the standard library,
// because clock and random bytes must be injected and because two rules belong only to
// the original extractor. First, if a name occurs several times, only the parameter of
// OAuth is signed, otherwise the parameter of the form, otherwise the parameter of the
// query. Second, a name without = is not signed.
type oauth10 struct {
	credentials                 *oauthCredentials
	consumer, token             string
	consumerSecret, tokenSecret string
	data                        value.Value
	method, realm               string
}

var (
	signatureMethod = field.Text("signatureMethod", "Signature method", "How requests are signed, `HMAC-SHA1` by default.").
			Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices(hmacSHA1, hmacSHA256)}).Example(`"HMAC-SHA256"`)
	realm = field.Text("realm", "Realm", "The realm in the header `Authorization`, for APIs that require one. It is not signed.").
		Typed(&field.Type{Kinds: []string{"string", "number"}, Pattern: field.NewPattern(`^[^\x00-\x1f\x7f]*$`), Message: "expected a text without line breaks and control characters"}).Example(`"123456_SB1"`)
)

const (
	hmacSHA1   = "HMAC-SHA1"
	hmacSHA256 = "HMAC-SHA256"
)

func oauth10Scheme() Scheme {
	return Scheme{Name: "oauth10", Settings: []field.Declaration{signatureMethod, realm}, Platform: true, SetsAuthorization: true, Compile: compileOAuth10}
}

func compileOAuth10(s CompileInput) Method {
	c := s.credentials()
	o := oauth10{credentials: c, consumer: c.id, consumerSecret: c.secret, data: c.decoded("expected the JSON text of an object", value.Object),
		method: signatureMethod.Of(s.Section), realm: realm.Of(s.Section)}
	if o.data.Kind() == value.Object {
		o.token = c.member(o.data, "oauth_token")
		o.tokenSecret = c.member(o.data, "oauth_token_secret")
	}
	c.report()
	return o
}

func (o oauth10) Start(d *env.Run, _ *state.IterationValues) Authenticator {
	o.credentials.registerSecrets(d.Secrets, o.data)
	d.Secrets.Add(o.token)
	d.Secrets.Add(o.tokenSecret)
	return authenticatorFunc(func(_ context.Context, r *Attempt) error {
		nonce, err := deps{d}.nonce(20)
		if err != nil {
			return err
		}
		protocol, signature := o.sign(r.Request, nonce, d.Now())
		d.Secrets.AddTemporary(signature)
		var fields []string
		if o.realm != "" {
			fields = append(fields, `realm="`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(o.realm)+`"`)
		}
		for _, p := range protocol {
			fields = append(fields, p.name+`="`+php.RawURLEncode(p.values[0].s)+`"`)
		}
		mergeHeaders(r.Request, value.OfMembers(value.Member{Name: "Authorization", Value: value.OfString("OAuth " + strings.Join(fields, ", "))}))
		return nil
	})
}

// sign returns the parameters of OAuth, sorted by name. The signature of the request is
// one of them.
func (s oauth10) sign(r *request.Request, nonce string, now time.Time) (protocol query, signature string) {
	protocol.add("oauth_consumer_key", optionalText{s: s.consumer})
	protocol.add("oauth_nonce", optionalText{s: nonce})
	protocol.add("oauth_signature_method", optionalText{s: cmp.Or(s.method, hmacSHA1)})
	protocol.add("oauth_timestamp", optionalText{s: strconv.FormatInt(now.Unix(), 10)})
	protocol.add("oauth_token", optionalText{s: s.token})
	protocol.add("oauth_version", optionalText{s: "1.0"})
	newHash := sha1.New
	if s.method == hmacSHA256 {
		newHash = sha256.New
	}
	mac := hmac.New(newHash, []byte(php.RawURLEncode(s.consumerSecret)+"&"+php.RawURLEncode(s.tokenSecret)))
	mac.Write([]byte(baseString(r, slices.Concat(protocol, formOf(r), parseQuery(r.URL.RawQuery)))))
	signature = base64.StdEncoding.EncodeToString(mac.Sum(nil))
	protocol.add("oauth_signature", optionalText{s: signature})
	slices.SortFunc(protocol, byName)
	return protocol, signature
}

func byName(a, b parameter) int { return strings.Compare(a.name, b.name) }

// baseString returns the text to sign: method, URL and parameters. If a name occurs twice
// in the list, the first parameter counts. The values of one parameter are sorted.
func baseString(r *request.Request, parameters query) string {
	var signed query
	for _, p := range parameters {
		if signed.find(p.name) < 0 {
			p.values = slices.DeleteFunc(slices.Clone(p.values), func(v optionalText) bool { return v.missing })
			slices.SortFunc(p.values, func(a, b optionalText) int { return cmp.Compare(php.RawURLEncode(a.s), php.RawURLEncode(b.s)) })
			signed = append(signed, p)
		}
	}
	slices.SortFunc(signed, byName)
	address := r.URL.Scheme + "://" + r.URL.Host + r.URL.EscapedPath()
	return r.Method + "&" + php.RawURLEncode(address) + "&" + php.RawURLEncode(signed.encode())
}

func formOf(r *request.Request) query {
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded") {
		return nil
	}
	return parseQuery(string(r.Body))
}
