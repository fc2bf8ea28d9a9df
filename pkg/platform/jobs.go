package platform

import (
	"context"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// JobQuery says which jobs to search.
type JobQuery struct {
	Component string
	// Configuration is the id of a configuration, "" for all.
	Configuration string
	// Limit is how many jobs to return at most.
	Limit int
}

// Jobs lists jobs, the newest first.
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
