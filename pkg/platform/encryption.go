package platform

import (
	"context"
	"net/http"
	"strings"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// CipherScope says who can read a cipher: the runs of a configuration, or those of a
// component in a project if Configuration is "".
type CipherScope struct{ Component, Project, Configuration string }

// Encrypt is an object with ciphers in the place of its values, which must be
// scalars. All its keys must begin with #.
func (c *Client) Encrypt(ctx context.Context, scope CipherScope, secrets value.Value) (value.Value, error) {
	base, err := c.service(ctx, encryptionService)
	if err != nil {
		return value.Value{}, err
	}
	// Nothing is made but the answer, and no token is needed.
	req := request.NewHTTPRequest(c.repeats).WithBaseURL(base).WithPost("encrypt").AndHeader("Content-Type", "application/json").
		AndQueryParam("componentId", scope.Component).AndQueryParam("projectId", scope.Project)
	if scope.Configuration != "" {
		req = req.AndQueryParam("configId", scope.Configuration)
	}
	v, err := c.record(ctx, req.WithBody(secrets.JSON()))
	if err != nil {
		return value.Value{}, err
	}
	for _, m := range secrets.Members() {
		if !strings.HasPrefix(v.Field(m.Name).Raw(), "KBC::") {
			return value.Value{}, &Error{Method: req.Method(), URL: req.URL().String(), Status: http.StatusOK,
				Message: "the answer holds no cipher for " + m.Name}
		}
	}
	return v, nil
}
