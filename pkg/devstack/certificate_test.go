package devstack

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// served is the certificate that a server with these certificates shows now.
func served(t *testing.T, c *certificates) *x509.Certificate {
	t.Helper()
	certificate, err := c.config().GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return certificate.Leaf
}

func TestCertificates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	open := func() *certificates {
		t.Helper()
		c, err := openCertificates(dir, hosts, func() time.Time { return at })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := open()
	authority, server := first.authority.Leaf, served(t, first)
	check := func(host string, authority, server *x509.Certificate) error {
		pool := x509.NewCertPool()
		pool.AddCert(authority)
		_, err := server.Verify(x509.VerifyOptions{DNSName: host, Roots: pool, CurrentTime: at})
		return err
	}
	for _, host := range hosts {
		if err := check(host, authority, server); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := check("elsewhere.test", authority, server); err == nil {
		t.Error("the certificate is good for another name")
	}
	public, err := os.ReadFile(first.path())
	if err != nil || bytes.Contains(public, []byte("PRIVATE")) || !x509.NewCertPool().AppendCertsFromPEM(public) {
		t.Errorf("the file to trust: %v\n%s", err, public)
	}
	for _, step := range []struct {
		name                    string
		after                   time.Duration
		change                  func()
		authority, server, warn bool // what is new
	}{
		{name: "the next start"},
		{name: "without the file to trust", change: func() { _ = os.Remove(first.path()) }},
		{name: "shortly before the end", after: serverLife - renewBefore + time.Hour, server: true},
		{name: "for another name", change: func() { hosts = append(hosts, "laptop.test") }, authority: true, server: true, warn: true},
		{name: "for fewer names", change: func() { hosts = hosts[:3] }},
		{name: "in the last year of the authority", after: authorityLife - serverLife + time.Hour, authority: true, server: true, warn: true},
		{name: "before the time of the certificate", after: -30 * 24 * time.Hour, authority: true, server: true, warn: true},
	} {
		t.Run(step.name, func(t *testing.T) {
			at = at.Add(step.after)
			if step.change != nil {
				step.change()
			}
			c := open()
			if made := !c.authority.Leaf.Equal(authority); made != step.authority || c.replaced != step.warn {
				t.Errorf("another authority: %t, announced %t", made, c.replaced)
			}
			if made := !served(t, c).Equal(server); made != step.server {
				t.Errorf("another certificate: %t", made)
			}
			authority, server = c.authority.Leaf, served(t, c)
			if err := check("localhost", authority, server); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(c.path()); err != nil || len(text) == 0 {
				t.Errorf("the file to trust: %v", err)
			}
		})
	}
	t.Run("while the server runs", func(t *testing.T) {
		c := open()
		before := served(t, c)
		at = at.Add(serverLife - renewBefore + time.Hour)
		if after := served(t, c); after.Equal(before) || check("::1", c.authority.Leaf, after) != nil {
			t.Errorf("valid until %s", after.NotAfter)
		}
	})
}

// An authority that is trusted on a machine must not be able to sign for other sites.
func TestAuthorityIsGoodForThisPlatformOnly(t *testing.T) {
	c, err := openCertificates(t.TempDir(), []string{"localhost"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	c.hosts = []string{"bank.test"}
	forged, err := c.make(serverLife, &c.authority)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(c.authority.Leaf)
	if _, err := forged.Leaf.Verify(x509.VerifyOptions{DNSName: "bank.test", Roots: pool}); err == nil || !strings.Contains(err.Error(), "not permitted") {
		t.Errorf("verified with %v", err)
	}
}

func TestDamagedCertificates(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	var texts [2][]byte
	for i, dir := range []string{one, other} {
		if _, err := openCertificates(dir, []string{"localhost"}, time.Now); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, privateFile))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	half := len(texts[0]) / 2
	for name, text := range map[string][]byte{
		"empty": nil, "cut": texts[0][:half], "something else": []byte("hello"),
		"of two authorities": append(texts[0][:bytes.LastIndex(texts[0], []byte("-----BEGIN CERTIFICATE"))], texts[1][bytes.LastIndex(texts[1], []byte("-----BEGIN CERTIFICATE")):]...),
	} {
		if err := os.WriteFile(filepath.Join(one, privateFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := openCertificates(one, []string{"localhost"}, time.Now)
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "remove it, and new certificates are created") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// platformAt starts a platform and returns what it prints.
func platformAt(t *testing.T, o ServeOptions) Addresses {
	t.Helper()
	said := new(messages)
	o.Data, o.Token, o.Stderr, o.engine = filepath.Join(t.TempDir(), "data"), DefaultToken, said, inProcess{}
	l, addresses, err := o.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop := background(t.Context(), l.run)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return addresses
}

// client is a client of a platform with TLS.
func clientOf(t *testing.T, a Addresses) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	text, err := os.ReadFile(a.Authority)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatalf("authority: %v", err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type reply struct {
	*http.Response
	text string
}

func get(t *testing.T, c *http.Client, address string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-StorageApi-Token", DefaultToken)
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response, string(text)}
}

// published is the address of the queue in the index.
func published(t *testing.T, c *http.Client, storage string) string {
	t.Helper()
	var index struct{ Services []struct{ ID, URL string } }
	if err := json.Unmarshal([]byte(get(t, c, storage+"/v2/storage").text), &index); err != nil || len(index.Services) == 0 {
		t.Fatalf("index: %v", err)
	}
	return index.Services[0].URL
}

func TestTLS(t *testing.T) {
	a := platformAt(t, ServeOptions{Listen: "127.0.0.1:0", TLS: true})
	client := clientOf(t, a)
	for name, address := range map[string]string{"storage": a.Storage + "/v2/storage", "queue": a.Queue + "/jobs", "page": a.Storage + "/login"} {
		got := get(t, client, address)
		if !strings.HasPrefix(address, "https://127.0.0.1:") || got.StatusCode != http.StatusOK || got.ProtoMajor != 2 {
			t.Errorf("%s: %s %s %s", name, address, got.Proto, got.Status)
		}
	}
	if queue := published(t, client, a.Storage); queue != a.Queue {
		t.Errorf("the queue is published as %s, printed as %s", queue, a.Queue)
	}
	body := `{"component":"acme.ex","mode":"run","configData":{"parameters":{}}}`
	response, err := client.Post(a.Queue+"/jobs", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a job without a token: %s", response.Status)
	}
	if _, err := (&http.Client{}).Get(a.Storage); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a client that does not trust the authority: %v", err)
	}
	plain := get(t, &http.Client{}, "http"+strings.TrimPrefix(a.Storage, "https")+"/v2/storage")
	if plain.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %s", plain.Status)
	}
}

func TestTLSAndComponentAddress(t *testing.T) {
	_, _, err := ServeOptions{Listen: "127.0.0.1:0", TLS: true, Host: "platform:8088", Token: DefaultToken, engine: inProcess{}}.start(t.Context())
	if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "--component-address cannot be used with --tls") {
		t.Error(err)
	}
}

func TestQueueAddress(t *testing.T) {
	_, taken, err := net.SplitHostPort(platformAt(t, ServeOptions{Listen: "127.0.0.1:0"}).Storage[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name    string
		options ServeOptions
		own     bool
	}{
		{name: "any port", options: ServeOptions{Listen: "127.0.0.1:0"}, own: true},
		{name: "a chosen one", options: ServeOptions{Listen: "127.0.0.1:0", QueueListen: "127.0.0.1:0"}, own: true},
		{name: "IPv6", options: ServeOptions{Listen: "[::1]:0"}, own: true},
		{name: "where others reach it", options: ServeOptions{Listen: "0.0.0.0:0"}},
		{name: "where others reach it, chosen", options: ServeOptions{Listen: "0.0.0.0:0", QueueListen: "0.0.0.0:0"}, own: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, client := platformAt(t, row.options), &http.Client{}
			defer client.CloseIdleConnections()
			if own := !strings.HasSuffix(a.Queue, "/queue"); own != row.own {
				t.Errorf("the queue is at %s", a.Queue)
			}
			if queue := published(t, client, a.Storage); queue != a.Queue {
				t.Errorf("published %s, printed %s", queue, a.Queue)
			}
			for _, base := range []string{a.Queue, a.Storage + "/queue"} {
				if got := get(t, client, base+"/search/jobs"); got.StatusCode != http.StatusOK || got.text != "[]\n" {
					t.Errorf("%s: %s %s", base, got.Status, got.text)
				}
				if got := get(t, client, base+"/none"); got.StatusCode != http.StatusNotFound || !strings.Contains(got.text, `"code":404`) {
					t.Errorf("%s: %s %s", base, got.Status, got.text)
				}
			}
			if row.own {
				if got := get(t, client, a.Queue+"/v2/storage"); got.StatusCode != http.StatusNotFound {
					t.Errorf("the storage API at the queue: %s", got.Status)
				}
			}
		})
	}
	_, _, err = ServeOptions{Data: t.TempDir(), Listen: "127.0.0.1:0", QueueListen: "127.0.0.1:" + taken, Token: DefaultToken, engine: inProcess{}}.start(t.Context())
	if failure.KindOf(err) != failure.User {
		t.Errorf("an address in use: %v", err)
	}
}
