package expr

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
	"math/big"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func tokenFunctions() []Function {
	return []Function{
		{Name: "uuid", Arguments: "", Min: 0, Max: 0, Call: uuid,
			Doc:      "A random UUID (version 4). The example has a fixed source of randomness.",
			Examples: []Example{{``, `"00010203-0405-4607-8809-0a0b0c0d0e0f"`}}},
		{Name: "jwt", Arguments: "algorithm, claims, key, header?", Min: 3, Max: 4, algorithm: true, check: checkSignature, Call: jwt,
			Doc:      "A signed JSON Web Token with the claims. The algorithm is `HS256`, `HS384` or `HS512` with a secret as the key, or `RS256` or `ES256` with a private key in PEM form. `header` has members that are added to `alg` and `typ`.",
			Examples: []Example{{`"HS256", {"iss": "my-app"}, "k"`, `"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJteS1hcHAifQ.bULr7dXzj9v5wO9MDhabF1hz_gGOT3WV7Wsg9oir5R4"`}}},
	}
}

func uuid(in Input) (value.Value, error) {
	b, err := in.random(16)
	if err != nil {
		return value.Value{}, err
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return value.OfString(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])), nil
}

// signature signs a text with a key, see RFC 7518, section 3.
type signature func(text, key string) ([]byte, error)

func signatures() map[string]signature {
	return map[string]signature{
		"HS256": hmacSignature(sha256.New),
		"HS384": hmacSignature(sha512.New384),
		"HS512": hmacSignature(sha512.New),
		"RS256": signRSA,
		"ES256": signECDSA,
	}
}

// signatureNames returns the algorithms in the order of the documentation.
func signatureNames() []string { return []string{"HS256", "HS384", "HS512", "RS256", "ES256"} }

func checkSignature(args list) *ArgumentProblem {
	l, ok := args[0].(literal)
	if !ok || signatures()[textOf(l.value)] != nil {
		return nil
	}
	hint := "known are " + strings.Join(signatureNames(), ", ")
	if near, ok := failure.Nearest(textOf(l.value), signatureNames()); ok {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return &ArgumentProblem{Found: foundAlgorithm(textOf(l.value)), Expected: "expected the algorithm of a signature", Hint: failure.Text(hint)}
}

// jwt returns a token as in RFC 7519, in the compact form of RFC 7515.
func jwt(in Input) (value.Value, error) {
	algorithm, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	sign := signatures()[algorithm]
	if sign == nil {
		return value.Value{}, errors.New("argument 1 is not the algorithm of a signature: " + strings.Join(signatureNames(), ", "))
	}
	claims, err := in.object(1, "the claims")
	if err != nil {
		return value.Value{}, err
	}
	key, err := in.Text(2)
	if err != nil {
		return value.Value{}, err
	}
	header := []value.Member{{Name: "alg", Value: value.OfString(algorithm)}, {Name: "typ", Value: value.OfString("JWT")}}
	if len(in.Args) > 3 && !in.Args[3].IsNull() {
		more, err := in.object(3, "members of the header")
		if err != nil {
			return value.Value{}, err
		}
		if given, ok := more.Get("alg"); ok && given.Raw() != algorithm {
			return value.Value{}, errors.New("argument 4 has another \"alg\" than argument 1 says")
		}
		header = append(header, more.Members()...)
	}
	text := base64URL(value.OfMembers(header...).JSON()) + "." + base64URL(claims.JSON())
	signed, err := sign(text, key)
	if err != nil {
		return value.Value{}, fmt.Errorf("argument 3: %w", err)
	}
	return value.OfString(text + "." + base64URL(string(signed))), nil
}

// object returns an argument that is an object. An empty list counts as an empty object.
func (in Input) object(i int, what string) (value.Value, error) {
	switch v := in.Args[i]; {
	case v.Kind() == value.Object:
		return v, nil
	case v.Kind() == value.Array && v.Len() == 0:
		return value.OfMembers(), nil
	default:
		return value.Value{}, fmt.Errorf("argument %d is %s, expected an object with %s", i+1, v.Kind().WithArticle(), what)
	}
}

func base64URL(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func hmacSignature(newHash func() hash.Hash) signature {
	return func(text, key string) ([]byte, error) {
		if key == "" {
			return nil, errors.New("the key is empty")
		}
		mac := hmac.New(newHash, []byte(key))
		mac.Write([]byte(text))
		return mac.Sum(nil), nil
	}
}

func signRSA(text, key string) ([]byte, error) {
	parsed, err := privateKey(key)
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("the key is not one for RSA")
	}
	sum := sha256.Sum256([]byte(text))
	signed, err := rsa.SignPKCS1v15(nil, private, crypto.SHA256, sum[:])
	if err != nil {
		return nil, errors.New("the key cannot sign: it may be too short")
	}
	return signed, nil
}

// signECDSA signs as in RFC 6979, so a text has only one signature.
func signECDSA(text, key string) ([]byte, error) {
	parsed, err := privateKey(key)
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("the key is not one for the curve P-256")
	}
	sum := sha256.Sum256([]byte(text))
	der, err := private.Sign(nil, sum[:], crypto.SHA256)
	if err != nil {
		return nil, errors.New("the key cannot sign")
	}
	return fixedSignature(der)
}

// privateKey parses a key in PEM form: PKCS #8, PKCS #1 or SEC 1. Its errors do not
// contain the key. A text without line breaks may contain \n instead, which is common in
// environment variables.
func privateKey(text string) (any, error) {
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n")
	}
	rest := []byte(text)
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, errors.New("expected a private key in PEM form: -----BEGIN PRIVATE KEY-----")
		}
		if !strings.HasSuffix(block.Type, "PRIVATE KEY") {
			continue // curve parameters or a certificate
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["Proc-Type"] == "4,ENCRYPTED" {
			return nil, errors.New("the private key has a passphrase, expected one without")
		}
		for _, parse := range []func([]byte) (any, error){
			x509.ParsePKCS8PrivateKey,
			func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) },
			func(der []byte) (any, error) { return x509.ParseECPrivateKey(der) },
		} {
			if key, err := parse(block.Bytes); err == nil {
				return key, nil
			}
		}
		return nil, errors.New("the private key cannot be read")
	}
}

// coordinateSize is the size, in bytes, of each of the two numbers of a signature with
// P-256.
const coordinateSize = 32

// fixedSignature converts a signature from ASN.1 to the form of RFC 7518, section 3.4:
// its two numbers, one after the other.
func fixedSignature(der []byte) ([]byte, error) {
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		return nil, err
	}
	signed := make([]byte, 2*coordinateSize)
	pair.R.FillBytes(signed[:coordinateSize])
	pair.S.FillBytes(signed[coordinateSize:])
	return signed, nil
}
