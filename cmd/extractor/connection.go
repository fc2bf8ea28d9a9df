package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
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

// connection contains the values of the flags that the commands for the platform share.
type connection struct {
	url, queueURL, tokenFile, component string
	json                                bool
}

// connectionHelp is the help text that the commands for the platform share.
const connectionHelp = `The URL, the component and the token come from flags, otherwise from the
environment, otherwise from the file .env in the working directory:

  KBC_URL=https://connection.example.com
  KBC_COMPONENTID=acme.ex-shop
  KBC_TOKEN=123-456-secret`

// group returns a group of commands and declares the shared flags for them.
func (c *connection) group(use, short, example string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use: use, Short: short, Long: short + ".\n\n" + connectionHelp, Example: example, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, command := range commands {
		c.flags(command)
		command.Long = cmp.Or(command.Long, command.Short+".") + "\n\n" + fmt.Sprintf("Settings that are not flags come from the environment or from the file %s, see\n'extractor %s --help'.", settingsFile, use)
	}
	group.AddCommand(commands...)
	return group
}

// flags declares the shared flags. The token has no flag, because every user of the machine
// can see the arguments of a process.
func (c *connection) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.url, "url", "", "`URL` of the platform (default $KBC_URL)")
	flags.StringVar(&c.queueURL, "queue-url", "", "`URL` of the job queue (default $KBC_QUEUE_URL, otherwise the platform returns it)")
	flags.StringVar(&c.tokenFile, "token-file", "", "`FILE` that contains the token (default: the token in $KBC_TOKEN)")
	flags.StringVar(&c.component, "component", "", "`ID` of the extractor's component (default $KBC_COMPONENTID)")
	flags.BoolVar(&c.json, "json", false, "write the results as JSON")
}

// hide removes a flag from the help of commands that accept but do not use it.
func hide(flag string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.Flags().Lookup(flag).Hidden = true
	}
}

// session returns a session for the flags and settings. It sends no request.
func (c *connection) session(cmd *cobra.Command) (*control.Session, error) {
	env, err := openSettings(settingsFile, os.Getenv)
	if err != nil {
		return nil, err
	}
	token, err := c.token(env, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	url := cmp.Or(c.url, env.get("KBC_URL"))
	if url == "" {
		return nil, failure.Userf("the URL of the platform is missing: use --url, or set KBC_URL in the environment or in %s", settingsFile)
	}
	client, err := platform.New(platform.Options{URL: url, QueueURL: cmp.Or(c.queueURL, env.get("KBC_QUEUE_URL")), Token: token})
	if err != nil {
		return nil, err
	}
	secrets := &secret.Registry{}
	secrets.Add(token)
	return &control.Session{
		Platform:  client,
		Component: cmp.Or(c.component, env.get("KBC_COMPONENTID")),
		JSON:      c.json,
		Out:       cmd.OutOrStdout(),
		Progress:  cmd.ErrOrStderr(),
		Secrets:   secrets,
		Now:       time.Now,
		Sleep:     app.Sleep,
	}, nil
}

// token returns the token. It warns if the token is in a file that other users of the
// machine can read.
func (c *connection) token(env *settings, warnings io.Writer) (string, error) {
	token, from := env.lookup("KBC_TOKEN")
	if c.tokenFile != "" {
		text, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return "", failure.Userf("cannot read the token: %w", err)
		}
		token, from = strings.TrimSpace(string(text)), ""
	}
	if token == "" {
		return "", failure.Userf("the token is missing: use --token-file, or set KBC_TOKEN in the environment or in %s", settingsFile)
	}
	if from != "" && env.file.Shared {
		if _, err := fmt.Fprintf(warnings, "warning: other users of this computer can read the token in %s; run: chmod 600 %s\n", from, from); err != nil {
			return "", err
		}
	}
	return token, nil
}

// runE returns a RunE function that opens a session, calls do, and ends with the exit code
// of do.
func (c *connection) runE(needsComponent bool, do func(context.Context, *control.Session, []string) (int, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := c.session(cmd)
		if err != nil {
			return err
		}
		if needsComponent && s.Component == "" {
			return failure.Userf("the component id is missing: use --component, or set KBC_COMPONENTID in the environment or in %s", settingsFile)
		}
		code, err := do(cmd.Context(), s, args)
		if err != nil {
			code = s.Fail(err)
		}
		return exit(code, nil)
	}
}
