package expr

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The examples of RFC 7515, appendices A.1 to A.3. The first one is the example of
// RFC 7519, section 3.1, too.
const (
	rfcPayload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

	rfcHMACKey       = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
	rfcHMACInput     = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + rfcPayload
	rfcHMACSignature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

	rfcRSAInput     = "eyJhbGciOiJSUzI1NiJ9." + rfcPayload
	rfcRSAP         = "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc"
	rfcRSAQ         = "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc"
	rfcRSASignature = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

	rfcECInput     = "eyJhbGciOiJFUzI1NiJ9." + rfcPayload
	rfcECD         = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
	rfcECX         = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
	rfcECY         = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
	rfcECSignature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
)

func decoded(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func number64(t testing.TB, text string) *big.Int { return new(big.Int).SetBytes(decoded(t, text)) }

// rsaKey is the key of A.2.
func rsaKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	p, q, e := number64(t, rfcRSAP), number64(t, rfcRSAQ), big.NewInt(65537)
	one := big.NewInt(1)
	phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: 65537}, D: new(big.Int).ModInverse(e, phi), Primes: []*big.Int{p, q}}
	key.Precompute()
	if err := key.Validate(); err != nil {
		t.Fatal(err)
	}
	return key
}

// ecKey is the key of A.3.
func ecKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), decoded(t, rfcECD))
	if err != nil {
		t.Fatal(err)
	}
	if key.X.Cmp(number64(t, rfcECX)) != 0 || key.Y.Cmp(number64(t, rfcECY)) != 0 {
		t.Fatal("the public key is not that of the example")
	}
	return key
}

func pemOf(t testing.TB, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func pkcs8(t testing.TB, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return pemOf(t, "PRIVATE KEY", der, err)
}

func sec1(t testing.TB, key *ecdsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(key)
	return pemOf(t, "EC PRIVATE KEY", der, err)
}

// TestSignaturesOfRFC7515: what the examples sign has their signatures; one with
// ES256 has many, of which ours is verified with the key of the example.
func TestSignaturesOfRFC7515(t *testing.T) {
	pkcs1 := pemOf(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey(t)), nil)
	for _, tt := range []struct{ name, algorithm, input, key, want string }{
		{"A.1", "HS256", rfcHMACInput, string(decoded(t, rfcHMACKey)), rfcHMACSignature},
		{"A.2", "RS256", rfcRSAInput, pkcs8(t, rsaKey(t)), rfcRSASignature},
		{"A.2, PKCS #1", "RS256", rfcRSAInput, pkcs1, rfcRSASignature},
		{"A.2, line breaks written out", "RS256", rfcRSAInput, strings.ReplaceAll(pkcs1, "\n", `\n`), rfcRSASignature},
	} {
		signed, err := signatures()[tt.algorithm](tt.input, tt.key)
		if got := base64URL(string(signed)); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v", tt.name, got, err)
		}
	}
	verified := func(signature []byte) bool {
		sum := sha256.Sum256([]byte(rfcECInput))
		return len(signature) == 64 && ecdsa.Verify(&ecKey(t).PublicKey, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	if !verified(decoded(t, rfcECSignature)) {
		t.Fatal("the example does not verify")
	}
	for name, key := range map[string]string{
		"PKCS #8": pkcs8(t, ecKey(t)), "SEC 1": sec1(t, ecKey(t)),
		"behind its parameters": "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + sec1(t, ecKey(t)),
	} {
		signed, err := signECDSA(rfcECInput, key)
		if err != nil || !verified(signed) {
			t.Errorf("%s: %x, %v", name, signed, err)
		}
		again, err := signECDSA(rfcECInput, key)
		if err != nil || string(again) != string(signed) {
			t.Errorf("%s: a text has two signatures, %v", name, err)
		}
	}
}

func callOf(name string, args ...value.Value) value.Value {
	return value.OfMembers(value.Member{Name: "function", Value: value.OfString(name)}, value.Member{Name: "args", Value: value.OfItems(args...)})
}

// TestJWT: the header has alg and typ first, claims keep their order and are
// evaluated, numbers stay as they were written.
func TestJWT(t *testing.T) {
	text := value.OfString
	for _, tt := range []struct{ name, algorithm, claims, key, header, wantHeader, wantClaims string }{
		{"claims", "HS256", `{"z":{"attr":"one"},"a":"a/č","n":1.50,"big":12345678901234567890}`, "k", ``, `{"alg":"HS256","typ":"JWT"}`, `{"z":1,"a":"a/č","n":1.50,"big":12345678901234567890}`},
		{"members of the header", "HS384", `{}`, "k", `{"kid":"1","x":[{"attr":"one"}]}`, `{"alg":"HS384","typ":"JWT","kid":"1","x":[1]}`, `{}`},
		{"another typ", "HS512", `[]`, "k", `{"typ":"at+jwt","alg":"HS512"}`, `{"alg":"HS512","typ":"at+jwt"}`, `{}`},
		{"null is left out", "HS256", `{"a":{"function":"if","args":[0,1,null]},"b":null}`, "k", `null`, `{"alg":"HS256","typ":"JWT"}`, `{"b":null}`},
		{"a private key", "ES256", `{}`, pkcs8(t, ecKey(t)), ``, `{"alg":"ES256","typ":"JWT"}`, `{}`},
	} {
		args := []value.Value{text(tt.algorithm), testvalue.Parse(t, tt.claims), text(tt.key)}
		if tt.header != "" {
			args = append(args, testvalue.Parse(t, tt.header))
		}
		got, err := evaluate(t, callOf("jwt", args...).JSON())
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		parts := strings.Split(got.Raw(), ".")
		signed, err := signatures()[tt.algorithm](parts[0]+"."+parts[1], tt.key)
		if string(decoded(t, parts[0])) != tt.wantHeader || string(decoded(t, parts[1])) != tt.wantClaims || err != nil || base64URL(string(signed)) != parts[2] {
			t.Errorf("%s: got %s.%s.%s", tt.name, decoded(t, parts[0]), decoded(t, parts[1]), parts[2])
		}
	}
	checkFaults(t, []faultCase{
		{"jwt", `["none",{},"k"]`, "/x/args/0: expected the algorithm of a signature, found \"none\"; known are HS256,"},
		{"jwt", `["hs256",{},"k"]`, `did you mean "HS256"?`},
		{"jwt", `[{"attr":"s"},{},"k"]`, "jwt: argument 1 is not the algorithm of a signature: HS256, HS384, HS512, RS256, ES256"},
		{"jwt", `["HS256","a",{"attr":"s"}]`, "jwt: argument 2 is a string, expected an object with the claims"},
		{"jwt", `["HS256",[1],"k"]`, "argument 2 is an array"},
		{"jwt", `["HS256",{},""]`, "jwt: argument 3: the key is empty"},
		{"jwt", `["HS256",{},[]]`, "jwt: argument 3 is an array, expected a text"},
		{"jwt", `["HS256",{},"k","h"]`, "jwt: argument 4 is a string, expected an object with members of the header"},
		{"jwt", `["HS256",{},"k",{"alg":"none"}]`, `argument 4 has another "alg" than argument 1 says`},
		{"jwt", `["HS256",{}]`, "expected 3 to 4 arguments for jwt, found 2 arguments; write it as jwt(algorithm, claims, key, header?)"},
		{"jwt", `["RS256",{},{"attr":"s"}]`, "expected a private key in PEM form"},
		{"jwt", `["RS256",{},` + value.OfString(pkcs8(t, ecKey(t))).JSON() + `]`, "jwt: argument 3: the key is not one for RSA"},
		{"jwt", `["ES256",{},` + value.OfString(pkcs8(t, rsaKey(t))).JSON() + `]`, "jwt: argument 3: the key is not one for the curve P-256"},
		{"jwt", `["RS256",{},"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]`, "the private key cannot be read"},
		{"jwt", `["RS256",{},"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"]`, "has a passphrase"},
		{"jwt", `["RS256",{},"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]`, "expected a private key in PEM form"},
	})
}

func TestUUID(t *testing.T) {
	e := Compiler{Place: InJobs, Problems: &failure.Problems{}}.Compile(testvalue.Parse(t, `{"function":"uuid"}`), "/x")
	counted := func(n int) ([]byte, error) { return []byte("0123456789\xff\xff\xff\xff\xff\xff")[:n], nil }
	if v, err := e.Eval(&Scope{Random: counted}); err != nil || v.Raw() != "30313233-3435-4637-b839-ffffffffffff" {
		t.Errorf("got %s, %v", v.JSON(), err)
	}
	first, err := e.Eval(nil)
	second, err2 := e.Eval(&Scope{})
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if err != nil || err2 != nil || !form.MatchString(first.Raw()) || first.Equal(second) {
		t.Errorf("got %s and %s, %v, %v", first.JSON(), second.JSON(), err, err2)
	}
}

// FuzzJWT: a token of any claims can be read by anyone who knows the key, and nothing
// else comes out of it than went in; an invalid key is an error that does not show it.
func FuzzJWT(f *testing.F) {
	f.Add(`{"a":1,"b":["č",null]}`, `{"kid":"x"}`, "k3y-of-the-house", byte(0))
	f.Add(`[]`, `null`, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", byte(3))
	f.Add(`{"a":{"b":1e5}}`, `{"typ":5}`, "", byte(4))
	f.Fuzz(func(t *testing.T, claims, header, key string, algorithm byte) {
		c, err := value.Parse([]byte(claims))
		h, err2 := value.Parse([]byte(header))
		if err != nil || err2 != nil {
			return
		}
		name := signatureNames()[int(algorithm)%len(signatureNames())]
		got, err := jwt(Input{Args: []value.Value{value.OfString(name), c, value.OfString(key), h}})
		if err != nil {
			if len(key) > 20 && strings.Contains(err.Error(), key) {
				t.Errorf("the error shows the key: %v", err)
			}
			return
		}
		parts := strings.Split(got.Raw(), ".")
		if len(parts) != 3 {
			t.Fatalf("%q has %d parts", got.Raw(), len(parts))
		}
		var read struct{ Alg string }
		if err := json.Unmarshal(decoded(t, parts[0]), &read); err != nil || read.Alg != name {
			t.Errorf("header %q, %v", decoded(t, parts[0]), err)
		}
		if back, err := value.Parse(decoded(t, parts[1])); err != nil || back.Len() != c.Len() {
			t.Errorf("claims %q, %v", decoded(t, parts[1]), err)
		}
		signed, err := signatures()[name](parts[0]+"."+parts[1], key)
		if err != nil || base64URL(string(signed)) != parts[2] {
			t.Errorf("signature %q, %v", parts[2], err)
		}
	})
}

// TestRSASignatureVerifies: what is signed with a key is verified with its public one.
func TestRSASignatureVerifies(t *testing.T) {
	key := rsaKey(t)
	signed, err := signRSA("a.b", pkcs8(t, key))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("a.b"))
	if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signed); err != nil {
		t.Error(err)
	}
}
