// Package env defines the environment of a run: clock, network, log, directories and
// limits. Package app creates it once per run. It contains no settings of the
// configuration.
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

// Run is the environment of one run. Its functions and Rand must be safe for concurrent
// use.
type Run struct {
	Log     *event.Log
	Live    *event.Live // live progress of the jobs; may be nil
	Secrets *secret.Registry

	// Recorder records every exchange. Player returns recorded responses instead of
	// sending requests. Either may be nil. If one of them is set, Now and Sleep are its
	// methods.
	Recorder *har.Recorder
	Player   *har.Player
	Now      func() time.Time
	// Sleep waits, or returns the error of the context if the context ends first.
	Sleep func(context.Context, time.Duration) error
	// After is time.AfterFunc, for Limits.Time. If it is nil, Limits.Time is checked only
	// between requests.
	After func(time.Duration, func()) (stop func() bool)
	// Rand is the source of nonces and random waits. If it is nil, crypto/rand is used.
	Rand io.Reader
	// Getenv returns the proxy settings.
	Getenv func(string) string

	// Dial makes connections. If it is nil, net.Dialer makes them.
	Dial Dial
	// DenyPrivateNetworks restricts requests and the SSH tunnel to hosts on the public
	// internet. Lookup then resolves names. If Lookup is nil, the resolver of the system
	// is used.
	DenyPrivateNetworks bool
	Lookup              Lookup
	// UserAgent is the header User-Agent if the configuration sets none.
	UserAgent string

	// State is the state of the previous run, or null. With LoginsOnly the run uses only
	// the values that logins remembered.
	State      value.Value
	LoginsOnly bool
	// TypesEnforced is true if the platform loads a table only if it has the types of the
	// earlier loads.
	TypesEnforced bool
	// Keep stores at once the values that the next run needs even if this run fails.
	// change adds these values to a state. If Keep is nil, they are not stored.
	Keep func(ctx context.Context, change func(state value.Value) value.Value)
	// Temp is the directory of temporary files. Tables is the directory of the tables, and
	// Files the directory of the files. In a replay the files are empty: a recording does
	// not hold their contents. CacheDir is the directory of `cache`; if it is empty, the cache is off.
	Temp, Tables, Files, CacheDir string

	// Limits end the run early. If any limit is set, requests are sent one after another,
	// regardless of `api.http.concurrency`, so that a run always ends at the same
	// request.
	Limits Limits
	// Sample is the maximum number of items that each run of a job takes. 0 means all.
	Sample int
}

// Random returns n random bytes. Its error names their purpose.
func (r *Run) Random(n int, purpose string) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(cmp.Or(r.Rand, rand.Reader), b); err != nil {
		return nil, fmt.Errorf("no random bytes for %s: %w", purpose, err)
	}
	return b, nil
}

// Limits are the limits of a run. Zero means no limit.
type Limits struct {
	// Requests is the number of requests sent, including retries, redirects and logins,
	// but not responses from the cache.
	Requests int
	// Bytes is the size of the bodies received, decompressed, including logins and
	// partial responses.
	Bytes int64
	// Time is the duration since the start of the run.
	Time time.Duration
}
