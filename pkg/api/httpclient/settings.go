package httpclient

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
)

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
