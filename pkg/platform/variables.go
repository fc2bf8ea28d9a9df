package platform

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// The methods below implement the interface that pkg/config/variables declares. They use
// plain types, so that neither package imports the other.

// JobVariables returns the inline values of a job's variables and the id of the row with
// values, both as in the record.
func (c *Client) JobVariables(ctx context.Context, job string) (data value.Value, row string, err error) {
	j, err := c.Job(ctx, job)
	return j.VariableValuesData, j.VariableValuesID, err
}

// ConfigurationContent returns the document of a stored configuration.
func (c *Client) ConfigurationContent(ctx context.Context, component, id string) (value.Value, error) {
	configuration, err := c.Configuration(ctx, component, id)
	return configuration.Content, err
}

// RowContent returns the document of a row of a stored configuration.
func (c *Client) RowContent(ctx context.Context, component, configuration, row string) (value.Value, error) {
	path, err := configurationPath(component, configuration)
	if err == nil {
		err = checkID("row", row)
	}
	if err != nil {
		return value.Value{}, err
	}
	v, err := c.record(ctx, c.getStorage(path+"/rows/"+row))
	return content(v), err
}
