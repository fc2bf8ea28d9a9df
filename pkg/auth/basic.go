package auth

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// basic is HTTP basic authentication with the name and password of `config`.
type basic struct {
	user, password string
}

func compileBasic(s source) Method {
	b := basic{user: s.credential("username"), password: s.credential("password")}
	if b.user == "" {
		s.Fault(failure.MissingCredentials, "basic authentication needs the user name in 'config.username' or 'config.#username'", "")
	}
	if b.password == "" {
		s.Fault(failure.MissingCredentials, "basic authentication needs the password in 'config.#password'", "")
	}
	return b
}

// credential is a key of `config`; without the hash sign first.
func (s source) credential(name string) string {
	if plain := s.attributes.Field(name); !plain.Empty() {
		return plain.Text()
	}
	if secret := s.attributes.Field("#" + name); !secret.Empty() {
		return secret.Text()
	}
	return ""
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
