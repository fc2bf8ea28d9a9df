// Package httpclient is the client of the target API: it builds requests from the
// configuration and sends them through a chain of steps. Each step has one
// concern and one file.
//
// A response of the chain has arrived completely and is stored in a spool.
// http.RoundTripper is used below the last step only. The package knows neither
// pages nor how credentials are made (package auth).
package httpclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Options are the settings of one client, and what it shares with the others.
type Options struct {
	*Shared
	API config.API
	// BaseURL is that of config.Iteration.
	BaseURL *url.URL
	// Endpoints are those of the jobs as configured. Credentials are sent to their
	// origins, to that of BaseURL and to API.TrustedOrigins.
	Endpoints []string
	// AnonymousEndpoints are those of jobs that want no credentials. Their own secrets
	// are sent to these origins.
	AnonymousEndpoints []string
	// Debug reports each request that is sent with an event.
	Debug bool
	// Auth adds credentials; nil for none. Identity distinguishes accounts in the
	// cache, see auth.Identity.
	Auth     auth.Authenticator
	Identity string
	// KeepLogins says that logins are not broken off when the run ends: the API may have
	// replaced what only the response holds.
	KeepLogins bool
	// DryRun collects the requests instead of sending them; nil sends them.
	DryRun *DryRun
}

// offline reports whether nothing is sent: in a replay and in a dry run.
func (o *Options) offline() bool { return o.Player != nil || o.DryRun != nil }

// Client sends requests to the target API. It is safe for concurrent use.
type Client struct {
	o       Options
	network *network
	steps   Step
}

// New makes a client. It fails if the directory of the cache cannot be used or
// the address of a proxy is invalid.
func New(o Options) (*Client, error) {
	if o.caching() {
		if err := openCache(o.CacheDir); err != nil {
			return nil, err
		}
	}
	concealUser(o.BaseURL.User, o.Secrets)
	for _, endpoint := range slices.Concat(o.Endpoints, o.AnonymousEndpoints) {
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

// chain builds the chain of steps, from the outside in:
//
//	strip                 removes credentials from requests to origins that a response led to; not for logins
//	redirect              follows redirects; removes credentials if the origin changes; a login must keep its origin
//	retry                 repeats a request that failed, and carries out rules
//	openTunnel            opens the SSH tunnel, also after it was lost
//	authenticate          adds credentials; fetches new ones after a 401; not for logins
//	allowedHostsOnly      refuses hosts that are not allowed
//	publicHostsOnly       refuses addresses of private networks, with --deny-private-networks
//	log                   counts the request; reports it under debug
//	cache                 returns a cached response; not for logins
//	enforceLimits         ends the run when a limit is reached
//	pace                  keeps to the rate limit; waits while the API demands a pause
//	aws                   signs the request
//	registerLoginSecrets  registers the secrets in the response to a login; for logins only
//	record                writes the exchange to the recording
//	send                  sends the request, reads the whole body into a spool, within the timeout
//	network               connections, TLS, proxy or tunnel, with net/http
//
// A replay has the step replay and a dry run the step dryRun instead of the last two,
// and neither has a tunnel. A dry run has no steps record and retry.
//
// In this order each attempt and each redirect gets new credentials and a new signature,
// every URL is checked before a request is sent to it, and every request that is sent is
// reported. A request that the cache serves is not reported.
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
	}
	if o.Recorder != nil && o.DryRun == nil {
		s = &record{s, o.Recorder}
	}
	s = &registerLoginSecrets{s, o.Secrets, o.Settings.LoginRules.PathTexts()}
	if o.Settings.signature != nil {
		s = &aws{s, o.Settings.signature, o.Now, o.Secrets}
	}
	if !o.offline() {
		s = &pace{s, o.pacer}
	}
	s = &enforceLimits{s, o.budget}
	if o.caching() {
		s = newCache(s, o)
	}
	s = &logger{s, o}
	if o.DenyPrivateNetworks && o.Settings.server == nil && !o.offline() { // requests through a tunnel leave at its far side
		s = &publicHostsOnly{s}
	}
	s = &allowedHostsOnly{s, o.AllowedHosts}
	if o.Auth != nil {
		s = &authenticate{next: s, auth: o.Auth, login: c.login, o: o, turn: make(chan struct{}, 1)}
	}
	if o.tunnel != nil && !o.offline() {
		s = &openTunnel{s, o.tunnel}
	}
	if o.DryRun == nil {
		s = &retry{s, o}
	}
	stripper := newStripper(o)
	s = &redirect{s, o.API.TrustedOrigins, stripper}
	return &strip{
		next:      s,
		known:     append(originsOf(o.BaseURL, o.Endpoints), o.API.TrustedOrigins...),
		anonymous: originsOf(o.BaseURL, o.AnonymousEndpoints),
		stripper:  stripper,
	}
}

// Do sends a request of a job, with credentials added. A
// redirect without an address and a status from 400 are user errors, unless the
// status is to be ignored, or a rule decides. If a limit is reached the cause of the error is a *LimitReached.
func (c *Client) Do(ctx context.Context, r config.RequestSpec, from JobInfo) (*Response, error) {
	c.advanceRecordedClock()
	ctx, cancel := c.o.budget.until(ctx)
	defer cancel()
	res, err := c.send(ctx, &Call{Sender: from}, r, from.Headers)
	if err != nil {
		return nil, err
	}
	res.AcceptedError = res.Status >= 300
	if res.Decision != nil {
		return res, nil
	}
	if res.AcceptedError && !slices.Contains(c.o.API.IgnoreErrors, res.Status) {
		return nil, c.statusError(res)
	}
	return res, nil
}

// login sends a login request for another exchange: without default options,
// headers of the client and credentials. A status other than 2xx is a user error.
func (c *Client) login(ctx context.Context, x *Call, r config.RequestSpec) (auth.LoginResponse, error) {
	if u, err := Resolve(c.o.BaseURL, r.Endpoint); err == nil {
		concealUser(u.User, c.o.Secrets)
	}
	r.ForcedType = true // as in the original
	res, err := c.send(ctx, &Call{Sender: x.Sender, Purpose: Login, logins: x.logins}, r, nil)
	if err != nil {
		return auth.LoginResponse{}, err
	}
	if res.Status >= 300 && res.Decision == nil {
		return auth.LoginResponse{}, c.loginError(res)
	}
	return auth.LoginResponse{Header: res.Header, Body: res.Body}, nil
}

// advanceRecordedClock advances the clock of a recording or a replay, so that credentials and
// signatures are computed for the time when the request is sent.
func (c *Client) advanceRecordedClock() {
	if c.o.Player != nil {
		c.o.Player.BeginRequest()
	}
	if c.o.Recorder != nil {
		c.o.Recorder.Tick()
	}
}

// send builds a request and sends it through the chain.
func (c *Client) send(ctx context.Context, x *Call, r config.RequestSpec, headers []config.Header) (*Response, error) {
	accept := x.Sender.Accept
	if x.Purpose == Login {
		accept = ""
	}
	built, err := Build(c.base(x), r, c.o.UserAgent, accept, headers)
	if err != nil {
		return nil, err
	}
	built.Anonymous = x.anonymous()
	x.Request, x.Built = built, built
	res, err := c.steps.Do(ctx, x)
	if err != nil {
		return nil, describe(ctx, built, err)
	}
	return res, nil
}

// base is the base address of a request, without user and password where it gets no
// credentials.
func (c *Client) base(x *Call) *url.URL {
	if !x.anonymous() {
		return c.o.BaseURL
	}
	base := *c.o.BaseURL
	base.User = nil
	return &base
}

// refusal is the user error for a status from 300. Of 3xx only answers without
// Location get here: the others have been followed.
func refusal(res *Response, statusLine string) *failure.Error {
	what, more := "Client error", ""
	switch {
	case res.Status == http.StatusNotModified:
		what, more = "Redirect without an address", ", which is for requests with If-None-Match or If-Modified-Since: remove such headers"
	case res.Status < 400:
		what, more = "Redirect without an address", " and no header Location"
	case res.Status >= 500:
		what = "Server error"
	}
	return failure.Userf("[%d] %s: %s returned %s%s", res.Status, what, res.Address(), strings.TrimSpace(statusLine), more)
}

// refusedStatus is the status that an error is about.
type refusedStatus int

// Error implements error.
func (s refusedStatus) Error() string { return "status " + strconv.Itoa(int(s)) }

// StatusOf is the status of a response that an error of Do is about, 0 for none.
func StatusOf(err error) int {
	status, _ := errors.AsType[refusedStatus](err)
	return int(status)
}

// statusError is the user error for a status from 300. It closes the response.
func (c *Client) statusError(res *Response) error {
	defer res.Body.Close()
	e := refusal(res, res.StatusLine)
	e.Cause = refusedStatus(res.Status)
	if text := messageOf(res, c.o.Secrets); text != "" {
		e.Message += ": " + text
	}
	e.Message += c.tried(res)
	denied := res.Status == http.StatusUnauthorized || res.Status == http.StatusForbidden
	switch {
	case denied && res.Anonymous:
		e.Message += "; it was sent without credentials, because 'credentials' of its job is false"
	case denied && res.Untrusted:
		e.Message += "; it was sent without credentials, because a response led to an origin that the configuration does not name: list it in 'api.http.trustedOrigins' if it may have them"
	}
	return e
}

// Close closes the idle connections.
func (c *Client) Close() { c.network.close() }
