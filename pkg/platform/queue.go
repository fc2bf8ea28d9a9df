package platform

import (
	"context"
	"strings"

	"github.com/keboola/go-client/pkg/request"
)

// QueueURL is the address of the queue API, without a slash at the end. Unless it
// was given, the index of the storage API contains it, which is read until it was
// answered once.
func (c *Client) QueueURL(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue != "" {
		return c.queue, nil
	}
	// The index needs no token.
	req := request.NewHTTPRequest(c.reads).WithBaseURL(c.storage).WithGet("v2/storage").AndQueryParam("exclude", "components")
	v, err := c.record(ctx, req)
	if err != nil {
		return "", err
	}
	for _, service := range v.Field("services").Items() {
		address := text(service.Field("url"))
		if text(service.Field("id")) == "queue" && validAddress(address) {
			c.queue = strings.TrimRight(address, "/")
			return c.queue, nil
		}
	}
	return "", &Error{
		Method: req.Method(), URL: req.URL().String(), Status: 200,
		Message: "the index names no usable address of the service queue",
	}
}
