package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Healthy requests a page that needs no token. It returns a user error unless the status is
// 200. ctx limits the time.
func Healthy(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return failure.Userf("cannot send a request to the server: %w", err)
	}
	transport := &http.Transport{DisableKeepAlives: true} // without a proxy
	response, err := transport.RoundTrip(request)
	if err != nil {
		return failure.Userf("the server does not respond: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the server returned status %d", response.StatusCode)
	}
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return failure.Userf("%w", err)
	}
	return nil
}
