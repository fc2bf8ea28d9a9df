package auth

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// basic is HTTP basic authentication with the name and password of `config`.
type basic struct {
	user, password string
}

func compileBasic(s source) Method {
	user, password := s.credential("username"), s.credential("password")
	if user.Empty() {
		s.Fault(failure.MissingCredentials, "basic authentication needs the user name in 'config.username' or 'config.#username'", "")
	}
	// An empty password is one: many APIs take their key as the user name.
	if password.IsNull() {
		s.Fault(failure.MissingCredentials, "basic authentication needs the password in 'config.#password'", "write an empty text where there is none")
	}
	return basic{user: user.Text(), password: password.Text()}
}

// credential is a key of `config`; without the hash sign first, and what is not
// empty before what is. It is null when neither key is there.
func (s source) credential(name string) value.Value {
	plain, secret := s.attributes.Field(name), s.attributes.Field("#"+name)
	if plain.Empty() && !secret.Empty() || plain.IsNull() {
		return secret
	}
	return plain
}

// Start implements Method.
func (b basic) Start(d Deps) Authenticator {
	token := base64.StdEncoding.EncodeToString([]byte(b.user + ":" + b.password))
	d.Secrets.Add(b.password)
	d.Secrets.Add(token)
	return basicHeader("Basic " + token)
}

// basicHeader is the finished header.
type basicHeader string

// Authenticate implements Authenticator.
func (h basicHeader) Authenticate(_ context.Context, r *http.Request) error {
	r.Header.Set("Authorization", string(h))
	return nil
}
