package platform

import (
	"context"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Job is a job of the queue, as far as anybody here asks.
type Job struct {
	ID string
	// VariableValuesID is the row that holds the values of this run; "" when
	// none is named.
	VariableValuesID string
	// VariableValuesData is the record's inline values as they stand there:
	// {"values": […]}, [] or null.
	VariableValuesData value.Value
}

// Job reads the record of a job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	if err := checkID("job", id); err != nil {
		return Job{}, err
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return Job{}, err
	}
	v, err := c.record(ctx, c.get(queue, "jobs/"+id).AndHeader(tokenHeader, c.token))
	if err != nil {
		return Job{}, err
	}
	return Job{
		ID:                 text(v.Field("id")),
		VariableValuesID:   text(v.Field("variableValuesId")),
		VariableValuesData: v.Field("variableValuesData"),
	}, nil
}

// QueueURL is the address of the queue API, without a slash at the end. Unless
// it was given, the index of the storage API tells it, which is asked until it
// answered once.
func (c *Client) QueueURL(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue != "" {
		return c.queue, nil
	}
	req := c.get(c.storage, "v2/storage").AndQueryParam("exclude", "components")
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
