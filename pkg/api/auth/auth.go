// Package auth holds the authentications: each one decorates a request with
// credentials, in a file of its own. What they share, how headers and query
// parameters of an authentication meet those of a request, is in merge.go.
//
// The package sends nothing by itself: a login goes out through the function it
// is given. It knows nothing of retries and redirects; it is called again for
// every attempt.
package auth

import (
	"context"
	"encoding/hex"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Authenticator adds credentials to a request that is about to be sent. It is
// called again for every attempt and for every hop of a redirect, by several
// requests at once. Errors are user errors.
type Authenticator interface {
	Authenticate(context.Context, *Attempt) error
}

// authenticatorFunc is an Authenticator that keeps nothing.
type authenticatorFunc func(context.Context, *Attempt) error

func (f authenticatorFunc) Authenticate(ctx context.Context, r *Attempt) error { return f(ctx, r) }

// Renewer is an Authenticator that can fetch new credentials when the API
// returns 401.
type Renewer interface {
	// Revoked reports whether the credentials of an attempt were given up meanwhile,
	// because of another one. For an attempt in advance it waits until that is so,
	// or the request is needed or broken off.
	Revoked(context.Context, *Attempt) bool
	// Renew gives up the credentials of an attempt. The next Authenticate fetches
	// new ones.
	Renew(*Attempt)
}

// Attempt is one attempt to send a request.
type Attempt struct {
	*request.Request
	// Login sends a login request and returns its complete response.
	Login func(context.Context, config.RequestSpec) (LoginResponse, error)
	// Needed is set for a request in advance, and closed when someone needs it.
	// Before that no credentials are given up because of it: an API may answer 401
	// after the end of a list, and what no one needs should cost no login.
	Needed <-chan struct{}

	used *credentials // of a login; nil for none
}

// LoginResponse is the response to a login.
type LoginResponse struct {
	Header http.Header
	Body   *response.Spool // must be closed
}

type deps struct{ *env.Run }

// scope is what expressions see while the authentication works.
func (d deps) scope(contexts map[expr.Context]expr.Members) *expr.Scope {
	random := func(n int) ([]byte, error) { return d.Random(n, "the authentication") }
	return &expr.Scope{Now: d.Now, Random: random, Contexts: contexts, Warn: func(pointer, text string) {
		d.Log.WarnOnce(event.ConfigWarning{Pointer: pointer, Text: text})
	}}
}

// nonce is a text that was not used before, of two hexadecimal digits for each
// random byte.
func (d deps) nonce(bytes int) (string, error) {
	b, err := d.Random(bytes, "the authentication")
	return hex.EncodeToString(b), err
}

// Method is an authentication that was read from the configuration. Each Start
// gives it a life of its own: one for each iteration, with what this one remembers.
type Method interface {
	Start(*env.Run, *state.IterationValues) Authenticator
}

// CompileInput is what an authentication is compiled from.
type CompileInput struct {
	config.Section                // `api.authentication`
	Attributes     value.Value    // `config` without `jobs`
	attr           expr.Members   // the same, flattened
	authorization  config.Section // top-level `authorization`
	oldQuery       config.Section // `api.query`
	compiler       func(expr.Site) expr.Compiler
	vocabulary     expr.Vocabulary
}

// Compile reads `api.authentication` of one iteration. It is nil when there is
// none. Problems go to the section.
func Compile(doc *config.Document, it config.Iteration, schemes Schemes) Method {
	s := doc.API.Authentication
	if s.Value.Kind() != value.Object {
		return nil
	}
	scheme, ok := schemes.Of(s)
	if !ok { // no type; any other is a problem already
		return nil
	}
	attr := expr.Flatten(it.Attributes)
	return scheme.Compile(CompileInput{
		Section:       s,
		Attributes:    it.Attributes,
		attr:          attr,
		authorization: Authorization.In(doc.Root),
		oldQuery:      doc.API.Query,
		vocabulary:    doc.Vocabulary.All(),
		compiler: func(place expr.Site) expr.Compiler {
			return expr.Compiler{Vocabulary: doc.Vocabulary, Place: place, Known: map[expr.Context]expr.Members{expr.Attr: attr}, Problems: s.Problems()}
		},
	})
}
