// Package auth implements the authentication schemes. Each scheme adds credentials to a
// request and has its own file. The code that merges headers and query parameters of a
// scheme with those of a request is in merge.go.
//
// The package sends no requests itself: the caller passes a function that sends a login.
// The package does not handle retries and redirects. It is called again for every
// attempt.
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

// Authenticator adds credentials to a request that is about to be sent. It is called
// again for every attempt and for every hop of a redirect. It is safe for concurrent use.
// Errors are user errors.
type Authenticator interface {
	Authenticate(context.Context, *Attempt) error
}

// authenticatorFunc is an Authenticator without state.
type authenticatorFunc func(context.Context, *Attempt) error

func (f authenticatorFunc) Authenticate(ctx context.Context, r *Attempt) error { return f(ctx, r) }

// Renewer is an Authenticator that can fetch new credentials when the API refuses the
// current ones: with a 401, or with a response that matches a rule.
type Renewer interface {
	// Revoked reports whether the credentials of an attempt were given up meanwhile
	// because of another attempt. For a lookahead request it first waits until they are
	// given up, the request is needed, or the context ends.
	Revoked(context.Context, *Attempt) bool
	// Renew gives up the credentials of an attempt. The next Authenticate fetches new
	// credentials.
	Renew(*Attempt)
}

// Attempt is one attempt to send a request.
type Attempt struct {
	*request.Request
	// Login sends a login request and returns its complete response.
	Login func(context.Context, config.RequestSpec) (LoginResponse, error)
	// Needed is set for a lookahead request, and is closed when the job needs the
	// response. Until then a 401 does not give up the credentials: an API may return 401
	// after the end of a list, and an unneeded response should not cost a login.
	Needed <-chan struct{}

	used *credentials // credentials of a login that the request got; may be nil
}

// LoginResponse is the response to a login.
type LoginResponse struct {
	Header http.Header
	Body   *response.Spool // body, which the caller must close
}

type deps struct{ *env.Run }

func (d deps) scope(contexts map[expr.Context]expr.Members) *expr.Scope {
	random := func(n int) ([]byte, error) { return d.Random(n, "the authentication") }
	return &expr.Scope{Now: d.Now, Random: random, Contexts: contexts, Warn: func(pointer, text string) {
		d.Log.WarnOnce(event.ConfigWarning{Pointer: pointer, Text: text})
	}}
}

func (d deps) nonce(bytes int) (string, error) {
	b, err := d.Random(bytes, "the authentication")
	return hex.EncodeToString(b), err
}

// Method is a compiled authentication. Start returns an independent Authenticator for one
// iteration, with the remembered values of that iteration.
type Method interface {
	Start(*env.Run, *state.IterationValues) Authenticator
}

// CompileInput is the input of Scheme.Compile.
type CompileInput struct {
	config.Section                // `api.authentication`
	Attributes     value.Value    // `config` without `jobs`
	attr           expr.Members   // Attributes, flattened
	authorization  config.Section // top-level `authorization`
	oldQuery       config.Section // `api.query`
	compiler       func(expr.Site) expr.Compiler
	vocabulary     expr.Vocabulary
}

// Compile reads `api.authentication` for one iteration. It returns nil if no
// authentication is configured. It reports problems to the section.
func Compile(doc *config.Document, it config.Iteration, schemes Schemes) Method {
	s := doc.API.Authentication
	if s.Value.Kind() != value.Object {
		return nil
	}
	scheme, ok := schemes.Of(s)
	if !ok { // no type; the schema reports an unknown type
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
