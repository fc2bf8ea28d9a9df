// Command devstack runs a local platform, a sample API and a demo on a laptop. It contains
// only flags and wiring; pkg/devstack does the work.
//
// The exit code of demo is the exit code of the component. After any other failure it is 1.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	_ "time/tzdata" // the image contains only this binary

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // CA roots, for the same reason

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/devstack"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
)

func main() {
	ctx, stop := app.UntilSignal(context.Background())
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exitCode is an error that ends the program with the exit code of the component. The
// component has already reported its error.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "devstack",
		Short: "Try the extractor on your computer, without any account",
		Example: `  devstack demo
  devstack serve`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newDemo(), newServe(), newSampleAPI(), newComponent(), newHealthy())
	shellcompletion.Install(root, map[string]cobra.CompletionFunc{
		"data":       shellcompletion.Directories(),
		"data-types": shellcompletion.OneOf(tableload.NoTypes, tableload.Hints, tableload.Authoritative),
		"extractor":  shellcompletion.AnyFile(),
		"logging":    shellcompletion.OneOf(sandbox.LogGELF, sandbox.LogVerbose, sandbox.LogStdout),
		"runner":     shellcompletion.OneOf(devstack.RunnerProcess, devstack.RunnerDocker),
	})
	return root
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if err != nil {
		fmt.Fprintln(stderr, "devstack:", err)
		return 1
	}
	return 0
}
