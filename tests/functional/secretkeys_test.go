package functional

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// keyTexts are private keys in every form that a configuration may hold, made for
// this test; those of them that work, and those that do not.
func keyTexts(t *testing.T) map[string]string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := func(block *pem.Block, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(block))
	}
	inPEM := func(kind string) func([]byte, error) string {
		return func(der []byte, err error) string { return text(&pem.Block{Type: kind, Bytes: der}, err) }
	}
	plain := text(ssh.MarshalPrivateKey(private, "ann@example.com"))
	all := map[string]string{
		"plain":       plain,
		"encrypted":   text(ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("pass"))),
		"PKCS 8":      inPEM("PRIVATE KEY")(x509.MarshalPKCS8PrivateKey(private)),
		"EC":          inPEM("EC PRIVATE KEY")(x509.MarshalECPrivateKey(curve)),
		"CRLF":        strings.ReplaceAll(plain, "\n", "\r\n"),
		"one line":    strings.ReplaceAll(plain, "\n", " "),
		"written \\n": strings.ReplaceAll(plain, "\n", `\n`),
		"indented":    strings.ReplaceAll(plain, "\n", "\n    "),
		"half":        plain[:len(plain)/2],
		"no PEM":      strings.Join(strings.Split(plain, "\n")[1:4], ""),
		"two":         plain + plain,
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ann"}, NotAfter: time.Now().Add(time.Hour)}
	certificate := inPEM("CERTIFICATE")(x509.CreateCertificate(rand.Reader, template, template, curve.Public(), curve))
	all["certificate"] = certificate + all["EC"]
	all["certificate of another key"] = certificate + all["PKCS 8"]
	return all
}

// TestKeysAreNotShown: no part of a private key is in what any command says,
// whether the key works, does not, or is for another server.
func TestKeysAreNotShown(t *testing.T) {
	slowtest.Skip(t, "it tries every place of a key")
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(status(http.StatusOK, `[{"id":1}]`)))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool()}
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	keys := keyTexts(t)
	for i, name := range slices.Sorted(maps.Keys(keys)) {
		key := keys[name]
		for j, place := range []string{"sshProxy", "clientCertificate", "caCertificate"} {
			for k, variable := range []bool{false, true} {
				if !slowtest.Turn(i+j+k, 2) {
					continue
				}
				t.Run(name+"/"+place, func(t *testing.T) {
					t.Parallel()
					keyRun(t, key, place, variable, authority, server.Listener.Addr().String())
				})
			}
		}
	}
}

// keyRun uses a key in a place, written there or brought by a variable.
func keyRun(t *testing.T, key, place string, variable bool, authority, server string) {
	written := key
	w := newWorld(t, http.HandlerFunc(status(http.StatusOK, "[]")))
	if variable {
		written = "{{key}}"
		w.options.Variables = []string{"key=" + key}
	}
	api := map[string]any{"baseUrl": "https://example.com/", "caCertificate": authority, "retryConfig": map[string]any{"maxRetries": 0}}
	parameters := map[string]any{"api": api,
		"config": map[string]any{"debug": true, "outputBucket": "b", "#key": written, "jobs": []any{map[string]any{"endpoint": "t"}}}}
	host := newJumpHost(t, server)
	to := server
	switch place {
	case "sshProxy":
		parameters["sshProxy"] = map[string]any{"host": "bastion.test", "port": 22, "user": "ann", "#privateKey": written}
		to = host.listener.Addr().String()
	case "clientCertificate":
		api["#clientCertificate"] = written
	case "caCertificate": // where none belongs
		api["caCertificate"] = written
	}
	t.Cleanup(func() {
		host.listener.Close()
		host.wg.Wait()
	})
	w.options.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, to)
	}
	document := jsonText(map[string]any{"parameters": parameters})
	w.options.LogFormat = "json"
	got, said := w.showing(t, document)
	shown := secretFiles(filesOf(w.dir))
	for _, text := range said {
		shown += text
	}
	if part := partOf(key, shown); part != "" {
		t.Errorf("exit %d, shown is %q: %s", got.exit, part, got.stderr)
	}
}

// partOf is a part of a key's lines, but for its first and its last one, that is
// in a text; "" for none.
func partOf(key, text string) string {
	const window = 16
	for word := range strings.FieldsSeq(strings.ReplaceAll(key, `\n`, " ")) {
		if strings.Contains(word, "-----") || len(word) < window {
			continue
		}
		for i := range len(word) - window {
			if part := word[i : i+window]; strings.Contains(text, part) {
				return part
			}
		}
	}
	return ""
}
