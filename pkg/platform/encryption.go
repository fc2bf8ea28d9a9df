package platform

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// CipherScope restricts who can decrypt a cipher: the runs of a configuration, or the runs
// of a component in a project if Configuration is "".
type CipherScope struct{ Component, Project, Configuration string }

// cipherPrefix is the prefix of every cipher.
const cipherPrefix = "KBC::"

// Encrypt returns a document with all scalars encrypted that have a key beginning with #.
// Ciphers stay unchanged. If the document has no such scalars, Encrypt sends no request.
func (c *Client) Encrypt(ctx context.Context, scope CipherScope, document value.Value) (value.Value, error) {
	return c.encryptMatching(ctx, isSecret, document, func() (CipherScope, error) { return scope, nil })
}

// EncryptConfiguration encrypts a configuration before it is stored. Unlike Encrypt it
// leaves empty secrets and secrets that contain a {{variable}}, which are not secret yet.
// All runs of the component in the project of the token can decrypt the ciphers: a new
// configuration has no id yet, and the jobs of a split have no stored configuration.
func (c *Client) EncryptConfiguration(ctx context.Context, component string, document value.Value) (value.Value, error) {
	if err := checkID("component", component); err != nil {
		return value.Value{}, err
	}
	isPlain := func(v value.Value) bool { return isSecret(v) && v.Raw() != "" && !strings.Contains(v.Raw(), "{{") }
	return c.encryptMatching(ctx, isPlain, document, func() (CipherScope, error) {
		project, err := c.project(ctx)
		return CipherScope{Component: component, Project: project}, err
	})
}

func (c *Client) project(ctx context.Context) (string, error) {
	req := c.getStorage("tokens/verify")
	v, err := c.record(ctx, req)
	if err != nil {
		return "", err
	}
	id := text(v.Field("owner").Field("id"))
	if id == "" {
		return "", &Error{Method: req.Method(), URL: req.URL().String(), Status: http.StatusOK, Message: "the response names no project"}
	}
	return id, nil
}

func (c *Client) encryptMatching(ctx context.Context, those func(value.Value) bool, document value.Value, scope func() (CipherScope, error)) (value.Value, error) {
	var plain []value.Member // plain secrets, named by index; only they are sent
	mapSecrets(document, those, func(secret value.Value) value.Value {
		plain = append(plain, value.Member{Name: "#" + strconv.Itoa(len(plain)), Value: secret})
		return secret
	})
	if len(plain) == 0 {
		return document, nil
	}
	s, err := scope()
	if err != nil {
		return value.Value{}, err
	}
	ciphers, err := c.encrypt(ctx, s, plain)
	if err != nil {
		return value.Value{}, err
	}
	return mapSecrets(document, those, func(value.Value) value.Value {
		next := ciphers[0]
		ciphers = ciphers[1:]
		return next
	}), nil
}

func (c *Client) encrypt(ctx context.Context, scope CipherScope, plain []value.Member) ([]value.Value, error) {
	base, err := c.service(ctx, encryptionService)
	if err != nil {
		return nil, err
	}
	// The request creates no object and needs no token.
	req := request.NewHTTPRequest(c.repeats).WithBaseURL(base).WithPost("encrypt").AndHeader("Content-Type", "application/json").
		AndQueryParam("componentId", scope.Component).AndQueryParam("projectId", scope.Project)
	if scope.Configuration != "" {
		req = req.AndQueryParam("configId", scope.Configuration)
	}
	responded, err := c.record(ctx, req.WithBody(value.OfMembers(plain...).JSON()))
	if err != nil {
		return nil, err
	}
	ciphers := make([]value.Value, len(plain))
	for i, m := range plain {
		ciphers[i] = responded.Field(m.Name)
		if ciphers[i].Kind() != value.String || !strings.HasPrefix(ciphers[i].Raw(), cipherPrefix) {
			return nil, &Error{Method: req.Method(), URL: req.URL().String(), Status: http.StatusOK, Message: "the response lacks a cipher"}
		}
	}
	return ciphers, nil
}

func isSecret(v value.Value) bool { return v.IsScalar() && !strings.HasPrefix(v.Raw(), cipherPrefix) }

// mapSecrets returns a document with change applied to the matching scalars that have a key
// beginning with #.
func mapSecrets(v value.Value, those func(value.Value) bool, change func(value.Value) value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		switch {
		case !strings.HasPrefix(m.Name, "#") || !m.Value.IsScalar():
			m.Value = mapSecrets(m.Value, those, change)
		case those(m.Value):
			m.Value = change(m.Value)
		}
		return m
	})
}
