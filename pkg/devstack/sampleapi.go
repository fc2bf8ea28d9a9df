package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// DefaultListen is where the shop is to be found unless another address is
// asked for.
const DefaultListen = "127.0.0.1:8089"

const (
	readHeaderTimeout = 10 * time.Second
	shutdownTimeout   = 3 * time.Second
)

// SampleAPIOptions say where and how the shop is served.
type SampleAPIOptions struct {
	// Listen is host:port; "" is DefaultListen, port 0 any free port.
	Listen string
	Shop   ShopOptions
	// Stdout gets the address and how to log in.
	Stdout io.Writer
}

// SampleAPI serves the shop until ctx ends, which is no error. An address that
// cannot be listened on is a user error.
func SampleAPI(ctx context.Context, o SampleAPIOptions) error {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	listener, err := listen(ctx, o.Listen)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Stdout, `The sample shop is at http://%s (stop it with Ctrl+C)
Log in with POST /login {"user":"%s","password":"%s"}, then send
the token of the answer as the header Authorization: Bearer TOKEN.
`, listener.Addr(), ShopUser, ShopPassword)
	if err != nil {
		return errors.Join(fmt.Errorf("telling the address: %w", err), listener.Close())
	}
	return serve(ctx, listener, NewShop(o.Shop))
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, failure.Userf("the sample API cannot listen on %s: %w", address, err)
	}
	return listener, nil
}

// serve answers requests until ctx ends, then lets those under way finish.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: readHeaderTimeout}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving the sample API: %w", err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("stopping the sample API: %w", errors.Join(err, server.Close()))
	}
	return nil
}
