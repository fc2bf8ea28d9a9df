// Package control implements the client commands: they store configurations on the
// platform, read them, run them, and follow and end their jobs.
//
// A command either completes or reports how far it got. Retries never create anything
// twice. The token is never written. The package does not read flags or the environment. It
// checks that a configuration is JSON before it sends it. Only a split checks more: that no
// jobs overwrite the tables of other jobs.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Session contains the dependencies of the commands for one component. All fields are
// required.
type Session struct {
	Platform *platform.Client
	// Component is the id of the extractor's component.
	Component string
	// JSON writes results as JSON instead of text.
	JSON bool
	// Out receives results and Progress receives messages before the result.
	Out, Progress io.Writer
	// Secrets are masked in all output. They must include the token.
	Secrets *secret.Registry
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error
}

// ExitCode returns the exit code for an error of this package: 1 for a user error, for a
// call that the platform refused with status 4xx, and for an interruption by the user; 2
// for all other errors.
func ExitCode(err error) int {
	if refused, ok := errors.AsType[*platform.Error](err); ok && refused.Status >= 400 && refused.Status < 500 {
		return failure.ExitUser
	}
	if errors.Is(err, errStopped) || errors.Is(err, context.Canceled) {
		return failure.ExitUser
	}
	return failure.ExitCode(err)
}

// Fail writes an error as one line to Progress and returns its exit code.
func (s *Session) Fail(err error) (exit int) {
	if writeErr := s.line(s.Progress, "%s", err); writeErr != nil {
		return failure.ExitApplication
	}
	return ExitCode(err)
}

func (s *Session) line(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, textfmt.OneLine(s.Secrets.Mask(fmt.Sprintf(format, args...))))
	return err
}

func (s *Session) table(rows [][]string) error {
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			// Mask each cell before padding changes it.
			cells[i] = textfmt.OneLine(s.Secrets.Mask(cell))
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (s *Session) compact(v value.Value) error {
	_, err := fmt.Fprintln(s.Out, s.Secrets.Mask(v.JSON()))
	return err
}

// pretty returns a value as indented JSON with a line feed at the end. Members keep their
// order and numbers their digits.
func (s *Session) pretty(v value.Value) ([]byte, error) {
	var b strings.Builder
	if err := textfmt.WriteJSON(&b, v); err != nil {
		return nil, fmt.Errorf("cannot indent the configuration: %w", err)
	}
	return []byte(s.Secrets.Mask(b.String())), nil
}

func adviseIfUncertain(err error, advice string) error {
	if failed, ok := errors.AsType[*platform.Error](err); ok && failed.MayHaveSucceeded() {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

func member(name, text string) value.Member {
	return value.Member{Name: name, Value: value.OfString(text)}
}
