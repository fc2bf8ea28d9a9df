package main

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/platform/control"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// connection has the flags of the commands for the platform.
type connection struct {
	url, queueURL, tokenFile, component string
	json                                bool
}

// group makes a group of commands with the shared flags.
func (c *connection) group(use, short, example string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use: use, Short: short, Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.flags(group)
	group.AddCommand(commands...)
	return group
}

// flags declares the shared flags. There is none for the token, because every user of
// the machine can see the arguments of a process.
func (c *connection) flags(group *cobra.Command) {
	flags := group.PersistentFlags()
	flags.StringVar(&c.url, "url", "", "address of the platform (default $KBC_URL)")
	flags.StringVar(&c.queueURL, "queue-url", "", "address of its job queue (default $KBC_QUEUE_URL, else the platform is asked)")
	flags.StringVar(&c.tokenFile, "token-file", "", "file that holds the token (default: the token is in $KBC_TOKEN)")
	flags.StringVar(&c.component, "component", "", "component id of the extractor (default $KBC_COMPONENTID)")
	flags.BoolVar(&c.json, "json", false, "write results as JSON")
}

// session makes a session. It sends nothing.
func (c *connection) session(cmd *cobra.Command) (*control.Session, error) {
	token := os.Getenv("KBC_TOKEN")
	if c.tokenFile != "" {
		text, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return nil, failure.Userf("cannot read the token: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	if token == "" {
		return nil, failure.Userf("the token is missing: set KBC_TOKEN or give --token-file")
	}
	url := cmp.Or(c.url, os.Getenv("KBC_URL"))
	if url == "" {
		return nil, failure.Userf("the address of the platform is missing: set KBC_URL or give --url")
	}
	client, err := platform.New(platform.Options{URL: url, QueueURL: cmp.Or(c.queueURL, os.Getenv("KBC_QUEUE_URL")), Token: token})
	if err != nil {
		return nil, err
	}
	secrets := &secret.Registry{}
	secrets.Add(token)
	return &control.Session{
		Platform:  client,
		Component: cmp.Or(c.component, os.Getenv("KBC_COMPONENTID")),
		JSON:      c.json,
		Out:       cmd.OutOrStdout(),
		Progress:  cmd.ErrOrStderr(),
		Secrets:   secrets,
		Now:       time.Now,
		Sleep:     app.Sleep,
	}, nil
}

// work makes the RunE of a command from a function that uses a session and returns the
// exit code.
func (c *connection) work(code *int, needsComponent bool, do func(context.Context, *control.Session, []string) (int, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := c.session(cmd)
		if err != nil {
			return err
		}
		if needsComponent && s.Component == "" {
			return failure.Userf("the component id is missing: set KBC_COMPONENTID or give --component")
		}
		if *code, err = do(cmd.Context(), s, args); err != nil {
			*code = s.Fail(err)
		}
		return nil
	}
}
