package platform

import (
	"context"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// StateLocation is where the platform keeps a state: in a configuration, or in one of
// its rows.
type StateLocation struct {
	// Branch is the id of a branch; "" is the default branch.
	Branch                   string
	Component, Configuration string
	// Row is "" for the configuration itself.
	Row string
}

// path is the path of the configuration or row below /v2/storage.
func (p StateLocation) path() (string, error) {
	path, err := configurationPath(p.Component, p.Configuration)
	if err != nil {
		return "", err
	}
	if p.Row != "" {
		if err := checkID("row", p.Row); err != nil {
			return "", err
		}
		path += "/rows/" + p.Row
	}
	if p.Branch != "" {
		if err := checkID("branch", p.Branch); err != nil {
			return "", err
		}
		path = "branch/" + p.Branch + "/" + path
	}
	return path, nil
}

// State reads the whole state that is stored in a place, with its ciphers. Without
// one it is an empty object.
func (c *Client) State(ctx context.Context, place StateLocation) (value.Value, error) {
	path, err := place.path()
	if err != nil {
		return value.Value{}, err
	}
	v, err := c.record(ctx, c.getStorage(path))
	if state := v.Field("state"); state.Kind() == value.Object {
		return state, err
	}
	return value.OfMembers(), err // the platform writes an empty object as []
}

// SetState replaces the whole state of a place. The values of its keys that begin
// with # must be ciphers, see Encrypt.
func (c *Client) SetState(ctx context.Context, place StateLocation, state value.Value) error {
	path, err := place.path()
	if err != nil {
		return err
	}
	// It may be done twice: the state is the same after each time.
	req := request.NewHTTPRequest(c.repeats).WithBaseURL(c.storage+storagePath).AndHeader(tokenHeader, c.token).
		WithPut(path+"/state").AndHeader("Content-Type", "application/json").
		WithBody(value.OfMembers(value.Member{Name: "state", Value: state}).JSON())
	_, err = c.record(ctx, req)
	return err
}
