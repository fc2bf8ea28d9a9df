// Package env is the environment of one run: its clock, its network, its log, its
// directories and its limits. Package app makes it once and passes it whole to
// what works for the run. It holds no settings of the configuration.
package env

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Dial makes a connection to an address (host:port).
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Lookup gives the addresses of a host name.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// Run is the environment of one run. Its functions and Rand are called by several
// goroutines at once.
type Run struct {
	Log     *event.Log
	Live    *event.Live // the terminal's lines, nil for none
	Secrets *secret.Registry

	// Recorder keeps every exchange, Player answers in the place of the network;
	// nil for none. Now and Sleep are theirs then.
	Recorder *har.Recorder
	Player   *har.Player
	Now      func() time.Time
	// Sleep waits, or returns the error of the context when it ends first.
	Sleep func(context.Context, time.Duration) error
	// After calls a function after a while and returns what prevents that. It is
	// needed for Limits.Time; nil looks at the clock between requests instead.
	After func(time.Duration, func()) (stop func() bool)
	// Rand is the source of nonces and random waits; nil is the system's.
	Rand io.Reader
	// Getenv is asked for the proxy settings.
	Getenv func(string) string

	// Dial makes connections; nil is the system's way.
	Dial Dial
	// DenyPrivateNetworks keeps requests, and the SSH tunnel, to hosts on the
	// public internet. Lookup resolves names then; nil is the system's way.
	DenyPrivateNetworks bool
	Lookup              Lookup
	// UserAgent is sent unless the configuration names another.
	UserAgent string

	// State is that of the previous run, null for none.
	State value.Value
	// Temp is a directory for temporary files, Tables the one for the tables, and
	// CacheDir where `cache` keeps answers; "" turns the cache off.
	Temp, Tables, CacheDir string

	// Limits are what the run may use up. With any of them requests are sent one
	// after another, whatever `api.http.concurrency` says, so that it is always
	// the same request that goes too far.
	Limits Limits
	// Sample is how many items every run of a job takes at most; 0 is all.
	Sample int
}

// Random is so many random bytes for a purpose, which an error names.
func (r *Run) Random(n int, purpose string) ([]byte, error) {
	source := r.Rand
	if source == nil {
		source = rand.Reader
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(source, b); err != nil {
		return nil, fmt.Errorf("no random bytes for %s: %w", purpose, err)
	}
	return b, nil
}

// Limits are what a run may use up. The zero value is no limit.
type Limits struct {
	// Requests really sent: retries, redirects and logins count, answers of the
	// cache do not.
	Requests int
	// Bytes of bodies received, decompressed; those of logins and of answers
	// that broke off count.
	Bytes int64
	// Time since the start of the run.
	Time time.Duration
}
