package httpclient

import (
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// Shared is what all clients of a run share.
type Shared struct {
	*env.Run
	Stats        Stats
	Settings     Settings
	AllowedHosts []config.AllowedHost

	spooler  *response.Spooler
	tunnel   *Tunnel // nil for none
	pacer    *Pacer
	budget   *RunLimits // nil for no limit
	contacts *ReachedOrigins
}

// Stats counts the traffic of a run.
type Stats struct {
	// Requests sent, retries and logins included.
	Requests atomic.Int64
	// Bytes of all bodies received, after decompression.
	Bytes atomic.Int64
	// Waited is the sum of all waits before retries and for the rate limit, in
	// nanoseconds.
	Waited atomic.Int64
}

// NewShared makes the shared part for a run of a document. It must be closed.
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
	if s.budget == nil && s.Limits != (env.Limits{}) {
		after := s.After
		if s.Player != nil {
			after = nil // the clock of a replay stands still during a request
		}
		s.budget = newRunLimits(s.Limits, &s.Stats, s.Now, after)
	}
}

func (s *Shared) caching() bool { return s.Settings.ttl > 0 && s.CacheDir != "" }

// Limited reports whether the run has limits.
func (s *Shared) Limited() bool { return s.budget != nil }

// Close closes the tunnel.
func (s *Shared) Close() { s.tunnel.Close() }
