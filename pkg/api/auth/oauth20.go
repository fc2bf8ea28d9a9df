package auth

import (
	"context"
	"maps"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// oauth20 adds headers and query parameters that are computed for each request from the
// credentials of an authorization and from the request. They are an unchanged token or a
// signature.
type oauth20 struct {
	credentials    *oauthCredentials
	data           value.Value // object with `#data` as its member data
	headers, query expressionSection
}

var oauth20Headers = field.Of("headers", "Headers", "Headers added to every request. Expressions may refer to `authorization`, `query` and `request`.", config.ExpressionsType).Example(`{"Authorization": {"function": "concat", "args": ["Bearer ", {"authorization": "data"}]}}`).As(field.Headers).Evaluated(expr.InOAuthRequest)

func oauth20Scheme() Scheme {
	return Scheme{Name: "oauth20", Settings: []field.Declaration{Query, oauth20Headers, Format}, Platform: true, Compile: compileOAuth20}
}

func compileOAuth20(s CompileInput) Method {
	c := s.credentials()
	o := oauth20{credentials: c}
	data := value.OfString(c.data)
	if Format.Of(s.Section) == formatJSON {
		data = c.decoded("expected JSON text", value.Object, value.Array, value.String, value.Number, value.Bool)
	}
	c.report()
	o.data = value.OfMembers(value.Member{Name: "data", Value: data})
	s = s.forRequests()
	if c.valid() {
		s = s.withContexts(map[expr.Context]expr.Members{expr.Authorization: o.authorization("", 0)})
	}
	headers, query := oauth20Headers.In(s.Section), Query.In(s.Section)
	o.headers, o.query = s.compileHeaders(headers, expr.InOAuthRequest), s.compileObject(query, expr.InOAuthRequest)
	return o
}

// authorization returns the members of the context for one request. The secret of the
// application is not one of them.
func (o oauth20) authorization(nonce string, timestamp int64) expr.Members {
	members := expr.Flatten(o.data.AsSecret())
	maps.Copy(members, expr.Members{
		"clientId":  value.OfString(o.credentials.id),
		"nonce":     value.OfString(nonce),
		"timestamp": value.OfInt(timestamp),
	})
	return members
}

// Start implements Method. All expressions of a request get the same nonce, the same
// timestamp and the request without added headers and parameters.
func (o oauth20) Start(d *env.Run, _ *state.IterationValues) Authenticator {
	o.credentials.registerSecrets(d.Secrets, o.data)
	return authenticatorFunc(func(_ context.Context, r *Attempt) error {
		nonce, err := deps{d}.nonce(8)
		if err != nil {
			return err
		}
		scope := deps{d}.scope(requestContexts(r.Request))
		scope.Contexts[expr.Authorization] = o.authorization(nonce, d.Now().Unix())
		added, err := o.query.texts(scope, d.Secrets.AddTemporary)
		if err != nil {
			return err
		}
		headers, err := o.headers.texts(scope, d.Secrets.AddTemporary)
		if err != nil {
			return err
		}
		mergeReplaced(r.Request, added)
		mergeHeaders(r.Request, headers)
		return nil
	})
}
