// Package exchange is the client of the target API: it builds requests from the
// words of the configuration and sends them through a chain of steps, one concern
// a file.
//
// A whole exchange, the body included, is one step of the chain: what the chain
// returns has arrived completely and lies in a spool. http.RoundTripper begins at
// the network, below the last step. The package does not know what a page is, nor
// how credentials come about (package auth).
package exchange

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Options are what a client needs beside what all clients of the run share.
type Options struct {
	*Shared
	API config.API
	// BaseURL and Headers are those of config.Iteration.
	BaseURL *url.URL
	Headers []config.Header
	// Endpoints are those of the jobs as they are configured. Their origins, that
	// of the base address and API.TrustedOrigins may have the credentials.
	Endpoints []string
	// Debug asks for one event for every request sent.
	Debug bool
	// Auth adds credentials; nil for none. Identity is the account whose answers the
	// cache gives, see auth.Identity.
	Auth     auth.Authenticator
	Identity string
	// DryRun keeps the requests in the place of the network; nil for none.
	DryRun *DryRun
}

// offline reports whether requests stay here: in a replay and in a dry run.
func (o *Options) offline() bool { return o.Player != nil || o.DryRun != nil }

// Client sends requests to the target API. It is safe for concurrent use.
type Client struct {
	o       Options
	network *network
	steps   Step
}

// New makes a client. An error says that the directory of the cache cannot be
// used, or that the address of a proxy cannot be read.
func New(o Options) (*Client, error) {
	if o.caching() {
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
	network, err := newNetwork(&o)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, network: network}
	c.steps = c.chain()
	return c, nil
}

// chain puts the steps together. From the outside in:
//
//	strip         keeps credentials from origins that an answer led to; not for logins
//	redirect      follows redirects; credentials stay on their own origin, logins too
//	retry         repeats an exchange that failed for a while
//	tunnelled     opens the SSH tunnel, again when it was lost
//	authenticate  adds credentials; fetches new ones on a 401; not for logins
//	hosts         refuses addresses that are not allowed
//	public        refuses addresses of private networks, where that is asked for
//	log           counts the request and reports it under debug
//	cache         answers from an earlier answer; not for logins
//	spend         ends the run when its budget is used up, where there is one
//	pace          keeps below the rate limit, and still while the API wants that
//	aws           signs the request
//	concealLogin  makes secrets of what the answer to a login holds; for logins only
//	record        keeps the exchange in a file, where one is asked for
//	send          sends, reads the whole body into a spool, within the time-out
//	network       connections, TLS, proxy or tunnel: here net/http begins
//
// A replay has one step, replay, in the place of the last three, and no tunnel.
// So has a dry run, dryRun, which has no retry either.
// So credentials and signatures are computed anew for each attempt and each hop,
// every address that leaves is checked, and every request really sent is
// reported: one that the cache answers is not.
func (c *Client) chain() Step {
	o := &c.o
	var s Step
	switch {
	case o.DryRun != nil:
		s = &dryRun{o}
	case o.Player != nil:
		s = &replay{o}
	default:
		s = &send{o, c.network}
		if o.Recorder != nil {
			s = &record{s, o.Recorder}
		}
	}
	s = &concealLogin{s, o.Secrets}
	if o.Settings.signature != nil {
		s = &aws{s, o.Settings.signature, o.Now, o.Secrets}
	}
	if !o.offline() {
		s = &pace{s, o.pacer}
	}
	s = &spend{s, o.budget}
	if o.caching() {
		s = newCache(s, o)
	}
	s = &logger{s, o}
	if o.DenyPrivateNetworks && o.Settings.server == nil && !o.offline() { // requests through a tunnel leave at its far side
		s = &public{s}
	}
	s = &hosts{s, o.AllowedHosts}
	if o.Auth != nil {
		s = &authenticate{next: s, auth: o.Auth, login: c.login, o: o, turn: make(chan struct{}, 1)}
	}
	if o.tunnel != nil && !o.offline() {
		s = &tunnelled{s, o.tunnel}
	}
	if o.DryRun == nil {
		s = &retry{s, o}
	}
	stripper := newStripper(o)
	s = &redirect{s, o.API.TrustedOrigins, stripper}
	return &strip{s, append(originsOf(o.BaseURL, o.Endpoints), o.API.TrustedOrigins...), stripper}
}

// Do sends a request of a job: default options underneath, credentials added.
// A redirect without an address, and an answer of 400 and above, is a user error
// unless its status is to be ignored. When the budget does not allow it the cause
// of the error is a *Cut.
func (c *Client) Do(ctx context.Context, r config.Request, from Sender) (*Answer, error) {
	c.tick()
	ctx, cancel := c.o.budget.until(ctx)
	defer cancel()
	res, err := c.send(ctx, &Exchange{Sender: from}, merged(c.o.API.DefaultOptions, r), c.o.Headers)
	if err != nil {
		return nil, err
	}
	res.Ignored = res.Status >= 300
	if res.Ignored && !slices.Contains(c.o.API.IgnoreErrors, res.Status) {
		return nil, c.statusError(res)
	}
	return res, nil
}

// login sends a login request for another exchange: with its own headers only,
// without default options and credentials. Any answer but one of 2xx is a user
// error.
func (c *Client) login(ctx context.Context, x *Exchange, r config.Request) (*answer.Spool, error) {
	if u, err := Resolve(c.o.BaseURL, r.Endpoint); err == nil {
		concealUser(u.User, c.o.Secrets)
	}
	res, err := c.send(ctx, &Exchange{Sender: x.Sender, Purpose: Login, logins: x.logins}, r, nil)
	if err != nil {
		return nil, err
	}
	if res.Status >= 300 {
		return nil, c.loginError(res)
	}
	return res.Body, nil
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

// send builds a request and sends it through the chain.
func (c *Client) send(ctx context.Context, x *Exchange, r config.Request, headers []config.Header) (*Answer, error) {
	built, err := Build(c.o.BaseURL, r, c.o.UserAgent, headers)
	if err != nil {
		return nil, err
	}
	x.Request, x.Built = built, built
	res, err := c.steps.Do(ctx, x)
	if err != nil {
		return nil, describe(ctx, built, err)
	}
	return res, nil
}

// refusal is the user error for an answer of 300 and above. One of 3xx that gets here
// has no Location, or it would have been followed.
func refusal(res *Answer, statusLine string) *failure.Error {
	what, more := "Client error", ""
	switch {
	case res.Status == http.StatusNotModified:
		what, more = "Redirect without an address", ", which is for requests with If-None-Match or If-Modified-Since: remove such headers"
	case res.Status < 400:
		what, more = "Redirect without an address", " and no header Location"
	case res.Status >= 500:
		what = "Server error"
	}
	return failure.Userf("[%d] %s: %s was answered with %s%s", res.Status, what, res.Address(), strings.TrimSpace(statusLine), more)
}

// statusError is the user error for an answer of 300 and above, which it closes.
func (c *Client) statusError(res *Answer) error {
	defer res.Body.Close()
	e := refusal(res, res.StatusLine)
	if text := answer.Excerpt(res.Body, c.o.Secrets.Redact); text != "" {
		e.Message += ": " + text
	}
	if denied := res.Status == http.StatusUnauthorized || res.Status == http.StatusForbidden; denied && res.Foreign {
		e.Message += "; it was asked without credentials, for an answer led to an origin that the configuration does not name: list it in 'api.http.trustedOrigins' if it may have them"
	}
	return e
}

// Close ends the idle connections.
func (c *Client) Close() { c.network.close() }
