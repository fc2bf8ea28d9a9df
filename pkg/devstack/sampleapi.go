package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
)

// DefaultListen is the default address of the shop.
const DefaultListen = "127.0.0.1:8089"

const sampleAPI = "sample API"

// SampleAPIOptions configures the server of the shop.
type SampleAPIOptions struct {
	// Listen is the address (host:port). If it is empty, DefaultListen is used. Port 0 is
	// any free port.
	Listen string
	Shop   shop.Options
	// Stdout receives the address and the instructions for a login.
	Stdout io.Writer
}

// SampleAPI serves the shop until ctx ends, which is not an error. It returns a user error
// if it cannot listen on the address.
func SampleAPI(ctx context.Context, o SampleAPIOptions) error {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	listener, err := listen(ctx, sampleAPI, o.Listen)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Stdout, `The sample shop is at http://%s (stop it with Ctrl+C)
Log in with POST /login {"user":"%s","password":"%s"}, then send
the token of the response as the header Authorization: Bearer TOKEN.
`, listener.Addr(), shop.User, shop.Password)
	if err != nil {
		return errors.Join(fmt.Errorf("printing the address: %w", err), listener.Close())
	}
	return serve(ctx, sampleAPI, listener, shop.New(o.Shop))
}
