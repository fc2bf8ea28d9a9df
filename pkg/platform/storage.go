package platform

import (
	"cmp"
	"context"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Configuration is a stored configuration.
type Configuration struct {
	ID, Name, Description string
	// Version is the number of the current version, counted from 1. It is empty if unknown.
	Version string
	// Disabled is true if the platform refuses to run the configuration.
	Disabled bool
	// Rows is the number of rows.
	Rows int
	// Content is the stored document. The platform writes an empty object as [].
	Content value.Value
}

// Configuration returns a configuration of the default branch.
func (c *Client) Configuration(ctx context.Context, component, id string) (Configuration, error) {
	path, err := configurationPath(component, id)
	if err != nil {
		return Configuration{}, err
	}
	v, err := c.record(ctx, c.getStorage(path))
	return configuration(v), err
}

// Configurations returns the configurations of a component in the default branch, in the
// order of the platform.
func (c *Client) Configurations(ctx context.Context, component string) ([]Configuration, error) {
	if err := checkID("component", component); err != nil {
		return nil, err
	}
	v, err := c.response(ctx, c.getStorage("components/"+component+"/configs"), value.Array)
	if err != nil {
		return nil, err
	}
	list := make([]Configuration, v.Len())
	for i, record := range v.Items() {
		list[i] = configuration(record)
	}
	return list, nil
}

// CreateConfiguration stores a new configuration in the default branch. The request is not
// retried; see Error.MayHaveSucceeded. Only ID, Name and Description of the result are
// reliable.
func (c *Client) CreateConfiguration(ctx context.Context, component, name string, content value.Value) (Configuration, error) {
	if err := checkID("component", component); err != nil {
		return Configuration{}, err
	}
	if name == "" {
		return Configuration{}, failure.Userf("a configuration needs a name")
	}
	req := c.write(c.storage + storagePath).WithPost("components/" + component + "/configs").
		WithFormBody(map[string]string{"name": name, "configuration": content.JSON()})
	v, err := c.stored(ctx, req)
	return configuration(v), err
}

// UpdateConfiguration stores a new version of a configuration of the default branch. If
// name is "", the name stays unchanged. The request is not retried; see
// Error.MayHaveSucceeded.
func (c *Client) UpdateConfiguration(ctx context.Context, component, id, name string, content value.Value) (Configuration, error) {
	path, err := configurationPath(component, id)
	if err != nil {
		return Configuration{}, err
	}
	form := map[string]string{"configuration": content.JSON()}
	if name != "" {
		form["name"] = name
	}
	v, err := c.stored(ctx, c.write(c.storage+storagePath).WithPut(path).WithFormBody(form))
	return configuration(v), err
}

// configuration returns the configuration in a record. A null record is an empty
// configuration.
func configuration(record value.Value) Configuration {
	return Configuration{
		ID:          text(record.Field("id")),
		Name:        text(record.Field("name")),
		Description: text(record.Field("description")),
		Version:     text(record.Field("version")),
		Disabled:    record.Field("isDisabled").True(),
		Rows:        record.Field("rows").Len(),
		Content:     content(record),
	}
}

func (c *Client) getStorage(path string) request.HTTPRequest {
	return c.get(c.storage+storagePath, path)
}

func configurationPath(component, id string) (string, error) {
	return "components/" + component + "/configs/" + id, cmp.Or(checkID("component", component), checkID("configuration", id))
}

func content(record value.Value) value.Value {
	v := record.Field("configuration")
	if v.Kind() == value.Array && v.Len() == 0 {
		return value.OfMembers()
	}
	return v
}
