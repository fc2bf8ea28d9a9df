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
)

// ReachedOrigins is the set of origins that have answered in a run, with any status. All
// clients of a run share one; the zero value is empty.
type ReachedOrigins struct {
	responded sync.Map // of config.Origin
}

func (c *ReachedOrigins) add(u *url.URL) { c.responded.Store(config.OriginOf(u), true) }

func (c *ReachedOrigins) has(u *url.URL) bool {
	_, ok := c.responded.Load(config.OriginOf(u))
	return ok
}

// Limits for connecting to an origin that has not answered yet: a failure there is
// more likely a mistake in the configuration than a temporary fault.
const (
	firstContactAttempts = 5
	firstContactTime     = 30 * time.Second
)

// unreachedLimits limits and explains failed connections to origins that have not
// answered yet.
type unreachedLimits struct {
	contacts *ReachedOrigins
	api      config.API
	base     *url.URL
}

// failed reports whether an attempt could not connect to an origin that has never
// answered. An untrusted certificate does not count, because the server is there;
// nor does a lack of file descriptors on this machine.
func (f unreachedLimits) failed(x *Call, err error) bool {
	n, ok := err.(*networkError)
	ours := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	return ok && n.unsent && n.code != codeVerify && !ours && !f.contacts.has(x.URL)
}

// over reports whether the limits allow no further attempt. passed includes the wait
// before it.
func (f unreachedLimits) over(attempts int, passed time.Duration) bool {
	return attempts >= firstContactAttempts || passed > firstContactTime
}

// explain adds to the error of the last attempt what was tried and what to check.
func (f unreachedLimits) explain(x *Call, err error, attempts int, passed time.Duration) error {
	tried := "tried once"
	if attempts > 1 {
		tried = fmt.Sprintf("tried %d times in %d seconds", attempts, int(passed.Round(time.Second).Seconds()))
	}
	explained := *err.(*networkError) // as failed knows
	var check string
	check, explained.pointer = f.setting(x)
	check = "the scheme, host and port of " + check + ", and that this machine may connect there"
	if strings.Contains(explained.what, "the proxy") { // a recording has only this text
		check, explained.pointer = "the proxy that the environment names (https_proxy and its like)", ""
	}
	explained.advice = fmt.Sprintf("%s, and nothing at %s has answered in this run: check %s", tried, config.OriginOf(x.URL), check)
	return &explained
}

// setting is the setting with the origin of a request, in words and as a JSON pointer.
// The pointer is empty if the origin comes from a response.
func (f unreachedLimits) setting(x *Call) (place, pointer string) {
	endpoint, at := x.Sender.Job, x.Sender.Pointer+"/endpoint"
	if x.Purpose == Login {
		s := auth.LoginEndpoint.In(auth.LoginRequest.In(f.api.Authentication))
		endpoint, at = s.Value.Text(), s.Pointer
	}
	place, pointer = "'api.baseUrl'", failure.PointerJoin(f.api.Pointer, config.BaseURL.Name)
	if hasScheme(endpoint) || strings.HasPrefix(endpoint, "//") {
		place, pointer = "the endpoint", at
	}
	named, err := Resolve(f.base, endpoint)
	if err != nil { // its host comes from a row
		return place, pointer
	}
	if config.OriginOf(named) != config.OriginOf(x.URL) {
		return "the address that a response led to", ""
	}
	return place, pointer
}
