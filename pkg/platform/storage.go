package platform

import (
	"context"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Configuration is a stored configuration.
type Configuration struct {
	ID, Name, Description string
	// Version counts the changes, from 1; "" when the record does not say.
	Version string
	// Disabled tells that the platform refuses to run it; false when the record
	// does not say.
	Disabled bool
	// Rows is the number of its rows; 0 when the record does not say.
	Rows int
	// Content is the stored document; `[]`, as the platform writes an empty
	// object, is one.
	Content value.Value
}

// Row is one row of a stored configuration.
type Row struct {
	ID, Name string
	// Content is as in Configuration.
	Content value.Value
}

// Configuration reads a configuration of the default branch.
func (c *Client) Configuration(ctx context.Context, component, id string) (Configuration, error) {
	path, err := configurationPath(component, id)
	if err != nil {
		return Configuration{}, err
	}
	v, err := c.record(ctx, c.getStorage(path))
	if err != nil {
		return Configuration{}, err
	}
	return configuration(v), nil
}

// Configurations lists the configurations of a component in the default branch,
// in the order of the platform.
func (c *Client) Configurations(ctx context.Context, component string) ([]Configuration, error) {
	if err := checkID("component", component); err != nil {
		return nil, err
	}
	v, err := c.answer(ctx, c.getStorage("components/"+component+"/configs"), value.Array)
	if err != nil {
		return nil, err
	}
	list := make([]Configuration, 0, v.Len())
	for _, record := range v.Items() {
		list = append(list, configuration(record))
	}
	return list, nil
}

// CreateConfiguration stores a new configuration in the default branch. It is
// sent once; see Error.Unsettled. Nothing is promised of the record but ID,
// Name and Description.
func (c *Client) CreateConfiguration(ctx context.Context, component, name string, content value.Value) (Configuration, error) {
	if err := checkID("component", component); err != nil {
		return Configuration{}, err
	}
	if name == "" {
		return Configuration{}, failure.Userf("a configuration needs a name")
	}
	req := c.post(c.storage+"/v2/storage", "components/"+component+"/configs").
		WithFormBody(map[string]string{"name": name, "configuration": content.JSON()})
	v, err := c.stored(ctx, req)
	if err != nil {
		return Configuration{}, err
	}
	return configuration(v), nil
}

// UpdateConfiguration stores a new version of a configuration of the default
// branch; name "" leaves its name. It is sent once; see Error.Unsettled.
func (c *Client) UpdateConfiguration(ctx context.Context, component, id, name string, content value.Value) (Configuration, error) {
	path, err := configurationPath(component, id)
	if err != nil {
		return Configuration{}, err
	}
	form := map[string]string{"configuration": content.JSON()}
	if name != "" {
		form["name"] = name
	}
	v, err := c.stored(ctx, c.put(c.storage+"/v2/storage", path).WithFormBody(form))
	if err != nil {
		return Configuration{}, err
	}
	return configuration(v), nil
}

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

// Row reads a row of a configuration of the default branch.
func (c *Client) Row(ctx context.Context, component, configuration, row string) (Row, error) {
	path, err := configurationPath(component, configuration)
	if err != nil {
		return Row{}, err
	}
	if err := checkID("row", row); err != nil {
		return Row{}, err
	}
	v, err := c.record(ctx, c.getStorage(path+"/rows/"+row))
	if err != nil {
		return Row{}, err
	}
	return Row{ID: text(v.Field("id")), Name: text(v.Field("name")), Content: content(v)}, nil
}

func (c *Client) getStorage(path string) request.HTTPRequest {
	return c.get(c.storage+"/v2/storage", path).AndHeader(tokenHeader, c.token)
}

func configurationPath(component, id string) (string, error) {
	if err := checkID("component", component); err != nil {
		return "", err
	}
	if err := checkID("configuration", id); err != nil {
		return "", err
	}
	return "components/" + component + "/configs/" + id, nil
}

func content(record value.Value) value.Value {
	v := record.Field("configuration")
	if v.Kind() == value.Array && v.Len() == 0 {
		return value.OfMembers()
	}
	return v
}
