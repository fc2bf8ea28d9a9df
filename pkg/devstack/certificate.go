package devstack

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const (
	authorityFile = "authority.pem" // the certificate that clients trust
	privateFile   = "private.pem"   // certificates and keys of authority and server

	authorityLife = 10 * 365 * 24 * time.Hour
	// serverLife is what browsers accept, renewBefore is how long before its end a
	// certificate is replaced.
	serverLife  = 397 * 24 * time.Hour
	renewBefore = 30 * 24 * time.Hour
	// clockSkew is how much the clocks of clients may be late.
	clockSkew = time.Hour
)

// certificates are an authority and the certificate of the platform that it signed,
// kept in a directory. The authority is good for the names of this platform only, so
// a client that trusts it trusts no more than this platform. Several goroutines may use
// it.
type certificates struct {
	dir   string
	hosts []string // names and addresses
	now   func() time.Time

	mu        sync.Mutex
	authority tls.Certificate
	server    tls.Certificate
	// replaced says that clients trust an authority that is not used any more.
	replaced bool
}

// openCertificates reads the certificates, and makes those that are missing, expire or
// are not for all of the hosts. Damaged files are a user error.
func openCertificates(dir string, hosts []string, now func() time.Time) (*certificates, error) {
	c := &certificates{dir: dir, hosts: slices.Compact(slices.Sorted(slices.Values(hosts))), now: now}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failure.Userf("the certificates need a directory: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, privateFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, failure.Userf("reading the certificates: %w", err)
	default:
		if c.authority, c.server, err = parsePairs(text); err != nil {
			return nil, failure.Userf("%s is damaged; remove it to make new certificates: %w", filepath.Join(dir, privateFile), err)
		}
	}
	return c, c.renew()
}

// path is where clients find the certificate of the authority.
func (c *certificates) path() string {
	path := filepath.Join(c.dir, authorityFile)
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// config is the configuration of a server. A long-running server renews its
// certificate too.
func (c *certificates) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if err := c.renew(); err != nil {
				return nil, err
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			server := c.server
			return &server, nil
		},
	}
}

// renew makes the certificates that are missing or not good enough, and writes them.
// The certificate of the authority is always written, in case somebody removed it.
func (c *certificates) renew() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isGood(c.server.Leaf, false) && c.isGood(c.authority.Leaf, true) {
		if _, err := os.Stat(c.path()); err == nil {
			return nil
		}
		return c.write()
	}
	if !c.isGood(c.authority.Leaf, true) {
		made, err := c.make(authorityLife, nil)
		if err != nil {
			return err
		}
		c.replaced = c.authority.Leaf != nil
		c.authority = made
	}
	made, err := c.make(serverLife, &c.authority)
	if err != nil {
		return err
	}
	c.server = made
	return c.write()
}

// isGood reports whether a certificate is valid for some time and for all hosts. An
// authority must outlive the certificate of the server.
func (c *certificates) isGood(certificate *x509.Certificate, isAuthority bool) bool {
	if certificate == nil {
		return false
	}
	until := c.now().Add(renewBefore)
	if isAuthority {
		until = c.now().Add(serverLife)
	}
	if certificate.NotAfter.Before(until) || certificate.NotBefore.After(c.now()) {
		return false
	}
	for _, host := range c.hosts {
		if isAuthority && !permits(certificate, host) || !isAuthority && certificate.VerifyHostname(host) != nil {
			return false
		}
	}
	return true
}

// permits reports whether an authority may sign for a host.
func permits(authority *x509.Certificate, host string) bool {
	ip := net.ParseIP(host)
	if ip == nil {
		return slices.Contains(authority.PermittedDNSDomains, host)
	}
	return slices.ContainsFunc(authority.PermittedIPRanges, func(n *net.IPNet) bool { return n.Contains(ip) })
}

// make makes a certificate for the hosts; without an issuer it is an authority for
// them.
func (c *certificates) make(life time.Duration, issuer *tls.Certificate) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a serial number: %w", err)
	}
	t := &x509.Certificate{
		SerialNumber: serial, NotBefore: c.now().Add(-clockSkew), NotAfter: c.now().Add(life),
		BasicConstraintsValid: true,
		// Systems list authorities by name; two platforms must not be mixed up.
		Subject: pkix.Name{CommonName: "devstack local platform " + serial.Text(36)},
	}
	parent, signer := t, any(key)
	if issuer == nil {
		t.IsCA, t.MaxPathLenZero, t.KeyUsage = true, true, x509.KeyUsageCertSign
		t.PermittedDNSDomainsCritical = true
	} else {
		parent, signer = issuer.Leaf, issuer.PrivateKey
		t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, host := range c.hosts {
		ip := net.ParseIP(host)
		switch {
		case ip != nil && issuer == nil:
			bits := 8 * len(normal(ip))
			t.PermittedIPRanges = append(t.PermittedIPRanges, &net.IPNet{IP: normal(ip), Mask: net.CIDRMask(bits, bits)})
		case ip != nil:
			t.IPAddresses = append(t.IPAddresses, ip)
		case issuer == nil:
			t.PermittedDNSDomains = append(t.PermittedDNSDomains, host)
		default:
			t.DNSNames = append(t.DNSNames, host)
		}
	}
	text, err := x509.CreateCertificate(rand.Reader, t, parent, key.Public(), signer)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(text)
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key, Leaf: leaf}, err
}

// normal is an address with four or sixteen bytes.
func normal(ip net.IP) net.IP {
	if four := ip.To4(); four != nil {
		return four
	}
	return ip
}

// write writes both files; each is complete or as before.
func (c *certificates) write() error {
	var private bytes.Buffer
	for _, pair := range []tls.Certificate{c.authority, c.server} {
		key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
		if err == nil {
			err = errors.Join(
				pem.Encode(&private, &pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
				pem.Encode(&private, &pem.Block{Type: "PRIVATE KEY", Bytes: key}),
			)
		}
		if err != nil {
			return fmt.Errorf("writing a certificate: %w", err)
		}
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.authority.Certificate[0]})
	for name, text := range map[string][]byte{privateFile: private.Bytes(), authorityFile: public} {
		if err := replace(filepath.Join(c.dir, name), text); err != nil {
			return fmt.Errorf("writing a certificate: %w", err)
		}
	}
	return nil
}

// replace writes a file that only its owner can read.
func replace(path string, text []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// parsePairs reads what write wrote: twice a certificate and its key.
func parsePairs(text []byte) (authority, server tls.Certificate, err error) {
	var pairs [2]tls.Certificate
	for i := range pairs {
		var blocks [2][]byte
		for j := range blocks {
			var block *pem.Block
			if block, text = pem.Decode(text); block == nil {
				return authority, server, errors.New("it has not two certificates with their keys")
			}
			blocks[j] = pem.EncodeToMemory(block)
		}
		if pairs[i], err = tls.X509KeyPair(blocks[0], blocks[1]); err != nil {
			return authority, server, err
		}
	}
	return pairs[0], pairs[1], pairs[1].Leaf.CheckSignatureFrom(pairs[0].Leaf)
}
