// Package httpclient is the client of the target API. It builds requests from the
// configuration and sends them through a chain of steps. Each step has one concern and
// one file.
//
// The chain returns a response after its body has arrived completely and is stored in a
// spool. http.RoundTripper is used below the last step only. The package knows neither
// pages nor how credentials are made (see package auth).
package httpclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Options are the settings of one client, and the state that it shares with other
// clients.
type Options struct {
	*Shared
	API config.API
	// BaseURL is the base URL of the iteration (config.Iteration).
	BaseURL *url.URL
	// Endpoints are the configured endpoints of the jobs. Credentials are sent to their
	// origins, to the origin of BaseURL and to API.TrustedOrigins.
	Endpoints []string
	// AnonymousEndpoints are the endpoints of the jobs that send no credentials of the
	// API. Secrets that such a job configures itself are sent to these origins.
	AnonymousEndpoints []string
	// Debug enables an event for each request that is sent.
	Debug bool
	// Auth adds credentials. It may be nil. Identity distinguishes accounts in the cache,
	// see auth.Identity.
	Auth     auth.Authenticator
	Identity string
	// KeepLogins lets a login finish after the run has ended. The API may have replaced a
	// credential, and only the response has the new value.
	KeepLogins bool
	// DryRun collects the requests instead of sending them. If it is nil, requests are
	// sent.
	DryRun *DryRun
}

// offline reports whether the client sends no requests, as in a replay or a dry run.
func (o *Options) offline() bool { return o.Player != nil || o.DryRun != nil }

// Client sends requests to the target API. It is safe for concurrent use.
type Client struct {
	o       Options
	network *network
	steps   step
}

// New returns a client. It fails if the directory of the cache cannot be used or the
// address of a proxy is invalid.
func New(o Options) (*Client, error) {
	if o.caching() {
		if err := openCache(o.CacheDir); err != nil {
			return nil, err
		}
	}
	registerUser(o.BaseURL.User, o.Secrets)
	for _, endpoint := range slices.Concat(o.Endpoints, o.AnonymousEndpoints) {
		if u, err := Resolve(o.BaseURL, endpoint); err == nil {
			registerUser(u.User, o.Secrets)
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
//	authenticate          adds credentials; fetches new ones after a 401 or by a rule; not for logins
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
// Instead of the last two, a replay has the step replay and a dry run the step dryRun.
// Neither has the steps openTunnel, publicHostsOnly and pace. A dry run also lacks retry
// and record.
//
// In this order each attempt and each redirect gets new credentials and a new signature,
// every URL is checked before a request is sent to it, and every request that is sent is
// reported. A request that the cache serves is not reported.
//
// To add a step, write its file with a type that implements step and a test beside it, and
// add it to this function and to the list above. A step that changes its call passes on a
// clone. Data that it needs about the request becomes a field of call. Decide whether a
// login, a dry run and a replay need the step.
func (c *Client) chain() step {
	o := &c.o
	var s step
	switch {
	case o.DryRun != nil:
		s = &dryRun{o}
	case o.Player != nil:
		s = &replay{o}
	default:
		s = &send{o, c.network}
	}
	if o.Recorder != nil && o.DryRun == nil {
		s = &record{s, o.Recorder, o.Settings.Rules}
	}
	s = &registerLoginSecrets{s, o.Secrets, o.Settings.LoginRules.PathTexts()}
	if o.Settings.signature != nil {
		s = &aws{s, o.Settings.signature, o.Now, o.Secrets}
	}
	if !o.offline() {
		s = &pace{s, o.pacer}
	}
	s = &enforceLimits{s, o.runLimits}
	if o.caching() {
		s = &cache{next: s, Options: o, keys: newCacheKeys(o), busy: map[string]chan struct{}{}}
	}
	s = &logger{s, o}
	if o.DenyPrivateNetworks && o.Settings.server == nil && !o.offline() { // the SSH server connects to the hosts of a tunnel
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

// Do sends a request of a job with the credentials of the API. A status from 400 and a
// redirect without Location are user errors, unless the configuration ignores the status
// or a rule decides about the response. If a limit of the run is reached, the cause of
// the error is a *LimitReached.
func (c *Client) Do(ctx context.Context, r config.RequestSpec, from JobInfo) (*Response, error) {
	// Credentials and signatures are computed for the time at which the request is sent.
	if c.o.Player != nil {
		c.o.Player.BeginRequest()
	}
	if c.o.Recorder != nil {
		c.o.Recorder.Tick()
	}
	ctx, cancel := c.o.runLimits.until(ctx)
	defer cancel()
	res, err := c.send(ctx, &call{Sender: from}, r, from.Headers)
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

// login sends a login request for call x. The request gets no default options, no headers
// of the client and no credentials. A status from 300 is a user error, unless a rule
// accepts the response.
func (c *Client) login(ctx context.Context, x *call, r config.RequestSpec) (auth.LoginResponse, error) {
	if u, err := Resolve(c.o.BaseURL, r.Endpoint); err == nil {
		registerUser(u.User, c.o.Secrets)
	}
	r.ForcedType = true // like the original extractor
	res, err := c.send(ctx, &call{Sender: x.Sender, forLogin: true, logins: x.logins}, r, nil)
	if err != nil {
		return auth.LoginResponse{}, err
	}
	if res.Status >= 300 && res.Decision == nil {
		return auth.LoginResponse{}, c.statusError(res)
	}
	return auth.LoginResponse{Header: res.Header, Body: res.Body}, nil
}

// send builds a request and sends it through the chain.
func (c *Client) send(ctx context.Context, x *call, r config.RequestSpec, headers []config.Header) (*Response, error) {
	accept := x.Sender.Accept
	if x.forLogin {
		accept = ""
	}
	base := *c.o.BaseURL
	if x.anonymous() {
		base.User = nil
	}
	built, err := build(&base, r, c.o.UserAgent, accept, headers)
	if err != nil {
		return nil, err
	}
	built.Anonymous = x.anonymous()
	x.Request, x.Built, x.renewal = built, built, &renewal{}
	res, err := c.steps.do(ctx, x)
	if err != nil {
		return nil, describe(ctx, built, err)
	}
	return res, nil
}

// refusedStatus is the cause of an error about the status of a response.
type refusedStatus int

// Error implements error.
func (s refusedStatus) Error() string { return "status " + strconv.Itoa(int(s)) }

// StatusOf returns the status of the response that caused an error of Do, or 0 if the
// cause is not a status.
func StatusOf(err error) int {
	status, _ := errors.AsType[refusedStatus](err)
	return int(status)
}

// statusError returns the user error for a status from 300, and closes the response. A 3xx
// response has no Location here, because redirect follows the others.
func (c *Client) statusError(res *Response) error {
	defer res.Body.Close()
	what, more := "Client error", ""
	switch {
	case res.Status == http.StatusNotModified:
		what, more = "Redirect without a URL", ", which is for requests with If-None-Match or If-Modified-Since: remove such headers"
	case res.Status < 400:
		what, more = "Redirect without a URL", " and no header Location"
	case res.Status >= 500:
		what = "Server error"
	}
	e := failure.Userf("[%d] %s: %s returned %s%s", res.Status, what, res.Address(), res.status(), more)
	if text := messageOf(res, c.o.Secrets); text != "" {
		e.Message += ": " + text
	} else if res.forLogin && res.Body.Size() > 0 {
		e.Message += "; the response has no error message that can be shown, and the rest of it is not shown because it may contain credentials"
	}
	e.Message += c.tried(res)
	if res.forLogin {
		return e
	}
	e.Cause = refusedStatus(res.Status)
	denied := res.Status == http.StatusUnauthorized || res.Status == http.StatusForbidden
	switch {
	case denied && res.Anonymous:
		e.Message += "; it was sent without credentials, because 'credentials' of its job is false"
	case denied && res.Untrusted:
		e.Message += "; it was sent without credentials, because a response led to an origin that the configuration does not name: list the origin in 'api.http.trustedOrigins' if it may receive the credentials"
	}
	return e
}

// Close closes the idle connections.
func (c *Client) Close() { c.network.close() }
