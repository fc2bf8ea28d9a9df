package auth

import (
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// oauth20Login is a login with a request that may refer to the credentials of an
// authorization, for example to exchange a refresh token for an access token.
type oauth20Login struct {
	login
	credentials *oauthCredentials
	user        value.Value // `#data`
}

func oauth20LoginScheme() Scheme {
	return Scheme{Name: "oauth20.login", Settings: loginSettings(), Platform: true, Compile: compileOAuth20Login}
}

func compileOAuth20Login(s CompileInput) Method {
	c := s.credentials()
	o := oauth20Login{credentials: c, user: c.decoded("expected the JSON text of an object", value.Object, value.Array)}
	contexts := map[expr.Context]expr.Members{
		expr.Consumer: {"client_id": value.OfString(c.id), "client_secret": value.OfString(c.secret).AsSecret()},
		expr.User:     expr.Flatten(o.user.AsSecret()),
	}
	if c.valid() {
		s = s.withContexts(contexts)
	}
	o.login = newLogin(s, expr.InOAuthLogin, contexts)
	c.report()
	return o
}

func (o oauth20Login) Start(d *env.Run, m *state.IterationValues) Authenticator {
	o.credentials.registerSecrets(d.Secrets, o.user)
	return o.login.Start(d, m)
}
