// Package auth holds the authentications: each one decorates a request with
// credentials, in a file of its own. What they share, how headers and query
// parameters of an authentication meet those of a request, is in merge.go.
//
// The package sends nothing by itself: a login goes out through the function it
// is given. It knows nothing of retries and redirects; it is asked anew for
// every attempt.
package auth

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Authenticator adds credentials to a request that is about to be sent. It is
// called anew for every attempt and for every hop of a redirect, by several
// requests at once. Errors are user errors.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) error
}

// Renewer is an Authenticator that can fetch new credentials when the API
// answers 401.
type Renewer interface {
	// GivenUp tells whether the credentials that a request was sent with were
	// given up meanwhile, because of another request. For a request in advance,
	// see Ahead, it waits until that is so, or the request is needed or broken off.
	GivenUp(sent *http.Request) bool
	// Renew gives up the credentials that a request was sent with. The next
	// Authenticate fetches new ones.
	Renew(sent *http.Request)
}

// aheadKey is where the context of a request carries the channel of Ahead.
type aheadKey struct{}

// Ahead marks requests that nobody may need. Until needed is closed no
// credentials are given up because of them: an API may answer 401 behind the end
// of a list, and what nobody needs should cost no login.
func Ahead(ctx context.Context, needed <-chan struct{}) context.Context {
	return context.WithValue(ctx, aheadKey{}, needed)
}

// Deps is what an authentication may use while it works.
type Deps struct {
	// Login sends a login request and returns its complete answer.
	Login   func(context.Context, config.Request) (*answer.Spool, error)
	Now     func() time.Time
	Log     *event.Log
	Secrets *secret.Registry
	// Rand is where nonces come from; nil is crypto/rand. It is read by several
	// requests at once.
	Rand io.Reader
}

// scope is what expressions see while the authentication works.
func (d Deps) scope(contexts map[expr.Context]expr.Members) *expr.Scope {
	return &expr.Scope{Now: d.Now, Contexts: contexts, Warn: func(pointer, text string) {
		d.Log.WarnOnce(event.ConfigWarning{Pointer: pointer, Text: text})
	}}
}

// Method is an authentication that was read from the configuration. Each Start
// gives it a life of its own: one for each iteration.
type Method interface {
	Start(Deps) Authenticator
}

// source is what an authentication is compiled from.
type source struct {
	config.Section                // `api.authentication`
	attributes     value.Value    // `config` without `jobs`
	attr           expr.Members   // the same, flattened
	authorization  config.Section // top-level `authorization`
	oldQuery       config.Section // `api.query`
	compiler       func(...expr.Context) expr.Compiler
}

// Compile reads `api.authentication` of one iteration. It is nil when there is
// none. Problems go to the section.
func Compile(doc *config.Document, it config.Iteration, schemes Schemes) Method {
	s := doc.API.Authentication
	if s.Value.Kind() != value.Object {
		return nil
	}
	scheme, ok := schemes.of(s)
	if !ok { // no type; any other is a problem already
		return nil
	}
	attr := expr.Flatten(it.Attributes)
	return scheme.compile(source{
		Section:       s,
		attributes:    it.Attributes,
		attr:          attr,
		authorization: Authorization.In(doc.Root),
		oldQuery:      doc.API.Query,
		compiler: func(contexts ...expr.Context) expr.Compiler {
			return expr.Compiler{Contexts: contexts, Known: map[expr.Context]expr.Members{expr.Attr: attr}, Problems: s.Problems()}
		},
	})
}
