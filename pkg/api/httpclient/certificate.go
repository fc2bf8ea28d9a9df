package httpclient

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// compileAuthorities reads the PEM bundle that replaces the trusted certificates of the
// system. Text between its blocks is ignored.
func compileAuthorities(s config.Section) *x509.CertPool {
	if s.Value.IsNull() {
		return nil
	}
	blocks, whole := pemBlocks(s.Value.Raw())
	pool, found := x509.NewCertPool(), false
	for _, block := range blocks {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			whole = false
			continue
		}
		pool.AddCert(certificate)
		found = true
	}
	const expected = "expected certificates in PEM form"
	switch {
	case !whole:
		s.Fault(failure.InvalidCertificate, expected, "one of them is damaged")
	case !found:
		s.Fault(failure.InvalidCertificate, expected, "there is none in it")
	}
	return pool
}

// compileCertificate reads the certificate of the client with its chain and its private
// key.
func compileCertificate(s config.Section) *tls.Certificate {
	if s.Value.IsNull() {
		return nil
	}
	text := s.Value.Raw()
	blocks, whole := pemBlocks(text)
	certificates, keys, locked := 0, 0, false
	for _, block := range blocks {
		switch {
		case block.Type == "CERTIFICATE":
			certificates++
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			keys++
			locked = locked || block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != ""
		}
	}
	pair, err := tls.X509KeyPair([]byte(text), []byte(text))
	const expected = "expected a certificate and its private key in PEM form"
	switch {
	case !whole:
		s.Fault(failure.InvalidCertificate, expected, "one of the two is damaged")
	case certificates == 0:
		s.Fault(failure.InvalidCertificate, expected, "the certificate is missing")
	case keys == 0:
		s.Fault(failure.InvalidCertificate, expected, "the private key is missing")
	case locked:
		s.Fault(failure.InvalidCertificate, expected, "the private key has a passphrase, remove it")
	case err != nil && strings.Contains(err.Error(), "does not match"):
		s.Fault(failure.InvalidCertificate, expected, "the private key belongs to another certificate")
	case err != nil:
		s.Fault(failure.InvalidCertificate, expected, "the certificate or the private key is damaged")
	}
	return &pair
}

// pemBlocks returns the blocks of a PEM text. whole is false if a block is damaged.
func pemBlocks(text string) (blocks []*pem.Block, whole bool) {
	rest := []byte(text)
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return blocks, strings.Count(text, "-----BEGIN ") == len(blocks)
		}
		blocks = append(blocks, block)
	}
}

// tlsConfig returns the TLS settings. certificate may be nil. The chain and the host name
// of the server are always verified.
func (s Settings) tlsConfig(certificate *tls.Certificate) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.authorities}
	if certificate != nil {
		// The certificate is sent to every server that requests one, even if the server
		// does not list its authority.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return certificate, nil }
	}
	return c
}
