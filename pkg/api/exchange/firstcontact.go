package exchange

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

// Contacts knows which origins have answered in a run, with whatever status. One
// is shared by all clients of a run; the zero value has heard of none.
type Contacts struct {
	answered sync.Map // of config.Origin
}

func (c *Contacts) add(u *url.URL) { c.answered.Store(config.OriginOf(u), true) }

func (c *Contacts) has(u *url.URL) bool {
	_, ok := c.answered.Load(config.OriginOf(u))
	return ok
}

// Before the first answer of an origin a connection that cannot be made is rather
// a mistake in the configuration than a fault that passes: it is tried so often
// at most, and not again after so long.
const (
	firstContactAttempts = 5
	firstContactTime     = 30 * time.Second
)

// firstContact judges connections that cannot be made to origins that have not
// answered yet.
type firstContact struct {
	contacts *Contacts
	api      config.API
	base     *url.URL
}

// failed reports whether an attempt has found no connection to an origin that has
// never answered. A certificate that is not trusted is something else: there is
// someone; and so is a machine that has no file left for a connection.
func (f firstContact) failed(x *Exchange, err error) bool {
	n, ok := err.(*networkError)
	ours := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	return ok && n.unsent && n.code != codeVerify && !ours && !f.contacts.has(x.URL)
}

// over reports whether there is no further attempt after so many and so long a
// time, the wait before it included.
func (f firstContact) over(attempts int, passed time.Duration) bool {
	return attempts >= firstContactAttempts || passed > firstContactTime
}

// explain is the error of the last attempt with what was tried and what to check.
func (f firstContact) explain(x *Exchange, err error, attempts int, passed time.Duration) error {
	tried := "tried once"
	if attempts > 1 {
		tried = fmt.Sprintf("tried %d times in %d seconds", attempts, int(passed.Round(time.Second).Seconds()))
	}
	explained := *err.(*networkError) // as failed knows
	var check string
	check, explained.pointer = f.setting(x)
	check = "the scheme, host and port of " + check + ", and that this machine may connect there"
	if strings.Contains(explained.what, "the proxy") { // a recording holds nothing else of it
		check, explained.pointer = "the proxy that the environment names (https_proxy and its like)", ""
	}
	explained.advice = fmt.Sprintf("%s, and nothing at %s has answered in this run: check %s", tried, config.OriginOf(x.URL), check)
	return &explained
}

// setting is what named the origin of a request, in words and as a JSON pointer;
// the pointer is empty when an answer did, or a redirect.
func (f firstContact) setting(x *Exchange) (place, pointer string) {
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
	if err != nil { // its host is made of a row
		return place, pointer
	}
	if config.OriginOf(named) != config.OriginOf(x.URL) {
		return "the address that an answer led to", ""
	}
	return place, pointer
}
