package exchange

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// withhold keeps credentials from origins that an answer led to: by the address
// of a next page, or by a value in the endpoint of a child job. The origins that
// the configuration names itself may have them.
type withhold struct {
	next http.RoundTripper
	// known are the origins that the configuration names.
	known    []config.Origin
	stripper *stripper
}

var _ http.RoundTripper = (*withhold)(nil)

// RoundTrip implements http.RoundTripper.
func (t *withhold) RoundTrip(req *http.Request) (*http.Response, error) {
	if trusts(t.known, req.URL) {
		return t.next.RoundTrip(req)
	}
	sent := req.Clone(req.Context())
	kept, err := t.stripper.ofAddress(sent)
	if err != nil {
		return nil, err
	}
	if sent, err = t.stripper.strip(sent, kept); err != nil {
		return nil, err
	}
	return t.next.RoundTrip(sent)
}

// stripper takes the credentials out of requests to foreign origins, and says so.
type stripper struct {
	proves  bool // an authentication, a signature or a certificate is configured
	secrets *secret.Registry
	log     *event.Log

	mu   sync.Mutex
	told map[string]bool // jobs by their pointers; one event is enough for each
}

func newStripper(o Options, authenticated bool) *stripper {
	return &stripper{
		proves:  authenticated || o.Settings.signature != nil || o.Settings.certificate != nil || o.BaseURL.User != nil,
		secrets: o.Secrets,
		log:     o.Log,
		told:    map[string]bool{},
	}
}

// strip marks a request as one to a foreign origin and takes out of it what proves
// who we are: Authorization, cookies, and every header that is a secret or holds
// one of the configuration. A body with a secret cannot be sent at all; that is a
// user error. stripped tells that something was taken out already. The request
// must be a clone.
func (t *stripper) strip(req *http.Request, stripped bool) (*http.Request, error) {
	req = req.WithContext(context.WithValue(req.Context(), foreignKey{}, true))
	sensitive := secret.SensitiveOf(req.Context())
	for name, values := range req.Header {
		if name == "Authorization" || name == "Cookie" || sensitive.Header(name) || slices.ContainsFunc(values, t.holdsSecret) {
			delete(req.Header, name)
			stripped = true
		}
	}
	if sensitive.Header("Host") && req.Host != req.URL.Host {
		req.Host, stripped = req.URL.Host, true
	}
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && len(sensitive.Body()) > 0 || t.holdsSecret(string(body)) {
		return nil, secretAhead(req, "the body")
	}
	if stripped || t.proves {
		t.report(req)
	}
	return req, nil
}

// ofAddress takes the credentials out of an address that is made of the
// configuration and of an answer: parameters that are secrets or hold one, and
// user names with one, are left out; a path with one cannot be asked for. It tells
// whether there was any.
func (t *stripper) ofAddress(req *http.Request) (stripped bool, err error) {
	u := req.URL // of a clone
	if t.holdsSecret(u.Path) {
		return false, secretAhead(req, "the path")
	}
	if u.User != nil && t.holdsSecret(u.User.String()) {
		u.User, stripped = nil, true
	}
	sensitive := secret.SensitiveOf(req.Context())
	pairs := strings.Split(u.RawQuery, "&")
	harmless := slices.DeleteFunc(slices.Clone(pairs), func(pair string) bool { return sensitive.Pair(pair) || t.holdsSecret(pair) })
	if len(harmless) < len(pairs) {
		u.RawQuery, stripped = strings.Join(harmless, "&"), true
	}
	return stripped, nil
}

// secretBytes is the length from which a secret counts here. A shorter one is
// none that anybody could keep, and would be found in parameters like page=1.
const secretBytes = 4

// holdsSecret tells whether a text holds a secret, in whatever form.
func (t *stripper) holdsSecret(text string) bool {
	return slices.ContainsFunc(t.secrets.Find(text), func(s secret.Span) bool { return s.To-s.From >= secretBytes })
}

func secretAhead(req *http.Request, what string) error {
	return failure.Userf("%s %s was not asked for: %s holds a secret, and an answer led to an origin that the configuration does not name; if it may have the secret, list it in 'api.http.trustedOrigins'",
		req.Method, config.OriginOf(req.URL), what)
}

// report says once for each job that its credentials are not sent everywhere.
func (t *stripper) report(req *http.Request) {
	sender := senderOf(req.Context())
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told[sender.Pointer] {
		return
	}
	t.told[sender.Pointer] = true
	t.log.Emit(event.CredentialsWithheld{Origin: config.OriginOf(req.URL).String(), Job: sender.Job, JobPointer: sender.Pointer, Iteration: sender.Iteration})
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

// trusts tells whether the origin of an address is among these.
func trusts(origins []config.Origin, u *url.URL) bool {
	of := config.OriginOf(u)
	return slices.ContainsFunc(origins, func(o config.Origin) bool { return o.Covers(of) })
}

// foreignKey marks the context of a request that goes where credentials must not
// go, or has been there: nothing is added that proves who we are.
type foreignKey struct{}

func foreign(ctx context.Context) bool {
	is, _ := ctx.Value(foreignKey{}).(bool)
	return is
}
