package devstack

import (
	"cmp"
	"context"
	_ "embed" // for the configuration of the demo
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/platform/control"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// The configuration of the demo also works with `devstack sample-api` at its default
// address.
var (
	//go:embed demo/config.json
	demoConfig string
	//go:embed demo/variables.json
	demoVariables string
)

const (
	// demoBusyEvery makes the shop refuse every second request of /stock, so that the demo
	// retries.
	demoBusyEvery = 2
	demoComponent = "acme.ex-shop"
	freePort      = "127.0.0.1:0"
)

// demoValues are the values of the variables of the job.
var demoValues = []string{"bucket=shop", "page_size=10", "first_order=1001"}

// DemoOptions configures a demo.
type DemoOptions struct {
	// DataDir is the directory of the platform's data. If it is empty, a temporary
	// directory is used and removed at the end. A directory that contains a config.json is
	// refused.
	DataDir string
	// Listen and ShopListen are the addresses (host:port) of the platform and the shop. If
	// one is empty, a free port on loopback is used.
	Listen, ShopListen string
	// Program is the same as in ServeOptions.
	Program []string
	// Serve keeps the platform and the shop running until the context ends.
	Serve bool
	// Stdout receives the steps, the events and the previews. Stderr receives the statuses
	// of the job and the reason of a failure.
	Stdout, Stderr io.Writer
	// Now returns the current time for the shop and the platform. If it is nil, time.Now is
	// used.
	Now func() time.Time

	engine sandbox.Engine // replaces Program in tests
}

// Demo starts the shop and the local platform, and stores a configuration with variables, a
// login and two kinds of pagination. It runs the configuration, follows the job and
// previews its tables. It returns the exit code of the job. An error means that the demo
// itself failed.
func Demo(ctx context.Context, o DemoOptions) (exitCode int, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	dir, remove, err := demoDirectory(o.DataDir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	shopAt, closeShop, err := o.openShop(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closeShop()) }()
	d := demonstration{DemoOptions: o, dir: dir, shop: shopAt}
	closePlatform, err := d.openPlatform(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closePlatform()) }()
	return d.run(ctx)
}

// demoDirectory creates the directory of the demo. remove deletes it if it is temporary.
func demoDirectory(dir string) (made string, remove func() error, err error) {
	if dir == "" {
		dir, err = os.MkdirTemp("", "devstack-demo-")
		if err != nil {
			return "", nil, fmt.Errorf("creating a directory for the demo: %w", err)
		}
		return dir, func() error { return os.RemoveAll(dir) }, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, failure.Userf("cannot create the directory of the demo: %w", err)
	}
	return dir, func() error { return nil }, nil
}

// openShop serves the shop until stop is called.
func (o DemoOptions) openShop(ctx context.Context) (address string, stop func() error, err error) {
	listener, err := listen(ctx, sampleAPI, cmp.Or(o.ShopListen, freePort))
	if err != nil {
		return "", nil, err
	}
	handler := shop.New(shop.Options{Now: o.Now, BusyEvery: demoBusyEvery})
	stop = background(ctx, func(ctx context.Context) error { return serve(ctx, sampleAPI, listener, handler) })
	return listener.Addr().String(), stop, nil
}

// background runs work until stop is called, even if ctx ends. stop waits for work to
// return and returns its error.
func background(ctx context.Context, work func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

type demonstration struct {
	DemoOptions
	dir       string
	shop      string // host:port
	store     *store.Store
	addresses Addresses
}

func (d *demonstration) openPlatform(ctx context.Context) (stop func() error, err error) {
	l, addresses, err := ServeOptions{
		Data:    filepath.Join(d.dir, "platform"),
		Listen:  cmp.Or(d.Listen, freePort),
		Token:   DefaultToken,
		Runner:  RunnerProcess,
		Program: d.Program,
		Logging: sandbox.LogGELF,
		Stderr:  d.Stderr,
		Now:     d.Now,
		engine:  d.engine,
	}.start(ctx)
	if err != nil {
		return nil, err
	}
	d.store, d.addresses = l.store, addresses
	return background(ctx, l.run), nil
}

func (d *demonstration) run(ctx context.Context) (exitCode int, err error) {
	config, variables, err := d.files()
	if err != nil {
		return 0, err
	}
	client, err := d.session()
	if err != nil {
		return 0, err
	}
	err = d.print(`A platform runs at %s, a web shop at http://%s.

$ extractor config push config.json --name Shop --variables variables.json
`, d.addresses.Storage, d.shop)
	if err == nil {
		err = client.Push(ctx, control.Push{File: config, Name: "Shop", Variables: variables})
	}
	if err != nil {
		return 0, err
	}
	stored, err := d.store.Configurations(demoComponent, false)
	if err != nil || len(stored) == 0 {
		return 0, fmt.Errorf("looking for the stored configuration: %w", err)
	}
	id := stored[len(stored)-1].ID
	if err := d.print("\n$ extractor job run --config %s --var %s --wait\n", id, strings.Join(demoValues, " --var ")); err != nil {
		return 0, err
	}
	exitCode, err = client.Run(ctx, control.Run{Configuration: id, Variables: demoValues, Wait: true})
	if err != nil {
		return client.Fail(err), nil
	}
	if err := d.previews(); err != nil {
		return exitCode, err
	}
	return exitCode, d.end(ctx, id)
}

// files writes the configuration, with the address of the shop, and the variables.
func (d *demonstration) files() (config, variables string, err error) {
	config, variables = filepath.Join(d.dir, "config.json"), filepath.Join(d.dir, "variables.json")
	if err := writeNew(config, strings.Replace(demoConfig, DefaultListen, d.shop, 1)); err != nil {
		return "", "", err
	}
	return config, variables, writeNew(variables, demoVariables)
}

// writeNew writes a new file. It is a user error if the file exists.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return failure.Userf("%s already exists; the demo needs a directory without it", path)
	}
	if err != nil {
		return fmt.Errorf("preparing the demo: %w", err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("preparing the demo: %w", err)
	}
	return nil
}

func (d *demonstration) session() (*control.Session, error) {
	client, err := platform.New(platform.Options{URL: d.addresses.Storage, Token: DefaultToken})
	if err != nil {
		return nil, err
	}
	return &control.Session{
		Platform:  client,
		Component: demoComponent,
		Out:       d.Stdout,
		Progress:  d.Stderr,
		Secrets:   &secret.Registry{}, // the token is public
		Now:       d.Now,
		Sleep:     untilChange(d.store),
	}, nil
}

// untilChange returns a sleep function that waits for a change of the store, which is
// faster than polling. It includes changes since the last sleep, so that it misses none.
func untilChange(s *store.Store) func(context.Context, time.Duration) error {
	changes := s.Changes()
	return func(ctx context.Context, _ time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changes:
			changes = s.Changes()
			return nil
		}
	}
}

func (d *demonstration) previews() error {
	tables, err := d.store.Tables("")
	if err != nil {
		return fmt.Errorf("listing the tables: %w", err)
	}
	for _, t := range tables {
		if err := writePreview(d.Stdout, t, d.store.Rows); err != nil {
			return fmt.Errorf("previewing table %s: %w", t.ID, err)
		}
	}
	return nil
}

// end prints the last instructions. With Serve it waits until ctx ends.
func (d *demonstration) end(ctx context.Context, id string) error {
	if !d.Serve {
		return d.print(`
The platform and the shop have stopped. To keep them running, with a web UI:

  go run ./cmd/devstack demo --serve
`)
	}
	err := d.print(`
The platform and the shop run until you press Ctrl+C. Look at the job and its tables:

  %s

Run it again from another terminal:

  export KBC_URL=%s KBC_TOKEN=%s KBC_COMPONENTID=%s
  go run ./cmd/extractor job run --config %s --var %s --wait
`, d.addresses.Page, d.addresses.Storage, DefaultToken, demoComponent, id, strings.Join(demoValues, " --var "))
	<-ctx.Done()
	return err
}

func (d *demonstration) print(format string, args ...any) error {
	if _, err := fmt.Fprintf(d.Stdout, format, args...); err != nil {
		return fmt.Errorf("printing the progress: %w", err)
	}
	return nil
}
