package exchange

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
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
// run or before. Address, credentials and configured headers tell answers apart
// (cacheKeys). Only success is kept: an error, a redirect or an answer that is to
// be tried again would otherwise come back for days.
//
// Kept answers are data of the user, as the tables are: nothing in them is
// masked. Answers of logins never get here.
type cache struct {
	next    http.RoundTripper
	dir     string
	ttl     int64 // seconds
	retried []int // statuses
	now     func() time.Time
	spooler *answer.Spooler
	keys    *cacheKeys

	// busy are the keys that are being answered. Whoever wants the same answer
	// waits for it, as it would be there one after another.
	mu   sync.Mutex
	busy map[string]chan struct{}
}

var _ http.RoundTripper = (*cache)(nil)

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

// RoundTrip implements http.RoundTripper. The answer's body is a
// *answer.Spool.
func (t *cache) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, never := cacheControl(req, "no-store"); never || req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	name, err := t.keys.of(req)
	if err != nil {
		return nil, err
	}
	done, err := t.claim(req.Context(), name)
	if err != nil {
		return nil, err
	}
	defer done()
	return t.answer(req, filepath.Join(t.dir, name))
}

// claim waits until nobody else is about to answer the key. The returned
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

// answer answers from a file of the cache, or sends the request and fills it.
func (t *cache) answer(req *http.Request, path string) (*http.Response, error) {
	if entry, ok := readEntry(path, t.spooler); ok {
		if t.fresh(entry, req) {
			return entry.response(kept(req, path)), nil
		}
		if err := entry.body.Close(); err != nil {
			return nil, err
		}
	}
	res, err := t.next.RoundTrip(req)
	if err != nil || res.StatusCode < 200 || res.StatusCode > 299 || slices.Contains(t.retried, res.StatusCode) {
		return res, err
	}
	entry := entry{created: t.now().Unix(), status: res.StatusCode, link: headerLines(res.Header, "Link"), body: res.Body.(*answer.Spool)}
	if err := entry.write(path); err != nil {
		return nil, failure.Applicationf("cannot write to the cache: %w", errors.Join(err, res.Body.Close()))
	}
	res.Request = kept(res.Request, path)
	return res, nil
}

// cachedKey is where the request of an answer carries the file that keeps it.
type cachedKey struct{}

func kept(req *http.Request, path string) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), cachedKey{}, path))
}

// Forget takes the answer out of the cache, where there is one. It is for an
// answer that turned out to be useless: the next run should ask for another.
func (r *Response) Forget() error {
	if r.cached == "" {
		return nil
	}
	if err := os.Remove(r.cached); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure.Applicationf("cannot remove an answer from the cache: %w", err)
	}
	return nil
}

// fresh tells whether an entry may answer a request, which can ask for one that
// stays fresh for some more seconds.
func (t *cache) fresh(e entry, req *http.Request) bool {
	left := e.created + t.ttl - t.now().Unix()
	if text, ok := cacheControl(req, "min-fresh"); ok {
		wanted, err := strconv.ParseInt(text, 10, 64)
		return err == nil && left >= wanted
	}
	return left >= 0
}

// cacheControl is the value of a directive of the request's Cache-Control.
func cacheControl(req *http.Request, directive string) (text string, ok bool) {
	for _, line := range headerLines(req.Header, "Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
			if strings.EqualFold(name, directive) {
				return strings.Trim(text, `"`), true
			}
		}
	}
	return "", false
}
