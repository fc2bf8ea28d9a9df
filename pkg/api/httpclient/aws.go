package httpclient

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// signature is `aws.signature.credentials`, for AWS signature version 4.
type signature struct {
	keyID, secret, service, region string
}

// AWS is the section `aws`.
var (
	AWS            = field.Of("aws", "AWS", "Signs every request for Amazon Web Services.", field.Object("aws", "AWS", "Signature version 4 of Amazon Web Services.", awsSignature))
	awsSignature   = field.Of("signature", "Signature", "The credentials of the signature.", field.Object("", "Signature", "The credentials of the signature.", awsCredentials))
	awsCredentials = field.Of("credentials", "Credentials", awsDoc, field.Object("", "Credentials", awsDoc, awsKeyID, awsSecret, awsService, awsRegion))
	awsKeyID       = field.Text("accessKeyId", "Access key id", "Id of the access key.").Example(`"AKIAIOSFODNN7EXAMPLE"`).Must()
	awsSecret      = field.Text("#secretKey", "Secret key", "The secret access key.").Example(`"…"`).Must()
	awsService     = field.Text("serviceName", "Service", "Name of the service that is called.").Example(`"execute-api"`).Must()
	awsRegion      = field.Text("regionName", "Region", "Name of the region the service runs in.").Example(`"eu-central-1"`).Must()
)

const awsDoc = "With these every request is signed, after all other authentication, whose `Authorization` header is replaced. A redirect to another host is not signed."

// Signed returns the section `aws`. The section is empty if it has no credentials.
func Signed(doc *config.Document) config.Section {
	s := AWS.In(doc.Settings)
	if !awsCredentials.In(awsSignature.In(s)).Present() {
		s.Value = value.Value{}
	}
	return s
}

func compileSignature(s config.Section) *signature {
	if !s.Present() {
		return nil
	}
	credentials := awsCredentials.In(awsSignature.In(s))
	return &signature{
		keyID:   awsKeyID.Of(credentials),
		secret:  awsSecret.Of(credentials),
		service: awsService.Of(credentials),
		region:  awsRegion.Of(credentials),
	}
}

// aws signs every request with headers: each attempt, each login, and each hop of a
// redirect on the same origin.
//
// Amazon's library computes the signature. The library would sign more headers than the
// original extractor, so it gets a request with only the headers to sign (see toSign).
type aws struct {
	next    step
	with    *signature
	now     func() time.Time
	secrets *secret.Registry
}

func (t *aws) do(ctx context.Context, x *call) (*Response, error) {
	if x.withoutCredentials() {
		return t.next.do(ctx, x)
	}
	sent := x.clone()
	for name := range sent.Header {
		if slices.Contains([]string{"date", "authorization", "x-amz-date"}, strings.ToLower(name)) {
			delete(sent.Header, name)
		}
	}
	var err error
	if sent.URL.RawQuery, err = strictQuery(x.URL.RawQuery); err != nil {
		return nil, err
	}
	draft := toSign(sent.Request)
	credentials := sdk.Credentials{AccessKeyID: t.with.keyID, SecretAccessKey: t.with.secret}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, draft, payloadHash(x.Request), t.with.service, t.with.region, t.now()); err != nil {
		return nil, err
	}
	authorization := draft.Header.Get("Authorization")
	t.secrets.AddTemporary(authorization[strings.LastIndexByte(authorization, '=')+1:])
	for _, name := range []string{"Authorization", "X-Amz-Date"} {
		sent.Header.Set(name, draft.Header.Get(name))
	}
	return t.next.do(ctx, sent)
}

// toSign returns a request with the parts of req to sign: method, host, path, query and
// headers. It has no scheme, because the library would drop the default port of the
// scheme from the host. It has no length, because the library would sign it.
//
// toSign also sorts the lines of each signed header in req, because the server joins them
// in their order of arrival.
func toSign(req *request.Request) *http.Request {
	header := http.Header{}
	for name, texts := range req.Header {
		if name = strings.ToLower(name); unsigned(name) {
			continue
		}
		for i := range texts {
			// The library trims Unicode spaces, net/http only ASCII spaces.
			texts[i] = strings.TrimSpace(texts[i])
		}
		slices.Sort(texts)
		for _, text := range texts {
			words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
			header[name] = append(header[name], strings.Join(words, " "))
		}
		slices.Sort(header[name])
	}
	return &http.Request{
		Method: req.Method,
		Host:   cmp.Or(req.Host, req.URL.Host),
		URL: &url.URL{
			Opaque:   "//" + req.URL.Host + "/" + strings.TrimLeft(req.URL.EscapedPath(), "/"),
			RawQuery: req.URL.RawQuery,
		},
		Header: header,
	}
}

// payloadHash returns the SHA-256 of the body, or the value of the header
// X-Amz-Content-Sha256 if the request has one.
func payloadHash(req *request.Request) string {
	if given := headerLines(req.Header, "X-Amz-Content-Sha256"); len(given) > 0 {
		return given[0]
	}
	hash := sha256.Sum256(req.Body)
	return hex.EncodeToString(hash[:])
}

// strictQuery encodes the names and values of a query as RFC 3986 demands. The query is
// sent in this form.
func strictQuery(query string) (string, error) {
	var pairs []string
	for p := range php.Query(query) {
		pair := php.RawURLEncode(p.Name)
		if !p.Bare {
			pair += "=" + php.RawURLEncode(p.Value)
		}
		pairs = append(pairs, pair)
	}
	strict := strings.Join(pairs, "&")
	// net/url parses at most 10,000 parameters. The library ignores the error of net/url
	// and would sign no parameters.
	if _, err := url.ParseQuery(strict); err != nil {
		return "", failure.Userf("a query of %d parameters cannot be signed for AWS, expected at most 10000: split it into several requests", len(pairs))
	}
	return strict, nil
}

// unsigned reports whether a header is left out of the signature. The names are the
// original extractor's list of headers that proxies may change, and headers that net/http
// adds or never sends.
func unsigned(name string) bool {
	switch name {
	case "cache-control", "content-type", "content-length", "expect", "max-forwards", "pragma", "range", "te",
		"accept", "authorization", "proxy-authorization", "from", "referer", "user-agent", "x-amzn-trace-id",
		"accept-encoding", "host", "transfer-encoding", "trailer":
		return true
	}
	return strings.HasPrefix(name, "if-")
}
