package platform

import (
	"context"
	"strings"

	"github.com/keboola/go-client/pkg/request"
)

// Names of the other APIs in the index of the storage API.
const (
	queueService      = "queue"
	encryptionService = "encryption"
)

// QueueURL returns the base URL of the queue API, without a slash at the end. Unless
// Options has the URL, the client reads it from the index of the storage API and caches it.
func (c *Client) QueueURL(ctx context.Context) (string, error) { return c.service(ctx, queueService) }

// service returns the base URL of another API, without a slash at the end.
func (c *Client) service(ctx context.Context, name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.services[name]; found {
		return known, nil
	}
	// The index needs no token.
	req := request.NewHTTPRequest(c.repeats).WithBaseURL(c.storage).WithGet("v2/storage").AndQueryParam("exclude", "components")
	v, err := c.record(ctx, req)
	if err != nil {
		return "", err
	}
	for _, service := range v.Field("services").Items() {
		address := text(service.Field("url"))
		if text(service.Field("id")) == name && validAddress(address) {
			c.services[name] = strings.TrimRight(address, "/")
			return c.services[name], nil
		}
	}
	return "", &Error{
		Method: req.Method(), URL: req.URL().String(), Status: 200,
		Message: "the index names no usable address of the service " + name,
	}
}
