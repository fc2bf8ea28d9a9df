// Package env is the environment of one run: clock, network, log, directories and
// limits. Package app makes it once per run. It has no settings of the configuration.
package env

import (
	"cmp"
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

// Dial connects to an address (host:port).
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Lookup returns the addresses of a host name.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// Run is the environment of one run. Its functions and Rand are called by several
// goroutines at once.
type Run struct {
	Log     *event.Log
	Live    *event.Live // shows the running jobs, nil for none
	Secrets *secret.Registry

	// Recorder records every exchange, Player answers instead of the network; nil for
	// none. Now and Sleep are those of the Recorder or Player, if there is one.
	Recorder *har.Recorder
	Player   *har.Player
	Now      func() time.Time
	// Sleep waits, or returns the error of the context when it ends first.
	Sleep func(context.Context, time.Duration) error
	// After is time.AfterFunc, for Limits.Time. With nil that limit is checked between
	// requests only.
	After func(time.Duration, func()) (stop func() bool)
	// Rand is the source of nonces and random waits; nil is the system's.
	Rand io.Reader
	// Getenv returns the proxy settings.
	Getenv func(string) string

	// Dial makes connections; nil is the system's.
	Dial Dial
	// DenyPrivateNetworks restricts requests and the SSH tunnel to hosts on the public
	// internet. Lookup resolves names then; nil is the system's.
	DenyPrivateNetworks bool
	Lookup              Lookup
	// UserAgent is sent unless the configuration sets another.
	UserAgent string

	// State is that of the previous run, null for none. With LoginsOnly the run uses
	// nothing of it but what logins remembered.
	State      value.Value
	LoginsOnly bool
	// Keep stores at once what the next run needs even if this one fails. change makes
	// a state with it from one without. nil stores nothing.
	Keep func(ctx context.Context, change func(state value.Value) value.Value)
	// Temp is the directory for temporary files, Tables the one for the tables, and
	// CacheDir the one of `cache`; "" turns the cache off.
	Temp, Tables, CacheDir string

	// Limits end the run early. With any of them requests are sent one after another,
	// no matter what `api.http.concurrency` says, so that a run always ends at the same
	// request.
	Limits Limits
	// Sample is how many items each run of a job takes at most; 0 is all.
	Sample int
}

// Random returns n random bytes. An error names their purpose.
func (r *Run) Random(n int, purpose string) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(cmp.Or(r.Rand, rand.Reader), b); err != nil {
		return nil, fmt.Errorf("no random bytes for %s: %w", purpose, err)
	}
	return b, nil
}

// Limits are the limits of a run. Zero is no limit.
type Limits struct {
	// Requests sent, including retries, redirects and logins, but not answers from
	// the cache.
	Requests int
	// Bytes of bodies received, decompressed, including logins and partial responses.
	Bytes int64
	// Time since the start of the run.
	Time time.Duration
}
