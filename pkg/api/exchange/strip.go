package exchange

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

// strip keeps credentials from origins that an answer led to: by the address
// of a next page, or by a value in the endpoint of a child job. The origins that
// the configuration names itself may have them.
type strip struct {
	next Step
	// known are the origins that the configuration names.
	known    []config.Origin
	stripper *stripper
}

func (t *strip) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	if x.Purpose == Login || trusts(t.known, x.URL) {
		return t.next.Do(ctx, x)
	}
	sent := x.clone()
	stripped, err := t.stripper.ofAddress(sent)
	if err == nil {
		err = t.stripper.strip(sent, stripped)
	}
	if err != nil {
		return nil, err
	}
	return t.next.Do(ctx, sent)
}

// stripper takes the credentials out of requests to foreign origins, and says so.
type stripper struct {
	proves  bool // an authentication, a signature or a certificate is configured
	secrets *secret.Registry
	log     *event.Log

	mu       sync.Mutex
	reported map[string]bool // jobs by their pointers; one event is enough for each
}

func newStripper(o *Options) *stripper {
	return &stripper{
		proves:   o.Auth != nil || o.Settings.signature != nil || o.Settings.certificate != nil || o.BaseURL.User != nil,
		secrets:  o.Secrets,
		log:      o.Log,
		reported: map[string]bool{},
	}
}

// strip marks an exchange as one with a foreign origin and takes out of it what proves
// who we are: Authorization, cookies, and every header that is a secret or holds
// one of the configuration. A body with a secret cannot be sent at all; that is a
// user error. stripped is set when something was taken out already. The exchange
// and its request must be copies.
func (t *stripper) strip(x *Exchange, stripped bool) error {
	x.Foreign = true
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
		return secretAhead(x, "the body")
	}
	if stripped || t.proves {
		t.report(x)
	}
	return nil
}

// ofAddress takes the credentials out of an address that is made of the
// configuration and of an answer: parameters that are secrets or hold one, and
// user names with one, are left out; a path with one cannot be asked for. It reports
// whether there was any.
func (t *stripper) ofAddress(x *Exchange) (stripped bool, err error) {
	u := x.URL // of a clone
	if t.holdsSecret(u.Path) {
		return false, secretAhead(x, "the path")
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

// secretBytes is the length from which a secret counts here. A shorter one is
// no secret that could be kept, and would be found in parameters like page=1.
const secretBytes = 4

func (t *stripper) holdsSecret(text string) bool {
	return slices.ContainsFunc(t.secrets.Find(text), func(s secret.Span) bool { return s.To-s.From >= secretBytes })
}

func secretAhead(x *Exchange, what string) error {
	return failure.Userf("%s %s was not asked for: %s holds a secret, and an answer led to an origin that the configuration does not name; if it may have the secret, list it in 'api.http.trustedOrigins'",
		x.Method, config.OriginOf(x.URL), what)
}

// report says once for each job that its credentials are not sent everywhere.
func (t *stripper) report(x *Exchange) {
	sender := x.Sender
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reported[sender.Pointer] {
		return
	}
	t.reported[sender.Pointer] = true
	t.log.Emit(event.CredentialsWithheld{Origin: config.OriginOf(x.URL).String(), Job: sender.Job, JobPointer: sender.Pointer, Iteration: sender.Iteration})
}

// originsOf are the origins of the base address and of endpoints as they are
// configured. One whose host is made of a row names none.
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
