package httpclient

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// defaultTTL is a week, in seconds.
const defaultTTL = 7 * 24 * 60 * 60

// Cache is the section `cache`.
var (
	Cache     = field.Of("cache", "Cache", "Keeps the responses of GET requests between runs, to save requests while you write a configuration.", cacheType).DefaultJSON(`false`).Example(`{"ttl": 3600}`)
	cacheType = &field.Type{Name: "cache", Title: "Cache", Kinds: []string{"boolean", "object", "number", "string"}, Fields: field.Fields(cacheTTL),
		Doc: "Keeps successful responses to GET requests of jobs, as they arrived, in the directory `cache` beside `config.json`, until they are too old or you remove the directory. `true` and `{\"ttl\": …}` turn it on. A response is used only for the same request of the same account: the address, the configured headers except `Cache-Control`, the credentials (but not the token of a login or a signature in a header), the AWS signature and the client certificate must be the same. The name of each file is a hash of these. If credentials or headers are part of it, the hash is slow to compute. A request with the header `Cache-Control: no-store` bypasses the cache."}
	cacheTTL = field.Integer("ttl", "Time to live", "How many seconds a response is kept.").Default(defaultTTL).Example(`3600`)
)

// compileTTL reads the section `cache` and returns the lifetime of a response in seconds.
// Any value that is not empty turns the cache on. 0 means off.
func compileTTL(s config.Section) int64 {
	if !s.Present() {
		return 0
	}
	ttl := cacheTTL.Of(s)
	if ttl < 0 {
		cacheTTL.In(s).Problem("expected a number of seconds above 0", "")
	}
	if ttl <= 0 {
		return defaultTTL
	}
	return int64(ttl)
}

// cache returns stored responses of this run or an earlier run to GET requests of jobs.
// The URL, the credentials and the configured headers distinguish responses (see
// cacheKeys). Only successful responses are stored, because an error would be repeated
// for days.
//
// Stored responses are data of the user, like the tables. They are not masked. Responses
// to logins are never stored.
type cache struct {
	next step
	*Options
	keys *cacheKeys

	// busy holds the keys of requests in flight. Another request with the same key waits
	// until the channel is closed.
	mu   sync.Mutex
	busy map[string]chan struct{}
}

// openCache creates the directory of the cache and removes partial files of killed runs.
func openCache(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return failure.Applicationf("cannot make the directory of the cache: %w", err)
	}
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), cachePart) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	if err != nil {
		return failure.Applicationf("cannot clear the directory of the cache: %w", err)
	}
	return nil
}

func (t *cache) do(ctx context.Context, x *call) (*Response, error) {
	if _, never := cacheControl(x.Header, "no-store"); never || x.Method != http.MethodGet || x.forLogin {
		return t.next.do(ctx, x)
	}
	name, err := t.keys.of(x)
	if err != nil {
		return nil, err
	}
	done, err := t.claim(ctx, name)
	if err != nil {
		return nil, err
	}
	defer done()
	return t.response(ctx, x, filepath.Join(t.CacheDir, name))
}

// claim waits until no other request with the key is in flight. The returned function
// releases the key.
func (t *cache) claim(ctx context.Context, key string) (done func(), err error) {
	for {
		t.mu.Lock()
		other, busy := t.busy[key]
		if !busy {
			mine := make(chan struct{})
			t.busy[key] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.busy, key)
				t.mu.Unlock()
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *cache) response(ctx context.Context, x *call, path string) (*Response, error) {
	if entry, ok := readEntry(path, t.spooler); ok {
		if t.fresh(entry, x.Header) {
			return entry.response(x, path), nil
		}
		if err := entry.body.Close(); err != nil {
			return nil, err
		}
	}
	res, err := t.next.do(ctx, x)
	if err != nil || res.Status < 200 || res.Status > 299 || res.Body.Coding() != "" || slices.Contains(t.API.Retry.Codes, res.Status) {
		return res, err
	}
	entry := entry{created: t.Now().Unix(), status: res.Status, header: cacheableHeaders(res.Header), body: res.Body}
	if err := entry.write(path); err != nil {
		return nil, failure.Applicationf("cannot write to the cache: %w", errors.Join(err, res.Body.Close()))
	}
	res.cacheFile = path
	return res, nil
}

// fresh reports whether an entry is new enough. With the directive min-fresh the entry
// must stay fresh for at least that number of seconds.
func (t *cache) fresh(e entry, h http.Header) bool {
	left := e.created + t.Settings.ttl - t.Now().Unix()
	if text, ok := cacheControl(h, "min-fresh"); ok {
		wanted, err := strconv.ParseInt(text, 10, 64)
		return err == nil && left >= wanted
	}
	return left >= 0
}

func cacheControl(h http.Header, directive string) (text string, ok bool) {
	for _, line := range headerLines(h, "Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
			if strings.EqualFold(name, directive) {
				return strings.Trim(text, `"`), true
			}
		}
	}
	return "", false
}
