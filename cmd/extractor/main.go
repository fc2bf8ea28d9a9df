// Command extractor pulls data out of an HTTP API by configuration alone: it
// reads a data directory, sends the requests the configuration describes, and
// writes tables. Without a command it runs the data directory, as the platform
// expects.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"

	_ "time/tzdata" // the image holds nothing but this binary

	_ "golang.org/x/crypto/x509roots/fallback" // likewise: CA roots

	"github.com/keboola/configurable-extractor/pkg/app"
)

// version is set when the program is built: -ldflags "-X main.version=1.2.3". Without
// that main takes it from the build information before anything reads it.
var version = unreleased

func main() {
	info, _ := debug.ReadBuildInfo()
	version = versionOf(version, info)
	// net/http logs bytes that a server sends after an answer, which may be secrets.
	log.SetOutput(io.Discard)
	_ = app.NoCoreDump() // not possible on all systems
	app.TuneMemory(os.DirFS("/"), os.Getenv)
	ctx, stop := app.UntilSignal(context.Background())
	code := 0
	root := newRoot(&code)
	root.SetContext(ctx)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1) // a command may have set 2
	}
	stop()
	os.Exit(code)
}
