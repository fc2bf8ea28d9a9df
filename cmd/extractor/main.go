// Command extractor pulls data out of an HTTP API as a configuration describes. It reads a
// data directory, sends the requests of the configuration, and writes tables. Without a
// command it runs the data directory, as the platform expects.
package main

import (
	"context"
	"io"
	"log"
	"os"

	_ "time/tzdata" // the image contains only this binary

	_ "golang.org/x/crypto/x509roots/fallback" // CA roots, for the same reason

	"github.com/keboola/configurable-extractor/pkg/app"
)

func main() {
	// net/http logs bytes that a server sends after a response. They may be secrets.
	log.SetOutput(io.Discard)
	_ = app.NoCoreDump() // not supported on all systems
	app.TuneMemory(os.DirFS("/"), os.Getenv)
	ctx, stop := app.UntilSignal(context.Background())
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
