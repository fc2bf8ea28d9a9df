package platform

import (
	"context"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// JobQuery selects jobs.
type JobQuery struct {
	Component string
	// Configuration is the id of a configuration, or "" for all configurations.
	Configuration string
	// Limit is the maximum number of jobs to return.
	Limit int
}

// Jobs returns jobs, newest first.
func (c *Client) Jobs(ctx context.Context, q JobQuery) ([]Job, error) {
	if err := checkID("component", q.Component); err != nil {
		return nil, err
	}
	if q.Configuration != "" {
		if err := checkID("configuration", q.Configuration); err != nil {
			return nil, err
		}
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return nil, err
	}
	req := c.get(queue, "search/jobs").
		AndQueryParam("component[]", q.Component).
		AndQueryParam("limit", strconv.Itoa(q.Limit)).
		AndQueryParam("sortBy", "id").
		AndQueryParam("sortOrder", "desc")
	if q.Configuration != "" {
		req = req.AndQueryParam("configId[]", q.Configuration)
	}
	v, err := c.response(ctx, req, value.Array)
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, v.Len())
	for i, record := range v.Items() {
		jobs[i] = jobOf(record)
	}
	return jobs, nil
}
