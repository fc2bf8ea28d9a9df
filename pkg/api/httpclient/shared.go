package httpclient

import (
	"crypto/tls"
	"crypto/x509"
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// Shared is the state that all clients of a run share.
type Shared struct {
	*env.Run
	Stats        stats
	Settings     Settings
	AllowedHosts []config.AllowedHost

	spooler   *response.Spooler
	tunnel    *sshTunnel // nil if none is configured
	pacer     *pacer
	runLimits *runLimits // nil if the run has no limits
	contacts  *reachedOrigins
}

// stats counts the traffic of a run.
type stats struct {
	// Requests is the number of requests sent, including retries and logins.
	Requests atomic.Int64
	// Bytes is the size of all bodies received, after decompression.
	Bytes atomic.Int64
	// Waited is the sum of all waits, before retries and for rate limits, in nanoseconds.
	Waited atomic.Int64
}

// NewShared returns the shared state for a run of a document. The caller must close it.
func NewShared(e *env.Run, doc *config.Document, s Settings) *Shared {
	shared := &Shared{Run: e, Settings: s, AllowedHosts: doc.AllowedHosts}
	shared.fill(doc.API)
	return shared
}

func (s *Shared) fill(api config.API) {
	if s.spooler == nil {
		s.spooler = response.NewSpooler(s.Temp, response.MemoryLimit)
	}
	if s.contacts == nil {
		s.contacts = &reachedOrigins{}
	}
	if s.tunnel == nil {
		dial := s.Dial
		if s.DenyPrivateNetworks { // the configuration names the SSH server
			dial = publicOnly(dial, s.Lookup, api.ConnectTimeout)
		}
		s.tunnel = newTunnel(s.Settings, dial, s.Sleep)
	}
	if s.pacer == nil {
		s.pacer = newPacer(api.RateLimit, &s.Stats, s.Now, s.Sleep)
	}
	if s.runLimits == nil && s.Limits != (env.Limits{}) {
		after := s.After
		if s.Player != nil {
			after = nil // the clock of a replay stands still during a request
		}
		s.runLimits = newRunLimits(s.Limits, &s.Stats, s.Now, after)
	}
}

func (s *Shared) caching() bool { return s.Settings.ttl > 0 && s.CacheDir != "" }

// Close closes the tunnel.
func (s *Shared) Close() { s.tunnel.Close() }

// Settings are the settings of all requests of a document: certificates, signature,
// tunnel, cache and rules. The zero value has none of them.
type Settings struct {
	authorities *x509.CertPool   // trusted certificates; nil means the certificates of the system
	certificate *tls.Certificate // certificate of the client; may be nil
	signature   *signature
	server      *sshServer
	ttl         int64 // lifetime in the cache, in seconds; 0 disables the cache
	// Rules apply to the responses to the requests of all jobs. LoginRules apply to the
	// responses to logins.
	Rules, LoginRules rule.List
}

// Compile reads `api.caCertificate`, `api.#clientCertificate`, `aws`, `sshProxy`, `cache`
// and the rules that belong to no job. It reports problems to the sections. No problem
// shows key material.
func Compile(doc *config.Document) Settings {
	api := doc.API
	return Settings{
		authorities: compileAuthorities(api.CACertificate),
		certificate: compileCertificate(api.ClientCertificate),
		signature:   compileSignature(Signed(doc)),
		server:      compileServer(SSHProxy.In(doc.Settings), api.ConnectTimeout),
		ttl:         compileTTL(Cache.In(doc.Settings)),
		Rules:       rule.Compile(api.Rules, rule.APIScope, api.Retry.MaxWait),
		LoginRules:  rule.Compile(rule.Login.In(auth.LoginRequest.In(api.Authentication)), rule.LoginScope, api.Retry.MaxWait),
	}
}
