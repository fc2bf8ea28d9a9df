package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/report"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// run is one run of the program. Its Options are a copy with defaults filled in; Options
// of the caller never change.
type run struct {
	Options

	report *report.Collector // nil without Options.Report
	source source
	// stderrIsTerminal is true if a person reads stderr and therefore gets errors with
	// lines of the configuration. The platform and programs expect a single line.
	stderrIsTerminal bool
	// sameTerminal is true if stdout is also a terminal with readable events.
	sameTerminal bool

	written written
	// lastState is true if the state of the run is the last state in its data directory.
	lastState bool
}

func newRun(options Options) *run {
	r := &run{Options: options}
	r.fillEnvironment()
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Sleep == nil {
		r.Sleep = Sleep
	}
	if r.After == nil {
		r.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	r.DataDir = DataDir(r.DataDir, r.Getenv)
	r.Version = cmp.Or(r.Version, "dev")
	r.UserAgent = "configurable-extractor/" + r.Version
	r.Secrets = &secret.Registry{}
	return r
}

// Run executes one run and returns the exit code: 0 for success, 1 for a user error, 2 for
// an application error, 3 for a run that reached a limit.
//
// After an error the last event is run.failed, stderr has its message, and out/tables is
// unchanged. The message is a single line, or on a terminal an error with the line of the
// configuration. After a limit the last event is run.cut, stderr has its message, and
// out/tables has the data up to that point. Unless the run succeeds, out/state.json is
// unchanged, except for values that a login remembered.
func Run(ctx context.Context, options Options) (code int) {
	r := newRun(options)
	r.Stdout, r.Stderr = newInterruptible(ctx, r.Stdout, r.After), newInterruptible(ctx, r.Stderr, r.After)
	r.Secrets.Add(r.Getenv("KBC_TOKEN"))
	// Go prints the values of a panic that is not recovered, and these may be secrets.
	err := failure.Recover(func() error {
		code = start(ctx, r)
		return nil
	})
	if err != nil {
		return reportFailure(r, err)
	}
	return code
}

// start continues Run after the secrets of the environment are registered.
func start(ctx context.Context, r *run) int {
	action := wantsAction(r)
	live, err := r.boolVariable("EXTRACTOR_LIVE")
	if err != nil {
		return reportFailure(r, err)
	}
	sink, unreached, err := openSink(ctx, r, action)
	if err != nil {
		return reportFailure(r, err)
	}
	_, readable := sink.(*event.Console)
	if r.Live == nil && readable {
		r.Live = openLive(r)
	}
	sink = forPerson(r, sink, readable)
	if r.Live != nil {
		sink = r.Live.Over(sink)
	}
	err = r.openRecording()
	r.Log = event.NewLog(sink, r.Secrets, r.Now)
	if live {
		r.reportLive()
	}
	var cut *event.RunCut
	if err == nil {
		err = r.openReport()
	}
	if unreached != nil {
		r.Log.Emit(event.LogUnreached{Text: unreached.Error()})
	}
	if err == nil {
		err = failure.Recover(func() (err error) {
			cut, err = extract(ctx, r)
			return err
		})
	}
	r.Live.Close()
	if err = advised(r.closeRecording(err)); err != nil {
		if action {
			err = errors.Join(err, writeError(r, err))
		}
		r.Log.Emit(event.RunFailed{
			Error:     oneLine(r.Secrets, err),
			ErrorKind: string(failure.KindOf(err)),
			Pointer:   failure.PointerOf(err),
			Problems:  problems(err),
		})
	}
	if closing := r.Log.Close(); err == nil && closing != nil {
		err = advised(failure.Applicationf("cannot write the events: %w", closing))
	}
	err = r.writeReport(err)
	if readable {
		_, _ = io.WriteString(r.Stdout, r.outputSummary()) // a failure to write the summary does not fail the run
	}
	if err != nil {
		return reportFailure(r, err)
	}
	if cut != nil && !r.sameTerminal {
		fmt.Fprintln(r.Stderr, oneLine(r.Secrets, errors.New(event.MessageOf(cut))))
	}
	if cut != nil {
		return failure.ExitLimitReached
	}
	return failure.ExitOK
}

// mostLine is the maximum length, in bytes, of an error that is shown. An error may contain
// a URL of any length.
const mostLine = 64 << 10

// oneLine returns the text of an error as one line without control characters, at most
// mostLine bytes long. It masks secrets before it folds white space, because secrets may
// contain white space.
func oneLine(secrets *secret.Registry, err error) string {
	text := err.Error()
	if problems, ok := errors.AsType[failure.Problems](err); ok && problems.Error() == text {
		text = secrets.Problems(problems).Error()
	} else {
		text = secrets.Mask(text)
	}
	return textfmt.Cut(textfmt.Printable(strings.Join(strings.Fields(text), " ")), mostLine)
}

// problems returns the problems of a configuration as JSON text, or "" for other errors.
func problems(err error) string {
	found, ok := errors.AsType[failure.Problems](err)
	if !ok {
		return ""
	}
	var text strings.Builder
	list := json.NewEncoder(&text)
	list.SetEscapeHTML(false) // people read it too
	if err := list.Encode(found); err != nil {
		return "" // the message contains the same text
	}
	return strings.TrimSpace(text.String())
}

// extract executes a run. If a limit was reached, it returns the event.
func extract(ctx context.Context, r *run) (*event.RunCut, error) {
	began := r.Now()
	if err := checkLimits(r); err != nil {
		return nil, err
	}
	dir, err := datadir.Open(r.DataDir)
	if err != nil {
		return nil, err
	}
	doc, err := read(ctx, r, dir)
	if err != nil {
		return nil, err
	}
	if err := readState(r, dir); err != nil {
		return nil, err
	}
	deny, err := r.boolVariable("EXTRACTOR_DENY_PRIVATE_NETWORKS")
	if err != nil {
		return nil, err
	}
	r.DenyPrivateNetworks = r.DenyPrivateNetworks || deny
	switch doc.Config.Action {
	case "run":
		r.Log.Emit(event.RunStarted{Version: r.Version, Jobs: doc.Program.Jobs(), Iterations: len(doc.Config.Iterations)})
		return extractTables(ctx, r, dir, doc.Program, began)
	case "validate":
		return nil, validate(r, doc)
	default: // testRequest under any of its names: the schema allows no other action
		r.keepAlone(dir)
		return nil, testRequest(ctx, r, doc.Program)
	}
}

func checkLimits(r *run) error {
	for _, l := range []struct {
		flag  string
		value int64
	}{{"max-requests", int64(r.Limits.Requests)}, {"max-time", int64(r.Limits.Time)}, {"max-bytes", r.Limits.Bytes}, {"sample", int64(r.Sample)}} {
		if l.value < 0 {
			return failure.Userf("--%s expects a positive value, or 0 for no limit", l.flag)
		}
	}
	return nil
}

// extractTables runs the program in a stage and commits the results. If a limit was
// reached, it returns the event.
func extractTables(ctx context.Context, r *run, dir *datadir.Dir, program *engine.Program, began time.Time) (cut *event.RunCut, err error) {
	stage, err := dir.Stage()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stage.Discard()) }()
	if err := checkState(r, dir); err != nil {
		return nil, err
	}
	r.Temp, r.Tables, r.Files, r.CacheDir = stage.Temp(), stage.Tables(), stage.Files(), dir.Cache()
	if r.Player != nil {
		r.Files = filepath.Join(stage.Temp(), "files")
		if err := os.Mkdir(r.Files, 0o777); err != nil {
			return nil, failure.Applicationf("cannot make a directory for this run: %w", err)
		}
	}
	r.keepIn(stage)
	if r.Recorder != nil || r.Player != nil {
		// A recording must not depend on the cache of other runs.
		r.CacheDir = filepath.Join(stage.Temp(), "cache")
	}
	result, err := program.Run(ctx, &r.Run)
	if err != nil {
		return nil, r.interrupted(ctx, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, r.interrupted(ctx, err) // also if the events cannot be written any more
	}
	if err := r.Log.Err(); err != nil {
		return nil, failure.Applicationf("cannot write the events: %w", err)
	}
	if result.LimitReached != nil {
		err = r.cutRecording()
		result.State = value.Value{} // otherwise the next run would miss the omitted data
	} else {
		err = r.finishRecording()
	}
	if err != nil {
		return nil, err
	}
	if r.report != nil { // the tables are complete, but not moved yet
		if err := r.report.Tables(r.Tables); err != nil {
			return nil, err
		}
	}
	if err := mergeTables(ctx, r, dir, stage, result.Declared); err != nil {
		return nil, r.interrupted(ctx, err)
	}
	if err := stage.Commit(result.State); err != nil {
		return nil, err
	}
	r.written.tables, r.written.files, r.written.state = result.Tables > 0, result.Files > 0, !result.State.IsNull()
	if result.LimitReached == nil {
		for _, e := range result.Remembered {
			r.Log.Emit(e)
		}
	}
	return reportEnd(r.Log, result, r.Now().Sub(began).Round(time.Millisecond).Seconds()), nil
}

// reportEnd emits the last event of a run. If a limit was reached, it returns the event.
func reportEnd(log *event.Log, r engine.Result, seconds float64) *event.RunCut {
	if r.LimitReached == nil {
		log.Emit(event.RunFinished{Seconds: seconds, Requests: r.Requests, Bytes: r.Bytes, Rows: r.Rows, Tables: r.Tables, Files: r.Files, Incomplete: r.Incomplete, Failed: r.Failed, Remaining: r.Remaining})
		return nil
	}
	e := event.RunCut{
		Budget: r.LimitReached.Budget, Limit: r.LimitReached.Limit, Reached: r.LimitReached.Reached, Job: r.LimitReached.Job, Pointer: r.LimitReached.Pointer,
		Seconds: seconds, Requests: r.Requests, Bytes: r.Bytes, Rows: r.Rows, Tables: r.Tables, Files: r.Files,
	}
	log.Emit(e)
	return &e
}

// interrupted returns an error with the cause of the interruption and the resulting state
// of the data directory. If ctx has not ended, it returns err.
func (r *run) interrupted(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case OnPlatform(r.Getenv): // the platform keeps no files of such a run
		return failure.Userf("the run was interrupted: %w", context.Cause(ctx))
	default:
		return failure.Userf("the run was interrupted: %w; %s", context.Cause(ctx), r.interruptedSummary())
	}
}
