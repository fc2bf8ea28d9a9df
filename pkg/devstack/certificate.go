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
	authorityFile = "authority.pem" // certificate of the authority, for clients to trust
	privateFile   = "private.pem"   // certificates and keys of the authority and the server

	authorityLife = 10 * 365 * 24 * time.Hour
	// serverLife is the longest lifetime of a certificate that browsers accept. A
	// certificate is replaced when less than renewBefore remains.
	serverLife  = 397 * 24 * time.Hour
	renewBefore = 30 * 24 * time.Hour
	// clockSkew is the tolerated lag of clients' clocks.
	clockSkew = time.Hour
)

// certificates contains an authority and the server certificate that it signed, stored in a
// directory. The authority is restricted to the names of this platform, so a client that
// trusts the authority trusts only this platform. It is safe for concurrent use.
type certificates struct {
	dir   string
	hosts []string // host names and IP addresses
	now   func() time.Time

	mu        sync.Mutex
	authority tls.Certificate
	server    tls.Certificate
	// replaced is true if clients may trust an authority that is not used any more.
	replaced bool
}

// openCertificates reads the certificates. It creates certificates that are missing, expire
// soon or lack a host. Damaged files are a user error.
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
			return nil, failure.Userf("%s is damaged; remove it, and new certificates are created: %w", filepath.Join(dir, privateFile), err)
		}
	}
	return c, c.renew()
}

func (c *certificates) path() string {
	path := filepath.Join(c.dir, authorityFile)
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// config returns the TLS configuration of a server. It checks the certificates for each
// connection, so that a long-running server renews them too.
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

// renew creates and writes the certificates that are missing or unusable. It also restores
// the file with the authority's certificate if somebody removed it.
func (c *certificates) renew() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isUsable(c.server.Leaf, false) && c.isUsable(c.authority.Leaf, true) {
		if _, err := os.Stat(c.path()); err == nil {
			return nil
		}
		return c.write()
	}
	if !c.isUsable(c.authority.Leaf, true) {
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

// isUsable reports whether a certificate is valid for all hosts and for long enough. An
// authority must outlive the next server certificate.
func (c *certificates) isUsable(certificate *x509.Certificate, isAuthority bool) bool {
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

func permits(authority *x509.Certificate, host string) bool {
	ip := net.ParseIP(host)
	if ip == nil {
		return slices.Contains(authority.PermittedDNSDomains, host)
	}
	return slices.ContainsFunc(authority.PermittedIPRanges, func(n *net.IPNet) bool { return n.Contains(ip) })
}

// make creates a certificate for the hosts. If issuer is nil, the certificate is an
// authority restricted to the hosts.
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
		// Systems list authorities by name, so the name must distinguish platforms.
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
			bits := 8 * len(shortIP(ip))
			t.PermittedIPRanges = append(t.PermittedIPRanges, &net.IPNet{IP: shortIP(ip), Mask: net.CIDRMask(bits, bits)})
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

// shortIP returns an IPv4 address with four bytes and an IPv6 address with sixteen.
func shortIP(ip net.IP) net.IP {
	if four := ip.To4(); four != nil {
		return four
	}
	return ip
}

// write replaces both files. After a crash each file is either old or complete.
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
		if err := replaceFile(filepath.Join(c.dir, name), text); err != nil {
			return fmt.Errorf("writing a certificate: %w", err)
		}
	}
	return nil
}

// replaceFile writes a file that only its owner can read. It replaces an existing file
// atomically.
func replaceFile(path string, text []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// parsePairs parses the text that write writes: two certificates, each with its key.
func parsePairs(text []byte) (authority, server tls.Certificate, err error) {
	var pairs [2]tls.Certificate
	for i := range pairs {
		var blocks [2][]byte
		for j := range blocks {
			var block *pem.Block
			if block, text = pem.Decode(text); block == nil {
				return authority, server, errors.New("it does not have two certificates with their keys")
			}
			blocks[j] = pem.EncodeToMemory(block)
		}
		if pairs[i], err = tls.X509KeyPair(blocks[0], blocks[1]); err != nil {
			return authority, server, err
		}
	}
	return pairs[0], pairs[1], pairs[1].Leaf.CheckSignatureFrom(pairs[0].Leaf)
}
