package devstack

import (
	"context"
	_ "embed" // the demonstration's configuration
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/component"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// demoConfig is a configuration like any other: it runs unchanged against
// `devstack sample-api` at its default address.
//
//go:embed demo/config.json
var demoConfig string

// demoBusyEvery makes the second of the two requests of /stock wait.
const demoBusyEvery = 2

// DemoOptions say where the demonstration works and who watches it.
type DemoOptions struct {
	// DataDir is made and filled; "" is a new temporary directory. One that
	// holds a config.json already is refused.
	DataDir string
	// Stdout gets the events as they come and the previews, Stderr why a run
	// failed.
	Stdout, Stderr io.Writer
	// Now and Sleep are the clock of component and shop, which use it side by
	// side; nil is the real one.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// Demo starts the shop on a free port of loopback, runs the component on a
// configuration with variables, a login and both pagings against it, and
// previews the tables it wrote. The data directory stays for the person to look
// at. The exit code is the component's; an error means that the demonstration
// itself could not be held.
func Demo(ctx context.Context, o DemoOptions) (exitCode int, err error) {
	listener, err := listen(ctx, sampleAPI, "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	dir, err := prepareDemo(o.DataDir, listener.Addr())
	if err != nil {
		return 0, errors.Join(err, listener.Close())
	}
	served := make(chan error, 1)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		served <- serve(serving, sampleAPI, listener, shop.New(shop.Options{Now: o.Now, BusyEvery: demoBusyEvery}))
	}()

	exitCode, err = demonstrate(ctx, o, dir, listener.Addr())
	stop()
	return exitCode, errors.Join(err, <-served)
}

// prepareDemo makes the data directory as the platform does before a first run.
// The configuration points at the shop's address.
func prepareDemo(dir string, address net.Addr) (string, error) {
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "devstack-demo-")
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "in"), 0o755)
	}
	if err != nil {
		return "", fmt.Errorf("making the data directory: %w", err)
	}
	config := strings.Replace(demoConfig, DefaultListen, address.String(), 1)
	if err := writeNew(filepath.Join(dir, "config.json"), config); err != nil {
		return "", err
	}
	return dir, writeNew(filepath.Join(dir, "in", "state.json"), "{}\n")
}

// writeNew writes a file that must not exist yet: nobody's work is overwritten.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return failure.Userf("%s exists already, the demonstration wants a directory without it", path)
	}
	if err != nil {
		return fmt.Errorf("preparing the data directory: %w", err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("preparing the data directory: %w", err)
	}
	return nil
}

// demonstrate runs the component in dir and tells before and after what there
// is to be seen.
func demonstrate(ctx context.Context, o DemoOptions, dir string, address net.Addr) (exitCode int, err error) {
	_, err = fmt.Fprintf(o.Stdout, `A sample web shop runs at http://%s.
The extractor reads %s:

`, address, filepath.Join(dir, "config.json"))
	if err != nil {
		return 0, fmt.Errorf("telling what is about to run: %w", err)
	}
	exitCode = component.Run(ctx, component.Options{
		DataDir:   dir,
		LogFormat: "console",
		Stdout:    o.Stdout,
		Stderr:    o.Stderr,
		Getenv:    func(string) string { return "" }, // no platform is near
		Now:       o.Now,
		Sleep:     o.Sleep,
		Version:   "dev",
	})
	if exitCode != failure.ExitOK {
		return exitCode, nil
	}
	tables := filepath.Join(dir, "out", "tables")
	if err := WritePreviews(o.Stdout, tables); err != nil {
		return exitCode, err
	}
	_, err = fmt.Fprintf(o.Stdout, `
The tables are in %s, each with its manifest.
The shop has closed. To change the configuration and run it again, open the shop
in one terminal and start the extractor in another:

  go run ./cmd/devstack sample-api --listen %s
  go run ./cmd/extractor --data %s

docs/tutorial.md writes a first configuration step by step.
`, tables, address, dir)
	if err != nil {
		return exitCode, fmt.Errorf("telling where the tables are: %w", err)
	}
	return exitCode, nil
}
