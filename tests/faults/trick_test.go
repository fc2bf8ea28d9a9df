package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// tricks are what a world has started to disturb its connections.
type tricks struct {
	mu    sync.Mutex
	proxy *toxiproxy.Proxy
	other net.Listener
}

// end stops all of it.
func (k *tricks) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.proxy != nil {
		k.proxy.Stop()
	}
	if k.other != nil {
		_ = k.other.Close() // no one needs it any more
	}
}

// toxic is the address of a proxy in front of the API that does harm to its
// connections, as the toxic says (its type and attributes, in JSON); "" is a
// proxy that is switched off.
func (w *world) toxic(toxic string) (string, error) {
	k := &w.tricks
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.proxy != nil {
		return k.proxy.Listen, nil
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	k.proxy = toxiproxy.NewProxy(server, "api", "127.0.0.1:0", w.server.Listener.Addr().String())
	if err := k.proxy.Start(); err != nil {
		return "", err
	}
	if toxic == "" {
		k.proxy.Stop()
		return k.proxy.Listen, nil
	}
	_, err := k.proxy.Toxics.AddToxicJson(strings.NewReader(toxic))
	return k.proxy.Listen, err
}

// instead is the address of a server that does as it pleases with each
// connection, which is closed afterwards.
func (w *world) instead(behave func(net.Conn)) (string, error) {
	k := &w.tricks
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.other != nil {
		return k.other.Addr().String(), nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	k.other = listener
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the end of the world
			}
			go func() {
				behave(conn)
				_ = conn.Close() // the client may have been faster
			}()
		}
	}()
	return listener.Addr().String(), nil
}

// pair is a certificate and its key.
type pair struct {
	der []byte
	key *ecdsa.PrivateKey
}

func (p pair) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.der}))
}

// issue makes a certificate; without an issuer it signs itself.
func issue(template x509.Certificate, issuer *pair) pair {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the system's random source is broken
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject = pkix.Name{CommonName: "fault"}
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := &template, key
	if issuer != nil {
		signer = issuer.key
		if parent, err = x509.ParseCertificate(issuer.der); err != nil {
			panic(err) // a mistake in this test
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer)
	if err != nil {
		panic(err) // a mistake in this test
	}
	return pair{der, key}
}

// authority is the one that the configurations trust.
var authority = sync.OnceValue(newAuthority)

func newAuthority() pair {
	return issue(x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
}

// honest is the certificate of the API as it should be.
var honest = sync.OnceValue(func() pair {
	a := authority()
	return issue(x509.Certificate{DNSNames: []string{"api.test"}}, &a)
})

var expired = sync.OnceValue(func() pair {
	a := authority()
	return issue(x509.Certificate{DNSNames: []string{"api.test"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)}, &a)
})

var early = sync.OnceValue(func() pair {
	a := authority()
	return issue(x509.Certificate{DNSNames: []string{"api.test"}, NotBefore: time.Now().Add(time.Hour), NotAfter: time.Now().Add(2 * time.Hour)}, &a)
})

var wrongHost = sync.OnceValue(func() pair {
	a := authority()
	return issue(x509.Certificate{DNSNames: []string{"another.test"}}, &a)
})

var unnamed = sync.OnceValue(func() pair {
	a := authority()
	return issue(x509.Certificate{}, &a)
})

var unknownAuthority = sync.OnceValue(func() pair {
	a := newAuthority()
	return issue(x509.Certificate{DNSNames: []string{"api.test"}}, &a)
})

var selfSigned = sync.OnceValue(func() pair { return issue(x509.Certificate{DNSNames: []string{"api.test"}}, nil) })

// serverTLS is how a server with a certificate answers.
func serverTLS(certificate func() pair) *tls.Config {
	p := certificate()
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{p.der}, PrivateKey: p.key}}}
}
