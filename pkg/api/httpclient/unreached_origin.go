package httpclient

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// reachedOrigins is the set of origins that have responded in a run, with any status. All
// clients of a run share one set. The zero value is empty.
type reachedOrigins struct {
	responded sync.Map // set of config.Origin
}

func (c *reachedOrigins) add(u *url.URL) { c.responded.Store(config.OriginOf(u), true) }

func (c *reachedOrigins) has(u *url.URL) bool {
	_, ok := c.responded.Load(config.OriginOf(u))
	return ok
}

// Limits for connecting to an origin that has not responded yet. A failure there is more
// likely a mistake in the configuration than a temporary fault.
const (
	maxUnreachedAttempts = 5
	maxUnreachedTime     = 30 * time.Second
)

// unreachedLimits limits and explains failed connections to origins that have not
// responded yet.
type unreachedLimits struct {
	contacts *reachedOrigins
	api      config.API
	base     *url.URL
}

// failed reports whether an attempt could not connect to an origin that has never
// responded. An untrusted certificate does not count, because the server is there. A lack
// of file descriptors on this machine does not count either.
func (f unreachedLimits) failed(x *call, err error) bool {
	n, ok := err.(*networkError)
	ours := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	return ok && n.unsent && n.code != codeVerify && !ours && !f.contacts.has(x.URL)
}

// explain adds the number of attempts and advice to the error of the last attempt. failed
// must have returned true for err.
func (f unreachedLimits) explain(x *call, err error, attempts int, passed time.Duration) error {
	tried := "tried once"
	if attempts > 1 {
		tried = fmt.Sprintf("tried %d times in %s", attempts, textfmt.Count(int(passed.Round(time.Second).Seconds()), "second"))
	}
	explained := *err.(*networkError) // failed has checked the type
	var check string
	check, explained.pointer = f.setting(x)
	check = "the scheme, host and port of " + check + ", and that this machine can connect to it"
	if strings.Contains(explained.what, "the proxy") { // a recording has only this text
		check, explained.pointer = "the proxy in the environment (https_proxy or a similar variable)", ""
	}
	explained.advice = fmt.Sprintf("%s, and %s has not responded in this run: check %s", tried, config.OriginOf(x.URL), check)
	return &explained
}

// setting returns the setting that defines the origin of a request, as text and as a JSON
// pointer. The pointer is empty if the origin comes from a response.
func (f unreachedLimits) setting(x *call) (place, pointer string) {
	endpoint, at := x.Sender.Job, x.Sender.Pointer+"/endpoint"
	if x.forLogin {
		s := auth.LoginEndpoint.In(auth.LoginRequest.In(f.api.Authentication))
		endpoint, at = s.Value.Text(), s.Pointer
	}
	place, pointer = "'api.baseUrl'", failure.PointerJoin(f.api.Pointer, config.BaseURL.Name)
	if hasScheme(endpoint) || strings.HasPrefix(endpoint, "//") {
		place, pointer = "the endpoint", at
	}
	named, err := Resolve(f.base, endpoint)
	if err != nil { // the host comes from a parent item
		return place, pointer
	}
	if config.OriginOf(named) != config.OriginOf(x.URL) {
		return "the URL that a response led to", ""
	}
	return place, pointer
}
