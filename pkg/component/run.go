package component

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/extract"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Run does one run and returns the exit code: 0, 1 for what the user can mend,
// 2 for everything else. After a failure the last event is run.failed and
// stderr holds its message in one line; out/tables is as it was before.
func Run(ctx context.Context, o Options) int {
	o.fill()
	secrets := &event.Secrets{}
	secrets.Add(o.Getenv("KBC_TOKEN"))
	action := wantsAction(o)
	sink, err := openSink(ctx, o, action)
	if err != nil {
		return report(o, secrets, err)
	}
	tape, err := openTape(&o, secrets)
	log := event.NewLog(sink, secrets, o.Now)
	if err == nil {
		err = failure.Guarded(func() error { return run(ctx, o, tape, log, secrets) })
	}
	if err = tape.close(err); err != nil {
		if action {
			err = errors.Join(err, refuse(o, secrets, err))
		}
		log.Emit(event.RunFailed{
			Error:     oneLine(secrets, err),
			ErrorKind: string(failure.KindOf(err)),
			Pointer:   failure.PointerOf(err),
			Problems:  problems(err),
		})
	}
	if closing := log.Close(); err == nil && closing != nil {
		err = failure.Applicationf("cannot write the events: %w", closing)
	}
	if err != nil {
		return report(o, secrets, err)
	}
	return failure.ExitOK
}

// report ends a failed run: one line on stderr, the exit code.
func report(o Options, secrets *event.Secrets, err error) int {
	fmt.Fprintln(o.Stderr, oneLine(secrets, err))
	return failure.ExitCode(err)
}

// oneLine is an error's text in one line. Secrets are masked before white space
// is folded, for a secret may hold some.
func oneLine(secrets *event.Secrets, err error) string {
	return strings.Join(strings.Fields(secrets.Redact(err.Error())), " ")
}

// problems is the JSON text of all faults of the configuration, "" for an error
// of another kind.
func problems(err error) string {
	found, ok := errors.AsType[failure.Problems](err)
	if !ok {
		return ""
	}
	var text strings.Builder
	list := json.NewEncoder(&text)
	list.SetEscapeHTML(false) // it is read by people too
	if err := list.Encode(found); err != nil {
		return "" // the message tells the same
	}
	return strings.TrimSpace(text.String())
}

// run is the run itself.
func run(ctx context.Context, o Options, tape tape, log *event.Log, secrets *event.Secrets) error {
	began := o.Now()
	dir, err := datadir.Open(o.DataDir)
	if err != nil {
		return err
	}
	doc, err := read(ctx, o, dir, log, secrets)
	if err != nil {
		return err
	}
	compiled, plan, err := compile(o, doc, log)
	if err != nil {
		return err
	}
	state, warning, err := dir.State()
	if err != nil {
		return err
	}
	if warning != "" {
		log.Emit(event.StateWarning{Text: warning})
	}
	secrets.AddDocument(state)
	deps := extract.Deps{
		State:     state,
		Log:       log,
		Secrets:   secrets,
		Now:       o.Now,
		Sleep:     o.Sleep,
		Dial:      o.Dial,
		Getenv:    o.Getenv,
		Rand:      o.Rand,
		UserAgent: "configurable-extractor/" + o.Version,
		Recorder:  tape.recorder,
		Player:    tape.player,
	}
	switch compiled.Action {
	case "run":
		log.Emit(event.RunStarted{Version: o.Version, Jobs: plan.Jobs(), Iterations: len(compiled.Iterations)})
		return extractTables(ctx, o, tape, dir, plan, deps, began)
	case "validate":
		return validate(o, tape, compiled)
	default: // testRequest in either spelling: the schema knows no other
		return testRequest(ctx, o, tape, plan, deps)
	}
}

// extractTables runs the plan in a stage and commits it.
func extractTables(ctx context.Context, o Options, tape tape, dir *datadir.Dir, plan *extract.Plan, d extract.Deps, began time.Time) (err error) {
	stage, err := dir.Stage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Discard()) }()
	d.Temp, d.Tables, d.CacheDir = stage.Temp(), stage.Tables(), dir.Cache()
	if tape.used() {
		// What other runs left there would be missing in the recording.
		d.CacheDir = filepath.Join(stage.Temp(), "cache")
	}
	result, err := plan.Run(ctx, d)
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := d.Log.Err(); err != nil {
		return failure.Applicationf("cannot write the events: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return interrupted(ctx, err)
	}
	if err := tape.finish(); err != nil {
		return err
	}
	if err := stage.Commit(result.State); err != nil {
		return err
	}
	d.Log.Emit(event.RunFinished{
		Seconds:  o.Now().Sub(began).Round(time.Millisecond).Seconds(),
		Requests: result.Requests,
		Bytes:    result.Bytes,
		Rows:     result.Rows,
		Tables:   result.Tables,
	})
	return nil
}

// interrupted names the reason when a run ended because it was told to.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return failure.Userf("the run was interrupted: %w", context.Cause(ctx))
	}
	return err
}

// compile makes the plan of a run; all problems of the document are one error.
func compile(o Options, doc value.Value, log *event.Log) (*config.Document, *extract.Plan, error) {
	typed, err := TypedTables(o.Getenv)
	if err != nil {
		return nil, nil, err
	}
	compiled, problems := config.Compile(doc, config.Options{Now: o.Now, Strict: o.Strict})
	var plan *extract.Plan
	if compiled != nil {
		plan = extract.Compile(compiled, typed)
	}
	if err := problems.Unique().Err(); err != nil {
		return nil, nil, err
	}
	for _, w := range compiled.Warnings {
		text := w.Expected
		if w.Hint != "" {
			text += "; " + w.Hint
		}
		log.Emit(event.ConfigWarning{Pointer: w.Pointer, Text: text})
	}
	return compiled, plan, nil
}
