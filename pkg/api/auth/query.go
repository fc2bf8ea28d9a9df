package auth

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/state"
)

// queryAuth adds parameters to the query of every request. They are computed for each
// request and may refer to it, for example to sign it.
type queryAuth struct {
	attr  expr.Members
	added expressionSection
}

// Query is a setting of the types query and oauth20.
var Query = field.Of("query", "Query", "Query parameters added to every request. For `query`, expressions may refer to `attr`, `query` and `request`; for `oauth20` to `authorization`, `query` and `request`.", config.ExpressionsType).Example(`{"key": {"attr": "#key"}}`).Evaluated(expr.InQueryAuth, expr.InOAuthRequest)

func queryScheme() Scheme {
	return Scheme{Name: "query", OldName: "url.query", Settings: []field.Declaration{Query}, Compile: compileQuery}
}

func compileQuery(s CompileInput) Method {
	section := Query.In(s.Section)
	if !section.Present() && s.oldQuery.Present() {
		section = s.oldQuery
	}
	if !section.Present() {
		section.Problem("query authentication needs the object 'query'", "")
	}
	return queryAuth{attr: s.attr, added: s.forRequests().compileObject(section, expr.InQueryAuth)}
}

func (q queryAuth) Start(d *env.Run, _ *state.IterationValues) Authenticator {
	return authenticatorFunc(func(_ context.Context, r *Attempt) error {
		scope := deps{d}.scope(requestContexts(r.Request))
		scope.Contexts[expr.Attr] = q.attr
		added, err := q.added.texts(scope, d.Secrets.AddTemporary)
		if err != nil {
			return err
		}
		mergeReplaced(r.Request, added)
		return nil
	})
}
