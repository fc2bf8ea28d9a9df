package exchange

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

// defaultTTL is how many seconds the cache keeps an answer when nothing else is
// said: a week.
const defaultTTL = 7 * 24 * 60 * 60

// Cache is the section `cache`.
var (
	Cache     = field.Of("cache", "Cache", "Keeps the answers of GET requests between runs: a help while a configuration is being written.", cacheType).DefaultJSON(`false`).Example(`{"ttl": 3600}`)
	cacheType = &field.Type{Name: "cache", Title: "Cache", Kinds: []string{"boolean", "object", "number", "string"}, Fields: field.Fields(cacheTTL),
		Doc: "Keeps successful answers of GET requests of jobs in the directory `cache` beside `config.json`, as they came, until they are too old or the directory is removed. `true` and `{\"ttl\": …}` turn it on. An answer is given only to the same request of the same account: its address, the configured headers but `Cache-Control`, what the authentication is made of (not the token of a login, nor a signature in a header), the AWS signature and the client certificate must be the same. Names of files are hashes of these, slow to compute where credentials or headers are in them. A request with the header `Cache-Control: no-store` passes by."}
	cacheTTL = field.Integer("ttl", "Time to live", "Seconds an answer is kept.").Default(defaultTTL).Example(`3600`)
)

// compileTTL reads the section `cache`: anything that is not empty turns it on.
// It is 0 when the cache is off.
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

// cache answers GET requests of jobs with what an earlier one brought, in this
// run or before. Address, credentials and configured headers distinguish answers
// (cacheKeys). Only success is kept: an error, a redirect or an answer that is to
// be tried again would otherwise come back for days.
//
// Kept answers are data of the user, as the tables are: nothing in them is
// masked. Answers of logins never get here.
type cache struct {
	next Step
	*Options
	keys *cacheKeys

	// busy are the keys that are being answered. A request for the same
	// answer waits for it.
	mu   sync.Mutex
	busy map[string]chan struct{}
}

func newCache(next Step, o *Options) *cache {
	return &cache{next: next, Options: o, keys: newCacheKeys(o), busy: map[string]chan struct{}{}}
}

// openCache makes the directory of a cache and removes what killed runs left
// half written.
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

func (t *cache) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	if _, never := cacheControl(x.Header, "no-store"); never || x.Method != http.MethodGet || x.Purpose == Login {
		return t.next.Do(ctx, x)
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
	return t.answer(ctx, x, filepath.Join(t.CacheDir, name))
}

// claim waits until no one else is about to answer the key. The returned
// function lets the next one in.
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

func (t *cache) answer(ctx context.Context, x *Exchange, path string) (*Answer, error) {
	if entry, ok := readEntry(path, t.spooler); ok {
		if t.fresh(entry, x.Header) {
			return entry.answer(x, path), nil
		}
		if err := entry.body.Close(); err != nil {
			return nil, err
		}
	}
	res, err := t.next.Do(ctx, x)
	if err != nil || res.Status < 200 || res.Status > 299 || slices.Contains(t.API.Retry.Codes, res.Status) {
		return res, err
	}
	entry := entry{created: t.Now().Unix(), status: res.Status, link: res.Link(), body: res.Body}
	if err := entry.write(path); err != nil {
		return nil, failure.Applicationf("cannot write to the cache: %w", errors.Join(err, res.Body.Close()))
	}
	res.cached = path
	return res, nil
}

// fresh reports whether an entry may answer a request, which can ask for one that
// stays fresh for some more seconds.
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
