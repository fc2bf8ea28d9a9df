package platform

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// The methods below are what the resolution of variables asks the platform, in
// plain types: pkg/config/variables declares the interface and neither package imports
// the other.

// JobVariables gives the inline values of a job and the id of its row of
// values, each as the job's record holds it.
func (c *Client) JobVariables(ctx context.Context, job string) (data value.Value, row string, err error) {
	j, err := c.Job(ctx, job)
	return j.VariableValuesData, j.VariableValuesID, err
}

// ConfigurationContent gives the document of a stored configuration.
func (c *Client) ConfigurationContent(ctx context.Context, component, id string) (value.Value, error) {
	configuration, err := c.Configuration(ctx, component, id)
	return configuration.Content, err
}

// RowContent gives the document of a row of a stored configuration.
func (c *Client) RowContent(ctx context.Context, component, configuration, row string) (value.Value, error) {
	r, err := c.Row(ctx, component, configuration, row)
	return r.Content, err
}
