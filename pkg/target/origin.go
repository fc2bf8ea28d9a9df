package target

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// withhold keeps credentials from origins that an answer led to: by the address
// of a next page, or by a value in the endpoint of a child job. The origins that
// the configuration names itself may have them.
type withhold struct {
	next http.RoundTripper
	// known are the origins that the configuration names.
	known   []config.Origin
	proves  bool // an authentication, a signature or a certificate is configured
	secrets *event.Secrets
	log     *event.Log

	mu   sync.Mutex
	told map[string]bool // jobs by their pointers; one event is enough for each
}

var _ http.RoundTripper = (*withhold)(nil)

// newWithhold makes the step for a client.
func newWithhold(next http.RoundTripper, o Options, authenticated bool) *withhold {
	return &withhold{
		next:    next,
		known:   append(originsOf(o.API.BaseURL, o.Endpoints), o.API.TrustedOrigins...),
		proves:  authenticated || o.Settings.signature != nil || o.Settings.certificate != nil,
		secrets: o.Secrets,
		log:     o.Log,
		told:    map[string]bool{},
	}
}

// RoundTrip implements http.RoundTripper.
func (t *withhold) RoundTrip(req *http.Request) (*http.Response, error) {
	if trusts(t.known, req.URL) {
		return t.next.RoundTrip(req)
	}
	sent := req.Clone(context.WithValue(req.Context(), foreignKey{}, true))
	kept, err := keepBack(sent, t.secrets)
	if err != nil {
		return nil, err
	}
	address, err := keepBackOfAddress(sent, t.secrets)
	if err != nil {
		return nil, err
	}
	if kept || address || t.proves {
		t.tell(sent)
	}
	return t.next.RoundTrip(sent)
}

// tell says once for each job that its credentials are not sent everywhere.
func (t *withhold) tell(req *http.Request) {
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

// keepBack takes out of a request to a foreign origin what proves who we are:
// Authorization, cookies, and every header with a secret of the configuration in
// it. It tells whether there was any. A body with a secret cannot be sent at all;
// that is a user error.
func keepBack(req *http.Request, secrets *event.Secrets) (kept bool, err error) {
	for name, values := range req.Header {
		if name == "Authorization" || name == "Cookie" || slices.ContainsFunc(values, func(v string) bool { return holds(secrets, v) }) {
			delete(req.Header, name)
			kept = true
		}
	}
	if req.GetBody == nil {
		return kept, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return kept, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err == nil && holds(secrets, string(text)) {
		err = secretAhead(req, "the body")
	}
	return kept, err
}

// keepBackOfAddress is keepBack for an address that is made of the configuration
// and of an answer: parameters and user names with a secret are left out, a path
// with one cannot be asked for.
func keepBackOfAddress(req *http.Request, secrets *event.Secrets) (kept bool, err error) {
	u := req.URL // of a clone
	if holds(secrets, u.Path) {
		return false, secretAhead(req, "the path")
	}
	if u.User != nil && holds(secrets, u.User.String()) {
		u.User, kept = nil, true
	}
	pairs := strings.Split(u.RawQuery, "&")
	harmless := slices.DeleteFunc(slices.Clone(pairs), func(pair string) bool { return holds(secrets, pair) })
	if len(harmless) < len(pairs) {
		u.RawQuery, kept = strings.Join(harmless, "&"), true
	}
	return kept, nil
}

// secretBytes is the length from which a secret counts here. A shorter one is
// none that anybody could keep, and would be found in parameters like page=1.
const secretBytes = 4

// holds tells whether a text holds a secret, in whatever form.
func holds(secrets *event.Secrets, text string) bool {
	return slices.ContainsFunc(secrets.Find(text), func(s event.Span) bool { return s.To-s.From >= secretBytes })
}

func secretAhead(req *http.Request, what string) error {
	return failure.Userf("%s %s was not asked for: %s holds a secret, and an answer led to an origin that the configuration does not name; if it may have the secret, list it in 'api.http.trustedOrigins'",
		req.Method, config.OriginOf(req.URL), what)
}
