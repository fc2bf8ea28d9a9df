package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Run executes one run and returns the exit code: 0 for success, 1 for a user error, 2 for
// an application error, 3 for a run that reached a limit.
//
// After an error the last event is run.failed, stderr has its message, and out/tables is
// unchanged. The message is a single line, or on a terminal an error with the line of the
// configuration. After a limit the last event is run.cut, stderr has its message, and
// out/tables has the data up to that point. Unless the run succeeds, out/state.json is
// unchanged, except for values that a login remembered.
func Run(ctx context.Context, o Options) (code int) {
	o.fill()
	o.Stdout, o.Stderr = newInterruptible(ctx, o.Stdout, o.After), newInterruptible(ctx, o.Stderr, o.After)
	o.Secrets.Add(o.Getenv("KBC_TOKEN"))
	// Go prints the values of a panic that is not recovered, and these may be secrets.
	err := failure.Recover(func() error {
		code = start(ctx, &o)
		return nil
	})
	if err != nil {
		return reportFailure(&o, err)
	}
	return code
}

// start continues Run after the secrets of the environment are registered.
func start(ctx context.Context, o *Options) int {
	action := wantsAction(o)
	live, err := o.boolVariable("EXTRACTOR_LIVE")
	if err != nil {
		return reportFailure(o, err)
	}
	sink, unreached, err := openSink(ctx, o, action)
	if err != nil {
		return reportFailure(o, err)
	}
	_, readable := sink.(*event.Console)
	if o.Live == nil {
		o.Live = openLive(o, sink)
	}
	sink = forPerson(o, sink)
	if o.Live != nil {
		sink = o.Live.Over(sink)
	}
	err = o.openRecording()
	o.Log = event.NewLog(sink, o.Secrets, o.Now)
	if live {
		o.reportLive()
	}
	var cut *event.RunCut
	if err == nil {
		err = o.openReport()
	}
	if unreached != nil {
		o.Log.Emit(event.LogUnreached{Text: unreached.Error()})
	}
	if err == nil {
		err = failure.Recover(func() (err error) {
			cut, err = run(ctx, o)
			return err
		})
	}
	o.Live.Close()
	if err = advised(o.closeRecording(err)); err != nil {
		if action {
			err = errors.Join(err, writeError(o, err))
		}
		o.Log.Emit(event.RunFailed{
			Error:     oneLine(o.Secrets, err),
			ErrorKind: string(failure.KindOf(err)),
			Pointer:   failure.PointerOf(err),
			Problems:  problems(err),
		})
	}
	if closing := o.Log.Close(); err == nil && closing != nil {
		err = advised(failure.Applicationf("cannot write the events: %w", closing))
	}
	err = o.writeReport(err)
	if readable {
		_, _ = io.WriteString(o.Stdout, o.outputSummary()) // a failure to write the summary does not fail the run
	}
	if err != nil {
		return reportFailure(o, err)
	}
	if cut != nil && !o.sameTerminal {
		fmt.Fprintln(o.Stderr, oneLine(o.Secrets, errors.New(cut.Message())))
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

// run executes a run. If a limit was reached, it returns the event.
func run(ctx context.Context, o *Options) (*event.RunCut, error) {
	began := o.Now()
	if err := checkLimits(o); err != nil {
		return nil, err
	}
	dir, err := datadir.Open(o.DataDir)
	if err != nil {
		return nil, err
	}
	doc, err := read(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	if err := readState(o, dir); err != nil {
		return nil, err
	}
	deny, err := o.boolVariable("EXTRACTOR_DENY_PRIVATE_NETWORKS")
	if err != nil {
		return nil, err
	}
	o.DenyPrivateNetworks = o.DenyPrivateNetworks || deny
	switch doc.Config.Action {
	case "run":
		o.Log.Emit(event.RunStarted{Version: o.Version, Jobs: doc.Plan.Jobs(), Iterations: len(doc.Config.Iterations)})
		return extractTables(ctx, o, dir, doc.Plan, began)
	case "validate":
		return nil, validate(o, doc)
	default: // testRequest under any of its names: the schema allows no other action
		o.keepAlone(dir)
		return nil, testRequest(ctx, o, doc.Plan)
	}
}

func checkLimits(o *Options) error {
	for _, l := range []struct {
		flag  string
		value int64
	}{{"max-requests", int64(o.Limits.Requests)}, {"max-time", int64(o.Limits.Time)}, {"max-bytes", o.Limits.Bytes}, {"sample", int64(o.Sample)}} {
		if l.value < 0 {
			return failure.Userf("--%s expects a positive value, or 0 for no limit", l.flag)
		}
	}
	return nil
}

// extractTables runs the program in a stage and commits the results. If a limit was
// reached, it returns the event.
func extractTables(ctx context.Context, o *Options, dir *datadir.Dir, plan *engine.Program, began time.Time) (cut *event.RunCut, err error) {
	stage, err := dir.Stage()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stage.Discard()) }()
	if err := checkState(o, dir); err != nil {
		return nil, err
	}
	o.Temp, o.Tables, o.CacheDir = stage.Temp(), stage.Tables(), dir.Cache()
	o.keepIn(stage)
	if o.Recorder != nil || o.Player != nil {
		// A recording must not depend on the cache of other runs.
		o.CacheDir = filepath.Join(stage.Temp(), "cache")
	}
	result, err := plan.Run(ctx, &o.Run)
	if err != nil {
		return nil, o.interrupted(ctx, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, o.interrupted(ctx, err) // also if the events cannot be written any more
	}
	if err := o.Log.Err(); err != nil {
		return nil, failure.Applicationf("cannot write the events: %w", err)
	}
	if result.LimitReached != nil {
		err = o.cutRecording()
		result.State = value.Value{} // otherwise the next run would miss the omitted data
	} else {
		err = o.finishRecording()
	}
	if err != nil {
		return nil, err
	}
	if o.report != nil { // the tables are complete, but not moved yet
		if err := o.report.Tables(o.Tables); err != nil {
			return nil, err
		}
	}
	if err := mergeTables(ctx, o, dir, stage); err != nil {
		return nil, o.interrupted(ctx, err)
	}
	if err := stage.Commit(result.State); err != nil {
		return nil, err
	}
	o.written.tables, o.written.state = result.Tables > 0, !result.State.IsNull()
	if result.LimitReached == nil {
		for _, e := range result.Remembered {
			o.Log.Emit(e)
		}
	}
	return reportEnd(o.Log, result, o.Now().Sub(began).Round(time.Millisecond).Seconds()), nil
}

// reportEnd emits the last event of a run. If a limit was reached, it returns the event.
func reportEnd(log *event.Log, r engine.Result, seconds float64) *event.RunCut {
	if r.LimitReached == nil {
		log.Emit(event.RunFinished{Seconds: seconds, Requests: r.Requests, Bytes: r.Bytes, Rows: r.Rows, Tables: r.Tables, Incomplete: r.Incomplete})
		return nil
	}
	e := event.RunCut{
		Budget: r.LimitReached.Budget, Limit: r.LimitReached.Limit, Reached: r.LimitReached.Reached, Job: r.LimitReached.Job, Pointer: r.LimitReached.Pointer,
		Seconds: seconds, Requests: r.Requests, Bytes: r.Bytes, Rows: r.Rows, Tables: r.Tables,
	}
	log.Emit(e)
	return &e
}

// interrupted returns an error with the cause of the interruption and the resulting state
// of the data directory. If ctx has not ended, it returns err.
func (o *Options) interrupted(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case OnPlatform(o.Getenv): // the platform keeps no files of such a run
		return failure.Userf("the run was interrupted: %w", context.Cause(ctx))
	default:
		return failure.Userf("the run was interrupted: %w; %s", context.Cause(ctx), o.interruptedSummary())
	}
}
