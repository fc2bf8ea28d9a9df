package httpclient

import (
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// Shared is the state that all clients of a run share.
type Shared struct {
	*env.Run
	Stats        Stats
	Settings     Settings
	AllowedHosts []config.AllowedHost

	spooler   *response.Spooler
	tunnel    *Tunnel // nil if none is configured
	pacer     *Pacer
	runLimits *RunLimits // nil if the run has no limits
	contacts  *ReachedOrigins
}

// Stats counts the traffic of a run.
type Stats struct {
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
		s.contacts = &ReachedOrigins{}
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

// Limited reports whether the run has limits.
func (s *Shared) Limited() bool { return s.runLimits != nil }

// Close closes the tunnel.
func (s *Shared) Close() { s.tunnel.Close() }
