package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/devstack/fileload"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type execution struct {
	q       *Queue
	job     store.Job
	secrets secrets
	events  *journal
	// emit receives the events. It is journal.add, except in Try.
	emit func(store.Event)
	// result is the result so far.
	result store.Result
}

// newRun returns a run of the job. failed is called when its events can no longer be
// stored.
func (q *Queue) newRun(job store.Job, failed func(error)) *execution {
	r := &execution{q: q, job: job, events: newJournal(q.o.Store, q.o.After, failed)}
	r.emit = r.events.add
	r.secrets.add(q.o.Token)
	return r
}

// work runs a job from start to end. It returns only errors of the store.
func (q *Queue) work(ctx context.Context, id string) error {
	job, err := q.take(id)
	if err != nil || job.Status != store.Processing {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := q.newRun(job, cancel)
	return r.finish(r.execute(ctx))
}

// execute runs the component for each step and stores its state. It returns nil on
// success.
func (r *execution) execute(ctx context.Context) error {
	p, err := r.prepare()
	if err != nil {
		return err
	}
	r.result.Message = successMessage
	if len(p.steps) == 0 {
		r.result.Message = nothingMessage
		return nil
	}
	states := make([]value.Value, len(p.steps))
	for i := range p.steps {
		if states[i], err = r.step(ctx, p, i); err != nil {
			return err
		}
	}
	// A job that was killed just now must not store a state.
	if err := interruptCause(ctx); err != nil || r.job.Mode == store.Debug {
		return err
	}
	r.emitEvent(sandbox.Info, "Output mapping done.", "")
	return r.keepStates(p, states)
}

// prepare reads the configuration, replaces its variables and decrypts its ciphers. It
// does so for all steps, so that an error in the last step is found before the first step
// runs.
func (r *execution) prepare() (plan, error) {
	p, err := r.q.plan(r.job)
	r.result.ConfigVersion = p.version
	for _, s := range p.steps {
		r.secrets.collect(s.doc, true)
		r.secrets.collect(s.state, false)
	}
	if err != nil {
		return p, err
	}
	for _, row := range p.skipped {
		r.emitEvent(sandbox.Info, fmt.Sprintf("Skipping disabled configuration: %s, version: %s, row: %s", p.config, p.version, row), "")
	}
	if slices.ContainsFunc(p.steps, func(s step) bool { return s.doc.Field("processors").Len() > 0 }) {
		r.emitEvent(sandbox.Warn, "Processors are left out: none is run here.", "")
	}
	for _, s := range p.steps {
		if err := checkRoot(s.doc); err != nil {
			return p, err
		}
		if _, err := processTimeout(s.doc, 0); err != nil {
			return p, err
		}
	}
	if err := r.fillVariables(p.steps); err != nil {
		return p, err
	}
	return p, r.decrypt(p)
}

// step runs the component once and returns its new state.
func (r *execution) step(ctx context.Context, p plan, i int) (state value.Value, err error) {
	s := p.steps[i]
	spec, err := r.spec(p, s)
	if err != nil {
		return state, err
	}
	if err := interruptCause(ctx); err != nil {
		return state, err
	}
	place := fmt.Sprintf("component %s (row %d of %d)", r.job.Component, i+1, len(p.steps))
	r.emitEvent(sandbox.Info, "Running "+place, "")
	data, exit, err := r.q.o.Runner.Run(ctx, spec, r.record)
	if err != nil {
		return state, errors.Join(interruptCause(ctx), err)
	}
	defer func() {
		if err := data.Remove(); err != nil {
			r.emitEvent(sandbox.Warn, err.Error(), "")
		}
	}()
	r.result.Images = append(r.result.Images, r.q.o.Image)
	if err := interruptCause(ctx); err != nil {
		return state, err
	}
	if r.job.Mode == store.Debug {
		if err := r.keepStage(data.Dir, s.row); err != nil {
			return state, err
		}
	}
	if state, err = r.collect(ctx, s, data.Dir, r.q.exitError(exit, spec.Timeout)); err != nil {
		return state, err
	}
	r.emitEvent(sandbox.Info, "Finished "+place, "")
	return state, nil
}

func (r *execution) spec(p plan, s step) (sandbox.Spec, error) {
	timeout, err := processTimeout(s.doc, r.q.o.ProcessTimeout)
	if err != nil {
		return sandbox.Spec{}, err
	}
	doc, err := deliver(s.doc)
	if err != nil {
		return sandbox.Spec{}, err
	}
	config, err := indentJSON(doc)
	if err != nil {
		return sandbox.Spec{}, err
	}
	state, err := deliverState(s.state)
	if err != nil {
		return sandbox.Spec{}, err
	}
	return sandbox.Spec{
		Config:  config,
		State:   state,
		Env:     r.q.environment(r.job, p, s),
		Timeout: timeout,
		Secrets: r.secrets.list,
	}, nil
}

// collect returns the new state of the component and loads its tables. If the component
// failed, it loads only tables with write_always and returns failed. In debug mode it
// does neither.
func (r *execution) collect(ctx context.Context, s step, dir string, failed error) (value.Value, error) {
	if r.job.Mode == store.Debug {
		return value.Value{}, failed
	}
	if failed != nil {
		// The component's own error matters more than an error of its tables.
		err := r.load(ctx, s, dir, true)
		if err := interruptCause(ctx); err != nil {
			return value.Value{}, err
		}
		if err != nil {
			r.emitEvent(sandbox.Warn, "Tables of a failed run were not loaded: "+err.Error(), "")
		}
		return value.Value{}, failed
	}
	state, err := newState(dir)
	if err != nil {
		return state, err
	}
	r.secrets.collect(state, false)
	// As on the platform, files come before tables, because rows may name them.
	if err := r.storeFiles(ctx, s, dir); err != nil {
		return state, err
	}
	return state, r.load(ctx, s, dir, false)
}

// storeFiles stores the files of the component. The files of a failed component are not
// stored.
func (r *execution) storeFiles(ctx context.Context, s step, dir string) error {
	stored, err := fileload.Load(ctx, fileload.Options{
		Store:     r.q.o.Store,
		Dir:       dir,
		Component: r.job.Component,
		Config:    r.job.Config,
		Row:       s.row,
		Branch:    defaultBranch,
		Job:       r.job.ID,
		Storage:   s.doc.Field("storage"),
		Warn:      func(text string) { r.emitEvent(sandbox.Warn, text, "") },
	})
	if r.result.Files += stored; stored > 0 {
		r.emitEvent(sandbox.Info, "Stored "+textfmt.Count(stored, "file"), "")
	}
	if interruption := interruptCause(ctx); interruption != nil {
		return interruption
	}
	return err
}

// load loads tables. If the component failed, it loads only tables with write_always.
func (r *execution) load(ctx context.Context, s step, dir string, failed bool) error {
	tables, err := r.q.o.Load(ctx, tableload.Options{
		Store:     r.q.o.Store,
		Dir:       dir,
		Component: r.job.Component,
		Config:    r.job.Config,
		Job:       r.job.ID,
		Storage:   s.doc.Field("storage"),
		DataTypes: r.q.o.DataTypeSupport,
		Failed:    failed,
		Table:     func(text string) { r.emitEvent(sandbox.Info, text, "") },
		Warn:      func(text string) { r.emitEvent(sandbox.Warn, text, "") },
	})
	for _, t := range tables {
		i := slices.Index(r.result.Tables, t.ID)
		if i < 0 {
			r.result.Tables = append(r.result.Tables, t.ID)
			r.result.Loaded = append(r.result.Loaded, store.Loaded{Table: t.ID})
			i = len(r.result.Tables) - 1
		}
		r.result.Loaded[i].Rows = t.Rows
	}
	if interruption := interruptCause(ctx); interruption != nil {
		return interruption
	}
	return err
}
