package platform

import (
	"context"

	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// StateLocation identifies a stored state: the state of a configuration or of one of its
// rows.
type StateLocation struct {
	// Branch is the id of a branch. If it is empty, the default branch is used.
	Branch                   string
	Component, Configuration string
	// Row is the id of the row, or "" for the configuration.
	Row string
}

// path returns the path of the configuration or row below /v2/storage.
func (p StateLocation) path() (string, error) {
	path, err := configurationPath(p.Component, p.Configuration)
	if err == nil && p.Row != "" {
		path, err = path+"/rows/"+p.Row, checkID("row", p.Row)
	}
	if err == nil && p.Branch != "" {
		path, err = "branch/"+p.Branch+"/"+path, checkID("branch", p.Branch)
	}
	return path, err
}

// State returns the whole state at a location, with its ciphers. If no state is stored, it
// returns an empty object.
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

// SetState replaces the whole state at a location. The values of keys that begin with #
// must be ciphers, see Encrypt.
func (c *Client) SetState(ctx context.Context, place StateLocation, state value.Value) error {
	path, err := place.path()
	if err != nil {
		return err
	}
	// The write is safe to retry: it has the same effect each time.
	req := request.NewHTTPRequest(c.repeats).WithBaseURL(c.storage+storagePath).AndHeader(tokenHeader, c.token).
		WithPut(path+"/state").AndHeader("Content-Type", "application/json").
		WithBody(value.OfMembers(value.Member{Name: "state", Value: state}).JSON())
	_, err = c.record(ctx, req)
	return err
}
