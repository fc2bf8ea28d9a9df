package httpclient

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pemOf is a key as PEM text.
func pemOf(t testing.TB, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestCompileSSHServer(t *testing.T) {
	slowtest.Skip(t, "it makes private keys")
	b := newBastion(t, nil)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curveDER, err := x509.MarshalECPrivateKey(curve)
	curvePEM := pemOf(t, "EC PRIVATE KEY", curveDER, err)
	wrapped, err := x509.MarshalPKCS8PrivateKey(large)
	wrappedPEM := pemOf(t, "PRIVATE KEY", wrapped, err)
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(crypto.PrivateKey(edwards), "", []byte("s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(name, s string) value.Member { return value.Member{Name: name, Value: value.OfString(s)} }
	const (
		key    = "configuration: /parameters/sshProxy/#privateKey: expected a private key in PEM form, found a string"
		port   = "configuration: /parameters/sshProxy/port: expected a port from 1 to 65535, found a "
		public = `configuration: /parameters/sshProxy/hostKey: expected the public key of the SSH server, like "ssh-ed25519 AAAA…", found a string; ssh-keyscan shows it`
	)
	hostKey := b.hostKey().Value.Raw()
	tests := []struct {
		name   string
		change value.Member
		want   string
	}{
		{"OpenSSH key", text("user", "ann"), ""},
		{"without a line feed at the end", text("#privateKey", strings.TrimSpace(b.key)), ""},
		{"with carriage returns", text("#privateKey", strings.ReplaceAll(b.key, "\n", "\r\n")), ""},
		{"RSA key", text("#privateKey", pemOf(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(large), nil)), ""},
		{"PKCS8 key", text("#privateKey", wrappedPEM), ""},
		{"EC key", text("#privateKey", curvePEM), ""},
		{"no PEM", text("#privateKey", "s3cret"), key},
		{"damaged", text("#privateKey", strings.Replace(curvePEM, "M", "N", 1)), key},
		{"passphrase", text("#privateKey", string(pem.EncodeToMemory(locked))), key + "; it has a passphrase, remove it"},
		{"passphrase in PKCS8", text("#privateKey", pemOf(t, "ENCRYPTED PRIVATE KEY", []byte("x"), nil)), key + "; it has a passphrase, remove it"},
		{"a public key", text("#privateKey", hostKey), key},
		{"port 0", value.Member{Name: "port", Value: value.OfInt(0)}, port + "number"},
		{"port too large", text("port", "65536"), port + "string"},
		{"port negative", value.Member{Name: "port", Value: value.OfInt(-22)}, port + "number"},
		{"port no number", text("port", "ssh"), "configuration: /parameters/sshProxy/port: expected an integer, found a string"},
		{"host key", text("hostKey", hostKey+" a comment"), ""},
		{"host key as it is in known_hosts", text("hostKey", "bastion.test "+hostKey), ""},
		{"no host key", text("hostKey", ""), ""},
		{"host key broken", text("hostKey", "ssh-ed25519 AAAA"), public},
		{"host key as a fingerprint", text("hostKey", ssh.FingerprintSHA256(b.host.PublicKey())), public},
		{"private key missing", text("#privateKey", ""), `configuration: /parameters/sshProxy: expected the key "#privateKey"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings, problems := settingsOf(t, b.section(tt.change), nil)
			if problems != tt.want {
				t.Errorf("got  %s\nwant %s", problems, tt.want)
			}
			if tt.want == "" && (settings.server.address != "bastion.test:2222" || settings.server.client.User != "ann" || len(settings.server.client.Auth) != 1) {
				t.Errorf("compiled to %+v", settings.server)
			}
		})
	}
	if settings, problems := settingsOf(t, nil, nil); problems != "" || settings.server != nil {
		t.Errorf("without the section: %s, %+v", problems, settings.server)
	}
}

func TestHostKeyAlgorithms(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	b := newBastion(t, nil)
	line := value.OfString(string(ssh.MarshalAuthorizedKey(public)))
	for _, tt := range []struct {
		name string
		key  value.Member
		want []string
	}{
		{"RSA", value.Member{Name: "hostKey", Value: line}, []string{"rsa-sha2-512", "rsa-sha2-256"}},
		{"Ed25519", b.hostKey(), []string{"ssh-ed25519"}},
		{"none", value.Member{Name: "__note", Value: line}, nil},
	} {
		settings, problems := settingsOf(t, b.section(tt.key), nil)
		if got := settings.server.client.HostKeyAlgorithms; problems != "" || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v, %s", tt.name, got, tt.want, problems)
		}
	}
}

func FuzzSSHKeys(f *testing.F) {
	f.Add("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "ssh-ed25519 AAAA")
	f.Fuzz(func(t *testing.T, private, public string) {
		section := value.OfMembers(
			value.Member{Name: "host", Value: value.OfString("h")}, value.Member{Name: "port", Value: value.OfInt(22)}, value.Member{Name: "user", Value: value.OfString("u")},
			value.Member{Name: "#privateKey", Value: value.OfString(private)}, value.Member{Name: "hostKey", Value: value.OfString(public)})
		settings, problems := settingsOf(t, []value.Member{{Name: "sshProxy", Value: section}}, nil)
		if problems == "" && len(settings.server.client.Auth) != 1 {
			t.Error("neither a key nor a problem")
		}
		if len(private) > 20 && strings.Contains(problems, private) {
			t.Errorf("the problem shows the key: %s", problems)
		}
	})
}
