package httpclient

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// issued is a certificate with its key.
type issued struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// issue makes a certificate for a name; by itself without an issuer.
func issue(t testing.TB, name string, by *issued, authority bool) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		DNSNames:              []string{name},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  authority,
		BasicConstraintsValid: true,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	made := &issued{key: key}
	if by == nil {
		by = &issued{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, key.Public(), by.key)
	if err == nil {
		made.certificate, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (i *issued) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.certificate.Raw}))
}

func (i *issued) keyPEM(t testing.TB) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(i.key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// settingsOf compiles a document whose `parameters` and `api` have these
// members besides those every document needs.
func settingsOf(t testing.TB, parameters, api []value.Member) (Settings, string) {
	t.Helper()
	api = append(api, value.Member{Name: "baseUrl", Value: value.OfString("https://a.test/")})
	parameters = append(parameters, value.Member{Name: "api", Value: value.OfMembers(api...)},
		value.Member{Name: "config", Value: parse(t, `{"jobs":[{"endpoint":"x"}]}`)})
	document := value.OfMembers(value.Member{Name: "parameters", Value: value.OfMembers(parameters...)})
	doc, problems := config.Compile(document, config.Options{Now: today, Tree: config.NewTree(config.Types{Settings: []field.Declaration{Cache, SSHProxy, AWS}})})
	settings := Compile(doc)
	if err := problems.Err(); err != nil {
		return settings, err.Error()
	}
	return settings, ""
}

// certificates are the members of `api` for certificates, "" for none.
func certificates(authorities, client string) []value.Member {
	var members []value.Member
	if authorities != "" {
		members = append(members, value.Member{Name: "caCertificate", Value: value.OfString(authorities)})
	}
	if client != "" {
		members = append(members, value.Member{Name: "#clientCertificate", Value: value.OfString(client)})
	}
	return members
}

func TestCompileCertificates(t *testing.T) {
	authority := issue(t, "authority.test", nil, true)
	client, other := issue(t, "client.test", authority, false), issue(t, "other.test", authority, false)
	damaged := strings.Replace(client.pem(), "MII", "M!I", 1)
	noDER := "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	locked := "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
	lockedOld := "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END EC PRIVATE KEY-----\n"
	const (
		ca   = "configuration: /parameters/api/caCertificate: expected certificates in PEM form, found a string; "
		pair = "configuration: /parameters/api/#clientCertificate: expected a certificate and its private key in PEM form, found a string; "
	)
	tests := []struct{ name, authorities, client, want string }{
		{"none", "", "", ""},
		{"one authority", authority.pem(), "", ""},
		{"several with texts between", "# first\n" + authority.pem() + "second:\r\n" + strings.ReplaceAll(other.pem(), "\n", "\r\n"), "", ""},
		{"without a line feed at the end", strings.TrimSpace(authority.pem()), "", ""},
		{"no PEM", "s3cret", "", ca + "there is none in it"},
		{"a key instead", client.keyPEM(t), "", ca + "there is none in it"},
		{"not base64", authority.pem() + damaged, "", ca + "one of them is damaged"},
		{"no certificate inside", noDER + authority.pem(), "", ca + "one of them is damaged"},
		{"without its end", strings.Split(authority.pem(), "-----END")[0], "", ca + "one of them is damaged"},
		{"certificate and key", "", client.pem() + client.keyPEM(t), ""},
		{"key first", "", client.keyPEM(t) + client.pem(), ""},
		{"with a chain", "", client.pem() + authority.pem() + client.keyPEM(t), ""},
		{"client without PEM", "", "s3cret", pair + "the certificate is missing"},
		{"client without a key", "", client.pem(), pair + "the private key is missing"},
		{"client without a certificate", "", client.keyPEM(t), pair + "the certificate is missing"},
		{"key of another", "", client.pem() + other.keyPEM(t), pair + "the private key belongs to another certificate"},
		{"key with a passphrase", "", client.pem() + locked, pair + "the private key has a passphrase, remove it"},
		{"old key with a passphrase", "", client.pem() + lockedOld, pair + "the private key has a passphrase, remove it"},
		{"client damaged", "", damaged + client.keyPEM(t), pair + "one of the two is damaged"},
		{"client no certificate inside", "", noDER + client.keyPEM(t), pair + "the certificate or the private key is damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings, problems := settingsOf(t, nil, certificates(tt.authorities, tt.client))
			if problems != tt.want {
				t.Errorf("got  %s\nwant %s", problems, tt.want)
			}
			if tt.want == "" && (settings.authorities != nil) != (tt.authorities != "") || (settings.certificate != nil) != (tt.client != "") {
				t.Errorf("compiled to %+v", settings)
			}
		})
	}
	for _, text := range []string{`""`, `7`, `["x"]`, `{"a":1}`} {
		_, problems := settingsOf(t, nil, []value.Member{{Name: "caCertificate", Value: parse(t, text)}, {Name: "#clientCertificate", Value: parse(t, text)}})
		if n := strings.Count(problems, "PEM form"); n != 2 {
			t.Errorf("%s has %d problems, want one for each certificate: %s", text, n, problems)
		}
	}
}

// secure starts a server that requests a client certificate. With authorities it
// requires one that they signed.
func secure(t testing.TB, by *issued, clients ...*issued) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "no one"
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		io.WriteString(w, name)
	}))
	own := issue(t, "server.test", by, false)
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{own.certificate.Raw}, PrivateKey: own.key}},
		ClientAuth:   tls.RequestClientCert,
	}
	for _, c := range clients {
		if server.TLS.ClientCAs == nil {
			server.TLS.ClientCAs = x509.NewCertPool()
		}
		server.TLS.ClientCAs.AddCert(c.certificate)
		server.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail intentionally
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func TestOwnAuthoritiesAndClientCertificates(t *testing.T) {
	authority, foreign := issue(t, "authority.test", nil, true), issue(t, "foreign.test", nil, true)
	between := issue(t, "between.test", authority, true)
	client, stranger := issue(t, "client.test", authority, false), issue(t, "stranger.test", foreign, false)
	chained := issue(t, "chained.test", between, false)
	open, closed := secure(t, authority), secure(t, authority, authority)
	tests := []struct {
		name, address, authorities, client, want, fails string
		attempts                                        int
	}{
		{"own authority", open, authority.pem(), "", "no one", "", 1},
		{"one of several", open, foreign.pem() + authority.pem(), "", "no one", "", 1},
		{"another authority", open, foreign.pem(), "", "", "60: the server's certificate is not trusted: it was signed by an unknown authority", 1},
		{"the system's", open, "", "", "", "60: the server's certificate is not trusted: it was signed by an unknown authority", 1},
		{"client shown to one that only asks", open, authority.pem(), stranger.pem() + stranger.keyPEM(t), "stranger.test", "", 1},
		{"client wanted", closed, authority.pem(), client.pem() + client.keyPEM(t), "client.test", "", 1},
		{"client with a chain", closed, authority.pem(), chained.pem() + between.pem() + chained.keyPEM(t), "chained.test", "", 1},
		{"client wanted, none there", closed, authority.pem(), "", "", "35: no secure connection: ", 2},
		{"client not trusted", closed, authority.pem(), stranger.pem() + stranger.keyPEM(t), "", "35: no secure connection: ", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings, problems := settingsOf(t, nil, certificates(tt.authorities, tt.client))
			if problems != "" {
				t.Fatal(problems)
			}
			f := newFixture(t, tt.address, `{"retryConfig":{"maxRetries":1}}`, nil, func(o *Options) { o.Settings = settings })
			body, err := f.get(t, "x")
			if tt.fails == "" && (err != nil || body != tt.want) {
				t.Errorf("got %q, %v, want %q", body, err, tt.want)
			}
			if tt.fails != "" {
				wantUserError(t, err, "network error "+tt.fails)
			}
			if got := 1 + len(f.sleeps); got != tt.attempts {
				t.Errorf("%d attempts were made, want %d", got, tt.attempts)
			}
			f.Close()
		})
	}
}

func TestHostNamesAreVerifiedWithOwnAuthorities(t *testing.T) {
	authority := issue(t, "authority.test", nil, true)
	settings, problems := settingsOf(t, nil, certificates(authority.pem(), ""))
	if problems != "" {
		t.Fatal(problems)
	}
	at := strings.TrimPrefix(secure(t, authority), "https://")
	for host, trusted := range map[string]bool{"server.test": true, "other.test": false} {
		f := newFixture(t, "https://"+host, `{}`, nil, dialer(map[string]string{host + ":443": at}), func(o *Options) { o.Settings = settings })
		_, err := f.get(t, "x")
		if trusted && err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if !trusted {
			wantUserError(t, err, "network error 60: the server's certificate is not trusted")
		}
		f.Close()
	}
}

func FuzzCertificates(f *testing.F) {
	authority := issue(f, "authority.test", nil, true)
	f.Add(authority.pem() + authority.keyPEM(f))
	f.Add("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN X")
	f.Fuzz(func(t *testing.T, text string) {
		settings, problems := settingsOf(t, nil, certificates(text, text))
		if len(text) > 20 && strings.Contains(problems, text) {
			t.Errorf("the problem shows what was given: %s", problems)
		}
		if text != "" && problems == "" && (settings.authorities == nil || settings.certificate == nil) {
			t.Error("neither certificates nor problems")
		}
	})
}
