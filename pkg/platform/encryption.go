package platform

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// CipherScope says who can read a cipher: the runs of a configuration, or those of a
// component in a project if Configuration is "".
type CipherScope struct{ Component, Project, Configuration string }

// cipherPrefix begins every cipher.
const cipherPrefix = "KBC::"

// Encrypt is a document with ciphers in the place of all scalars whose keys begin with
// #, except for those that are ciphers. Without any it sends nothing.
func (c *Client) Encrypt(ctx context.Context, scope CipherScope, document value.Value) (value.Value, error) {
	var plain []value.Member // by their numbers: the rest of the document stays here
	eachSecret(document, func(secret value.Value) value.Value {
		plain = append(plain, value.Member{Name: "#" + strconv.Itoa(len(plain)), Value: secret})
		return secret
	})
	if len(plain) == 0 {
		return document, nil
	}
	ciphers, err := c.encrypt(ctx, scope, plain)
	if err != nil {
		return value.Value{}, err
	}
	return eachSecret(document, func(value.Value) value.Value {
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
	// Nothing is made but the answer, and no token is needed.
	req := request.NewHTTPRequest(c.repeats).WithBaseURL(base).WithPost("encrypt").AndHeader("Content-Type", "application/json").
		AndQueryParam("componentId", scope.Component).AndQueryParam("projectId", scope.Project)
	if scope.Configuration != "" {
		req = req.AndQueryParam("configId", scope.Configuration)
	}
	answered, err := c.record(ctx, req.WithBody(value.OfMembers(plain...).JSON()))
	if err != nil {
		return nil, err
	}
	ciphers := make([]value.Value, len(plain))
	for i, m := range plain {
		ciphers[i] = answered.Field(m.Name)
		if ciphers[i].Kind() != value.String || !strings.HasPrefix(ciphers[i].Raw(), cipherPrefix) {
			return nil, &Error{Method: req.Method(), URL: req.URL().String(), Status: http.StatusOK, Message: "the answer lacks a cipher"}
		}
	}
	return ciphers, nil
}

// PlainSecrets are the pointers of the scalars that Encrypt would encrypt, except for
// empty ones and those that contain a {{variable}}.
func PlainSecrets(document value.Value) []string {
	var pointers []string
	var walk func(at string, v value.Value)
	walk = func(at string, v value.Value) {
		for i, item := range v.Items() {
			walk(failure.PointerJoin(at, strconv.Itoa(i)), item)
		}
		for _, m := range v.Members() {
			at, text := failure.PointerJoin(at, m.Name), m.Value.Raw()
			plain := strings.HasPrefix(m.Name, "#") && m.Value.IsScalar() && text != "" && !strings.HasPrefix(text, cipherPrefix)
			if plain && !strings.Contains(text, "{{") {
				pointers = append(pointers, at)
			}
			walk(at, m.Value)
		}
	}
	walk("", document)
	return pointers
}

// eachSecret is a document with every scalar whose key begins with #, and that is not
// a cipher, changed.
func eachSecret(v value.Value, change func(value.Value) value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		switch {
		case !strings.HasPrefix(m.Name, "#") || !m.Value.IsScalar():
			m.Value = eachSecret(m.Value, change)
		case !strings.HasPrefix(m.Value.Raw(), cipherPrefix):
			m.Value = change(m.Value)
		}
		return m
	})
}
