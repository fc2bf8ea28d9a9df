// Package control is what the client commands do: store configurations on the
// platform, read them back, run them, follow and end their jobs.
//
// It promises that a command either does the whole of what it was told or says
// how far it came, that nothing is created twice by a repeated request, and
// that the token is never written. It knows no flags and no environment, and
// what stands in a configuration is the component's business: only that it is
// JSON is checked before it is sent. A split alone looks further, for what jobs
// side by side would do to each other's tables.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Session is one person's work with one component of the platform. All fields
// must be set.
type Session struct {
	Platform *platform.Client
	// Component is the id of the extractor's component.
	Component string
	// JSON asks for results as JSON instead of readable text.
	JSON bool
	// Out receives results, Progress what happens on the way.
	Out, Progress io.Writer
	// Secrets are masked in everything that is written; the token must be one.
	Secrets *secret.Registry
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error
}

// ExitCode is the exit code an error of this package asks for: 1 for a user
// error, for what the platform refused (status 4xx) and for what the user
// ended, 2 for everything else.
func ExitCode(err error) int {
	var refused *platform.Error
	if errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 {
		return failure.ExitUser
	}
	if errors.Is(err, errStopped) || errors.Is(err, context.Canceled) {
		return failure.ExitUser
	}
	return failure.ExitCode(err)
}

// Fail writes why a command failed, on one line of Progress, and gives its exit
// code.
func (s *Session) Fail(err error) (exit int) {
	if writeErr := s.line(s.Progress, "%s", err); writeErr != nil {
		return failure.ExitApplication
	}
	return ExitCode(err)
}

// line writes one line of text without what could steer a terminal.
func (s *Session) line(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, printable(s.Secrets.Redact(fmt.Sprintf(format, args...))))
	return err
}

// printable puts a blank in the place of every control character.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// table writes rows of cells to Out, one line each, in columns.
func (s *Session) table(rows [][]string) error {
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			// Masked cell by cell: afterwards the cells are padded.
			cells[i] = printable(s.Secrets.Redact(cell))
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// compact writes a value as one line of JSON.
func (s *Session) compact(v value.Value) error {
	_, err := fmt.Fprintln(s.Out, s.Secrets.Redact(v.JSON()))
	return err
}

// pretty is a value as indented JSON with a line feed at the end; members keep
// their order and numbers their digits.
func (s *Session) pretty(v value.Value) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(v.JSON()), "", "  "); err != nil {
		return nil, fmt.Errorf("cannot indent the configuration: %w", err)
	}
	b.WriteByte('\n')
	return []byte(s.Secrets.Redact(b.String())), nil
}

// unsettled adds to a failed write what to look at before it is tried again.
func unsettled(err error, advice string) error {
	var failed *platform.Error
	if errors.As(err, &failed) && failed.Unsettled() {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

func member(name, text string) value.Member {
	return value.Member{Name: name, Value: value.OfString(text)}
}
