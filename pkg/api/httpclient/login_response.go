package httpclient

import (
	"context"
	"errors"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// registerLoginSecrets registers the secrets in each response to a login, before any other
// step sees the response.
type registerLoginSecrets struct {
	next    step
	secrets *secret.Registry
	// paths are the paths in a body that rules compare or show.
	paths []string
}

func (t *registerLoginSecrets) do(ctx context.Context, x *call) (*Response, error) {
	res, err := t.next.do(ctx, x)
	if err != nil || !x.forLogin {
		return res, err
	}
	auth.RegisterSecrets(t.secrets, res.StatusLine, res.Header)
	if res.Status >= http.StatusMultipleChoices {
		body, err := res.errorBody()
		if err != nil {
			return nil, errors.Join(err, res.Body.Close())
		}
		auth.RegisterRefusedSecrets(t.secrets, body, t.paths)
	}
	return res, nil
}
