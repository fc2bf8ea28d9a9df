package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/report"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// source is the text of the configuration and the path of its file.
type source struct {
	file string
	text []byte
}

// written is the output that a run has written so far.
type written struct {
	tables, files, state, report, recording bool
	// kept is true if a login has changed the state. This is true even if the run fails.
	kept bool
}

// reportFailure writes the error of a failed run to stderr and returns the exit code. On a
// terminal it also shows the line of the configuration; the platform and programs get a
// single line.
func reportFailure(r *run, err error) int {
	if !r.stderrIsTerminal || !r.showSourceLine(err) {
		fmt.Fprintln(r.Stderr, r.prefix()+oneLine(r.Secrets, err))
	}
	return failure.ExitCode(err)
}

// prefix returns the prefix of a single-line error message on a terminal.
func (r *run) prefix() string {
	switch {
	case !r.stderrIsTerminal:
		return ""
	case Colours(r.Stderr, r.Getenv):
		return "\x1b[1;31merror\x1b[0m: "
	default:
		return "error: "
	}
}

// showSourceLine writes an error with the line of the configuration that caused it. It
// returns false if no line is known.
func (r *run) showSourceLine(err error) bool {
	if r.source.text == nil {
		return false
	}
	pointer := failure.PointerOf(err)
	message := strings.Replace(oneLine(r.Secrets, err), " (at "+r.Secrets.Mask(pointer)+")", "", 1)
	shown := diagnostic.OfFailure(r.source.file, r.source.text, r.Secrets, err, message)
	if len(shown.Findings) == 0 {
		return false
	}
	// If stderr cannot be written, the exit code and the events still report the failure.
	_ = diagnostic.WriteText(r.Stderr, []*diagnostic.Report{shown}, Colours(r.Stderr, r.Getenv))
	return true
}

// failureFilter drops the last event of a failed run if stderr shows the failure on the
// same terminal.
type failureFilter struct{ event.Sink }

func (s failureFilter) Write(e event.Event) error {
	if e.Kind == event.KindOf(event.RunFailed{}) {
		return nil
	}
	return s.Sink.Write(e)
}

// outputSummary returns the last readable line of a run, with the paths of the written
// files. It returns "" if no file was written.
func (r *run) outputSummary() string {
	var parts []string
	add := func(is bool, what, path string) {
		if is {
			parts = append(parts, what+" in "+textfmt.Printable(r.Secrets.Mask(path)))
		}
	}
	add(r.written.tables, "tables", filepath.Join(r.DataDir, "out", "tables"))
	add(r.written.files, "files", filepath.Join(r.DataDir, "out", "files"))
	add(r.written.state, "state", filepath.Join(r.DataDir, "out", "state.json"))
	add(r.written.report, "report", filepath.Join(r.Report, report.HTMLFile))
	add(r.written.recording, "recording", r.Record)
	if parts == nil {
		return ""
	}
	return "Written: " + strings.Join(parts, ", ") + "\n"
}

// interruptedSummary describes the data directory after an interrupted run: the run wrote
// no table, and no state except the values that a login must remember.
func (r *run) interruptedSummary() string {
	tables, state := filepath.Join(r.DataDir, "out", "tables"), filepath.Join(r.DataDir, "out", "state.json")
	entries, err := os.ReadDir(tables)
	hasTables := err == nil && len(entries) > 0
	_, err = os.Stat(state)
	hasState := err == nil
	switch {
	case r.written.kept && hasTables:
		return fmt.Sprintf("no table was written, %s is as before; %s has the new credentials of a login", tables, state)
	case r.written.kept:
		return fmt.Sprintf("no table was written; %s has the new credentials of a login", state)
	case hasTables && hasState:
		return fmt.Sprintf("no table and no state was written, %s and %s are those of the run before", tables, state)
	case hasTables:
		return fmt.Sprintf("no table and no state was written, %s is that of the run before", tables)
	case hasState:
		return fmt.Sprintf("no table and no state was written, %s is that of the run before", state)
	default:
		return "no table and no state was written"
	}
}
