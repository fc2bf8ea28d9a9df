// Package exchange is the client of the target API: it builds requests from the
// words of the configuration and sends them through a chain of RoundTrippers,
// one concern a file.
//
// A whole exchange, the body included, is one step of the chain: what the chain
// returns has arrived completely and lies in a spool. The package does not know
// what a page is, nor how credentials come about (package auth).
package exchange

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Options are what a client needs beside the configuration of the API.
type Options struct {
	API      config.API
	Settings Settings
	// BaseURL and Headers are those of config.Iteration.
	BaseURL *url.URL
	Headers []config.Header
	// Endpoints are those of the jobs as they are configured. Their origins, that
	// of the base address and API.TrustedOrigins may have the credentials.
	Endpoints    []string
	AllowedHosts []config.AllowedHost
	// Debug asks for one event for every request sent.
	Debug bool
	// UserAgent is sent unless the configuration names another.
	UserAgent string
	Spooler   *answer.Spooler
	Log       *event.Log
	Secrets   *secret.Registry
	Now       func() time.Time
	// Sleep waits, or returns the error of the context when it ends first.
	Sleep func(context.Context, time.Duration) error
	// Dial makes connections; nil uses the system's way.
	Dial Dial
	// DenyPrivateNetworks refuses every host that is not on the public internet,
	// see PublicOnly. Lookup resolves names then; nil uses the system's way.
	DenyPrivateNetworks bool
	Lookup              Lookup
	// Tunnel is that of Settings, which all clients of a run share; nil only when
	// they name none.
	Tunnel *Tunnel
	// Pacer is that of the run; nil makes one for this client alone.
	Pacer *Pacer
	// Contacts are those of the run; nil makes some for this client alone.
	Contacts *Contacts
	// Rand is where random waits come from; nil is the system's source. It is read
	// by several requests at once.
	Rand io.Reader
	// CacheDir is where the cache of Settings keeps its files; "" turns it off.
	// Identity tells whose answers they are, see auth.Identity.
	CacheDir, Identity string
	// Getenv is asked for the proxy settings.
	Getenv func(string) string
	// Stats counts what is sent; shared by all clients of a run.
	Stats *Stats
	// Budget is that of the run; nil for no limit.
	Budget *Budget
	// Recorder keeps every exchange, Player answers in the place of the network;
	// nil for none. Now and Sleep are theirs then.
	Recorder *har.Recorder
	Player   *har.Player
	// DryRun keeps the requests in the place of the network; nil for none.
	DryRun *DryRun
}

// Stats counts the traffic of a run.
type Stats struct {
	// Requests sent, retries and logins included.
	Requests atomic.Int64
	// Bytes of all bodies received, after decompression.
	Bytes atomic.Int64
	// Waited is for how many nanoseconds requests were kept waiting: before a
	// retry and by the rate limit, added up over all of them.
	Waited atomic.Int64
}

// Client sends requests to the target API. It is safe for concurrent use.
type Client struct {
	o       Options
	network *network
	plain   http.RoundTripper // without credentials, for logins
	full    http.RoundTripper
}

// New makes a client. authenticate may be nil; it is given the client itself
// so that a login can be sent through it. An error says that the directory of
// the cache cannot be used, or that the address of a proxy cannot be read.
func New(o Options, authenticate func(*Client) auth.Authenticator) (*Client, error) {
	caching := o.Settings.ttl > 0 && o.CacheDir != ""
	if caching {
		if err := openCache(o.CacheDir); err != nil {
			return nil, err
		}
	}
	concealUser(o.BaseURL.User, o.Secrets)
	for _, endpoint := range o.Endpoints {
		if u, err := Resolve(o.BaseURL, endpoint); err == nil {
			concealUser(u.User, o.Secrets)
		}
	}
	if o.Pacer == nil {
		o.Pacer = NewPacer(o.API.RateLimit, o.Stats, o.Now, o.Sleep)
	}
	if o.Contacts == nil {
		o.Contacts = &Contacts{}
	}
	network, err := newNetwork(o)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, network: network}
	c.plain = &redirect{next: c.chain(&concealLogin{next: c.wire(true), secrets: o.Secrets}, nil, false), trusted: o.API.TrustedOrigins}
	var a auth.Authenticator
	if authenticate != nil {
		a = authenticate(c)
	}
	stripper := newStripper(o, a != nil)
	follow := &redirect{next: c.chain(c.wire(false), a, caching), trusted: o.API.TrustedOrigins, stripper: stripper}
	c.full = &withhold{next: follow, known: append(originsOf(o.BaseURL, o.Endpoints), o.API.TrustedOrigins...), stripper: stripper}
	return c, nil
}

// chain puts the RoundTrippers together, but for the first two. From the outside
// in:
//
//	withhold      keeps credentials from origins that an answer led to; not for logins
//	redirect      follows redirects; credentials stay on their own origin, logins too
//	retry         repeats an exchange that failed for a while
//	tunnelled     opens the SSH tunnel, again when it was lost
//	authenticate  adds credentials; fetches new ones on a 401
//	hosts         refuses addresses that are not allowed
//	public        refuses addresses of private networks, where that is asked for
//	log           counts the request and reports it under debug
//	cache         answers from an earlier answer; not for logins
//	spend         ends the run when its budget is used up, where there is one
//	pace          keeps below the rate limit, and still while the API wants that
//	aws           signs the request
//	concealLogin  makes secrets of what the answer to a login holds; for logins only
//	record        keeps the exchange in a file, where one is asked for
//	exchange      sends, reads the whole body into a spool, within the time-out
//	proxied       prepares requests that go through a proxy
//	network       connections, TLS, proxy or tunnel
//
// A replay has one step, replay, in the place of the last four, and no tunnel.
// So has a dry run, dryRun, which has no retry either.
// So credentials and signatures are computed anew for each attempt and each hop,
// every address that leaves is checked, and every request really sent is
// reported: one that the cache answers is not.
func (c *Client) chain(rt http.RoundTripper, a auth.Authenticator, caching bool) http.RoundTripper {
	offline := c.o.Player != nil || c.o.DryRun != nil
	if with := c.o.Settings.signature; with != nil {
		rt = &aws{next: rt, with: with, now: c.o.Now, secrets: c.o.Secrets}
	}
	if !offline {
		rt = &pace{next: rt, pacer: c.o.Pacer}
	}
	if c.o.Budget != nil {
		rt = &spend{next: rt, budget: c.o.Budget}
	}
	if caching {
		rt = &cache{next: rt, dir: c.o.CacheDir, ttl: c.o.Settings.ttl, retried: c.o.API.Retry.Codes, now: c.o.Now, spooler: c.o.Spooler,
			keys: newCacheKeys(c.o), busy: map[string]chan struct{}{}}
	}
	rt = &logger{next: rt, log: c.o.Log, debug: c.o.Debug, stats: c.o.Stats, now: c.o.Now}
	if c.o.DenyPrivateNetworks && c.leavesHere() {
		rt = &public{next: rt}
	}
	rt = &hosts{next: rt, allowed: c.o.AllowedHosts}
	if a != nil {
		rt = &authenticate{next: rt, auth: a, logins: c.recordLogins(), turn: make(chan struct{}, 1)}
	}
	if c.o.Settings.server != nil && !offline {
		rt = &tunnelled{next: rt, tunnel: c.o.Tunnel}
	}
	if c.o.DryRun == nil {
		rt = &retry{
			next: rt, policy: c.o.API.Retry, first: firstContact{c.o.Contacts, c.o.API, c.o.BaseURL}, spread: c.sideBySide(), random: c.o.Rand,
			now: c.o.Now, sleep: c.o.Sleep, log: c.o.Log, pacer: c.o.Pacer, stats: c.o.Stats, budget: c.o.Budget,
		}
	}
	return rt
}

// sideBySide tells whether requests are sent side by side. Those of a recording
// may be, but its waits have to be computed again when it is replayed.
func (c *Client) sideBySide() bool {
	return c.o.API.Concurrency > 1 && c.o.Budget == nil && c.o.Recorder == nil && c.o.Player == nil
}

// leavesHere tells whether requests go out into the network around us: not those
// through a tunnel, which leave at its far side, nor those of a replay
// or a dry run.
func (c *Client) leavesHere() bool {
	return c.o.Settings.server == nil && c.o.Player == nil && c.o.DryRun == nil
}

// wire are the innermost steps: what becomes of a request, perhaps of a login,
// that is ready to be sent.
func (c *Client) wire(login bool) http.RoundTripper {
	if c.o.DryRun != nil {
		return &dryRun{login: login, o: c.o}
	}
	if c.o.Player != nil {
		return &replay{player: c.o.Player, spooler: c.o.Spooler, stats: c.o.Stats, budget: c.o.Budget, contacts: c.o.Contacts}
	}
	var rt http.RoundTripper = c.network
	if via := c.network.known.Proxy; via != nil {
		rt = &proxied{next: rt, via: via}
	}
	rt = &exchange{next: rt, timeout: c.o.API.RequestTimeout, limit: c.o.API.MaxResponseBytes, spooler: c.o.Spooler, stats: c.o.Stats, budget: c.o.Budget, contacts: c.o.Contacts}
	if c.o.Recorder != nil {
		rt = &record{next: rt, recorder: c.o.Recorder}
	}
	return rt
}

// recordLogins is what the authentication does about its logins when they are
// recorded.
func (c *Client) recordLogins() func(context.Context) (context.Context, func(error) error) {
	if c.o.Recorder == nil {
		return nil
	}
	return func(ctx context.Context) (context.Context, func(error) error) {
		l := &loginRecord{recorder: c.o.Recorder, spooler: c.o.Spooler}
		return context.WithValue(ctx, loginKey{}, l), l.write
	}
}

// Response is an answer that has arrived completely.
type Response struct {
	// Method and URL of the request as it was sent last; the URL without user name,
	// password and parameters that are secrets by what they were made of.
	Method, URL string
	Status      int
	// Ignored is set when the status is an error that the configuration wants
	// taken as data (`api.http.ignoreErrors`).
	Ignored bool
	// Link are the values of the header of that name, which may lead to the next
	// page.
	Link []string
	// Body must be closed.
	Body *answer.Spool

	cached string // the file of the cache that keeps it
}

// Do sends a request of a job: default options underneath, credentials added.
// A redirect without an address, and an answer of 400 and above, is a user error
// unless its status is to be ignored. When the budget does not allow it the cause
// of the error is a *Cut.
func (c *Client) Do(ctx context.Context, r config.Request) (*Response, error) {
	c.tick()
	ctx, cancel := c.o.Budget.until(ctx)
	defer cancel()
	res, err := c.send(ctx, c.full, merged(c.o.API.DefaultOptions, r), c.o.Headers)
	if err != nil {
		return nil, err
	}
	failed := res.StatusCode >= 300
	if failed && !slices.Contains(c.o.API.IgnoreErrors, res.StatusCode) {
		return nil, c.statusError(res)
	}
	cached, _ := res.Request.Context().Value(cachedKey{}).(string)
	return &Response{
		cached:  cached,
		Method:  res.Request.Method,
		URL:     shown(res.Request),
		Status:  res.StatusCode,
		Ignored: failed,
		Link:    headerLines(res.Header, "Link"),
		Body:    res.Body.(*answer.Spool),
	}, nil
}

// Login sends a login request: with its own headers only, without default
// options and credentials. Any answer but one of 2xx is a user error.
func (c *Client) Login(ctx context.Context, r config.Request) (*answer.Spool, error) {
	if u, err := Resolve(c.o.BaseURL, r.Endpoint); err == nil {
		concealUser(u.User, c.o.Secrets)
	}
	res, err := c.send(context.WithValue(ctx, loggingIn{}, true), c.plain, r, nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		return nil, c.loginError(res)
	}
	return res.Body.(*answer.Spool), nil
}

// builtKey is where a request carries what it was built as, before authentication
// and redirects.
type builtKey struct{}

// remembering is a request that carries itself.
func remembering(req *http.Request) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), builtKey{}, req))
}

// builtOf is what a request was built as; nil for one that was not built here.
func builtOf(req *http.Request) *http.Request {
	built, _ := req.Context().Value(builtKey{}).(*http.Request)
	return built
}

// tick lets the clock of a recording go on, so that credentials and signatures
// are of the time when the request is sent; a replay does the same.
func (c *Client) tick() {
	switch {
	case c.o.Recorder != nil:
		c.o.Recorder.Tick()
	case c.o.Player != nil:
		c.o.Player.Tick()
	}
}

func (c *Client) send(ctx context.Context, rt http.RoundTripper, r config.Request, headers []config.Header) (*http.Response, error) {
	req, err := Build(ctx, c.o.BaseURL, r, c.o.UserAgent, headers)
	if err != nil {
		return nil, err
	}
	res, err := rt.RoundTrip(remembering(req))
	if err != nil {
		return nil, describe(ctx, req, err)
	}
	return res, nil
}

// whatFailed says what an answer of 300 and above is, and what belongs behind its
// status. One of 3xx that gets here has no Location, or it would have been followed.
func whatFailed(status int) (what, more string) {
	switch {
	case status == http.StatusNotModified:
		return "Redirect without an address", ", which is for requests with If-None-Match or If-Modified-Since: remove such headers"
	case status < 400:
		return "Redirect without an address", " and no header Location"
	case status >= 500:
		return "Server error", ""
	default:
		return "Client error", ""
	}
}

// statusError is the user error for an answer of 300 and above, which it closes.
func (c *Client) statusError(res *http.Response) error {
	defer res.Body.Close()
	what, more := whatFailed(res.StatusCode)
	e := failure.Userf("[%d] %s: %s %s was answered with %s%s", res.StatusCode, what,
		res.Request.Method, shown(res.Request), strings.TrimSpace(res.Status), more)
	if text := answer.Excerpt(res.Body.(*answer.Spool), c.o.Secrets.Redact); text != "" {
		e.Message += ": " + text
	}
	if denied := res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden; denied && foreign(res.Request.Context()) {
		e.Message += "; it was asked without credentials, for an answer led to an origin that the configuration does not name: list it in 'api.http.trustedOrigins' if it may have them"
	}
	return e
}

// Close ends the idle connections.
func (c *Client) Close() { c.network.close() }
