package auth

import (
	"context"
	"encoding/base64"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// basic is HTTP basic authentication with the user name and password of `config`.
type basic struct {
	user, password string
}

// The settings of `config` that hold the credentials.
var (
	Username       = field.Text("username", "User name", "User name of the authentication type `basic`.").Typed(config.CredentialType).Evaluated(expr.InAttributes).Example(`"ann"`)
	secretUsername = field.Text("#username", "User name, secret", "Used when `username` is empty.").Typed(config.CredentialType).Evaluated(expr.InAttributes).Example(`"ann"`)
	password       = field.Text("password", "Password, in the clear", "Password of the authentication type `basic`; better use `#password`.").Typed(config.CredentialType).Evaluated(expr.InAttributes).Example(`"…"`)
	SecretPassword = field.Text("#password", "Password", "Password of the authentication type `basic`; used when `password` is empty. May be empty, for APIs that expect their key as the user name.").Typed(config.CredentialType).Evaluated(expr.InAttributes).Example(`"…"`)
)

func basicScheme() Scheme {
	return Scheme{Name: "basic", SetsAuthorization: true, Attributes: []field.Declaration{Username, secretUsername, password, SecretPassword}, Compile: compileBasic}
}

func compileBasic(s CompileInput) Method {
	user, password := s.credential(Username), s.credential(password)
	if user.Empty() {
		s.Fault(failure.MissingCredentials, "basic authentication needs the user name in 'config.username' or 'config.#username'", "")
	}
	// An empty password is valid: many APIs take their key as the user name.
	if password.IsNull() {
		s.Fault(failure.MissingCredentials, "basic authentication needs the password in 'config.#password'", "write an empty text where there is none")
	}
	return basic{user: user.Text(), password: password.Text()}
}

// credential returns a key of `config`, without or with the hash sign. The key without
// the hash sign wins, unless only the other key has a value. It returns null if both keys
// are missing.
func (s CompileInput) credential(setting field.Setting[string]) value.Value {
	plain, secret := s.Attributes.Field(setting.Name), s.Attributes.Field("#"+setting.Name)
	if plain.Empty() && !secret.Empty() || plain.IsNull() {
		return secret
	}
	return plain
}

func (b basic) Start(d *env.Run, _ *state.IterationValues) Authenticator {
	token := base64.StdEncoding.EncodeToString([]byte(b.user + ":" + b.password))
	d.Secrets.Add(b.password)
	d.Secrets.Add(token)
	return authenticatorFunc(func(_ context.Context, r *Attempt) error {
		r.Header.Set("Authorization", "Basic "+token)
		return nil
	})
}
