package httpclient

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// strip removes credentials from requests to an origin that only a response names: in the
// URL of a next page, or in a value in the endpoint of a child job.
type strip struct {
	next step
	// known are the origins that the configuration names. They get credentials.
	known []config.Origin
	// anonymous are the origins in the endpoints of jobs without credentials.
	anonymous []config.Origin
	stripper  *stripper
}

func (t *strip) do(ctx context.Context, x *call) (*Response, error) {
	if x.forLogin || trusts(t.known, x.URL) || x.Anonymous && trusts(t.anonymous, x.URL) {
		return t.next.do(ctx, x)
	}
	sent := x.clone()
	stripped, err := t.stripper.ofAddress(sent)
	if err == nil {
		err = t.stripper.strip(sent, stripped)
	}
	if err != nil {
		return nil, err
	}
	return t.next.do(ctx, sent)
}

// stripper removes credentials from requests to untrusted origins and reports the
// removal.
type stripper struct {
	hasCredentials bool // true if an authentication, signature, certificate or user is configured
	secrets        *secret.Registry
	log            *event.Log

	mu       sync.Mutex
	reported map[string]bool // JSON pointers of reported jobs
}

func newStripper(o *Options) *stripper {
	return &stripper{
		hasCredentials: o.Auth != nil || o.Settings.signature != nil || o.Settings.certificate != nil || o.BaseURL.User != nil,
		secrets:        o.Secrets,
		log:            o.Log,
		reported:       map[string]bool{},
	}
}

// strip marks a call as untrusted and removes its credentials: Authorization, cookies,
// and every header that is a secret or holds one. A body with a secret is a user error.
// stripped is true if the caller has removed credentials before. strip changes the call
// and its request.
func (t *stripper) strip(x *call, stripped bool) error {
	x.Untrusted = true
	for name, values := range x.Header {
		if name == "Authorization" || name == "Cookie" || x.Sensitive.Header(name) || slices.ContainsFunc(values, t.holdsSecret) {
			delete(x.Header, name)
			stripped = true
		}
	}
	if x.Sensitive.Header("Host") && x.Host != x.URL.Host {
		x.Host, stripped = x.URL.Host, true
	}
	if len(x.Body) > 0 && len(x.Sensitive.Body()) > 0 || t.holdsSecret(string(x.Body)) {
		return secretError(x, "the body")
	}
	if stripped || t.hasCredentials && !x.Anonymous {
		t.report(x)
	}
	return nil
}

// ofAddress removes the credentials from a URL: parameters that are secrets or hold one,
// and a user that holds one. A path with a secret is a user error. It reports whether it
// removed anything.
func (t *stripper) ofAddress(x *call) (stripped bool, err error) {
	u := x.URL // the call is a clone
	if t.holdsSecret(u.Path) {
		return false, secretError(x, "the path")
	}
	if u.User != nil && t.holdsSecret(u.User.String()) {
		u.User, stripped = nil, true
	}
	pairs := strings.Split(u.RawQuery, "&")
	harmless := slices.DeleteFunc(slices.Clone(pairs), func(pair string) bool { return x.Sensitive.Pair(pair) || t.holdsSecret(pair) })
	if len(harmless) < len(pairs) {
		u.RawQuery, stripped = strings.Join(harmless, "&"), true
	}
	return stripped, nil
}

// secretBytes is the minimum length of a secret here. A shorter secret would be found in
// parameters like page=1.
const secretBytes = 4

func (t *stripper) holdsSecret(text string) bool {
	return slices.ContainsFunc(t.secrets.Find(text), func(s secret.Span) bool { return s.To-s.From >= secretBytes })
}

func secretError(x *call, what string) error {
	return failure.Userf("%s %s was not requested: %s holds a secret, and a response led to an origin that the configuration does not name; if the origin may receive the secret, list it in 'api.http.trustedOrigins'",
		x.Method, config.OriginOf(x.URL), what)
}

// report emits an event. It emits at most one for each job.
func (t *stripper) report(x *call) {
	sender := x.Sender
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reported[sender.Pointer] {
		return
	}
	t.reported[sender.Pointer] = true
	t.log.Emit(event.CredentialsWithheld{Origin: config.OriginOf(x.URL).String(), Job: sender.Job, JobPointer: sender.Pointer, Iteration: sender.Iteration})
}

// originsOf returns the origins of the base URL and of configured endpoints, except
// endpoints with a placeholder in the host.
func originsOf(base *url.URL, endpoints []string) []config.Origin {
	all := []config.Origin{config.OriginOf(base)}
	for _, endpoint := range endpoints {
		u, err := Resolve(base, endpoint)
		if err != nil || strings.ContainsAny(u.Host, "{}") {
			continue
		}
		if o := config.OriginOf(u); !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

func trusts(origins []config.Origin, u *url.URL) bool {
	of := config.OriginOf(u)
	return slices.ContainsFunc(origins, func(o config.Origin) bool { return o.Covers(of) })
}
