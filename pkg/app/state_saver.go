package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// keepTimeout limits the calls to the platform for saving a state.
	keepTimeout = 30 * time.Second
	// mostFailures is the number of consecutive failures after which the run does not call
	// the platform again. Each failure may take a long time.
	mostFailures = 3
)

// stateSaver saves values of the state that the next run needs even if this run fails. It
// saves them immediately: in out/state.json, and on the platform, which drops this file
// when a run fails.
type stateSaver struct {
	o          *run
	write      func(state value.Value) error
	client     *platform.Client // nil before the first call
	failed     int              // number of consecutive failed uploads
	unwritable bool             // whether a failure to write out/state.json was reported
}

// keepIn makes the run save durable state in its stage.
func (r *run) keepIn(stage *datadir.Stage) {
	r.Keep = (&stateSaver{o: r, write: stage.KeepState}).save
}

// keepAlone makes an action, which has no stage, save durable state in a stage of its own.
func (r *run) keepAlone(dir *datadir.Dir) {
	write := func(state value.Value) error {
		stage, err := dir.Stage()
		if err != nil {
			return err
		}
		return errors.Join(stage.KeepState(state), stage.Discard())
	}
	r.Keep = (&stateSaver{o: r, write: write}).save
}

// save stores the state that change returns. On failure it emits an event instead of
// returning an error: the run may still succeed and save its state. It works even if the
// run was just interrupted. Logins call it one after another.
func (k *stateSaver) save(ctx context.Context, change func(value.Value) value.Value) {
	err := advised(k.write(change(k.o.State)))
	if err == nil {
		k.o.written.kept = true
	} else if !k.unwritable {
		k.unwritable = true
		k.reportUnsaved("in out/state.json: " + err.Error())
	}
	// A replay does not upload, because its values are old.
	if k.o.Getenv("KBC_CONFIGID") == "" || k.o.Replay != "" || k.failed == mostFailures {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	err = k.upload(ctx, change)
	if err == nil {
		k.failed = 0
		return
	}
	k.failed++
	text := "on the platform: " + err.Error()
	if k.failed == mostFailures {
		text += "; the platform is not asked again in this run"
	}
	k.reportUnsaved(text)
}

func (k *stateSaver) reportUnsaved(text string) { k.o.Log.Emit(event.StateUnsaved{Text: text}) }

// upload changes the state on the platform. All other members keep their values and
// ciphers.
func (k *stateSaver) upload(ctx context.Context, change func(value.Value) value.Value) error {
	env := k.o.Getenv
	if err := missing(env, "KBC_TOKEN", "KBC_URL", "KBC_COMPONENTID", "KBC_PROJECTID"); err != nil {
		return err
	}
	if k.client == nil {
		var err error
		if k.client, err = platform.New(platform.Options{URL: env("KBC_URL"), Token: env("KBC_TOKEN")}); err != nil {
			return err
		}
	}
	place := platform.StateLocation{Branch: env("KBC_BRANCHID"), Component: env("KBC_COMPONENTID"), Configuration: env("KBC_CONFIGID"), Row: env("KBC_CONFIGROWID")}
	stored, err := k.client.State(ctx, place)
	if err != nil {
		return err
	}
	scope := platform.CipherScope{Component: place.Component, Project: env("KBC_PROJECTID"), Configuration: place.Configuration}
	changed, err := k.client.Encrypt(ctx, scope, change(stored.Field(componentState)))
	if err != nil {
		return err
	}
	return k.client.SetState(ctx, place, stored.With(componentState, changed))
}

// componentState is the member of a state on the platform that contains out/state.json.
const componentState = "component"

// missing returns an error with the names of the environment variables that are not set, or
// nil.
func missing(env func(string) string, names ...string) error {
	var absent []string
	for _, name := range names {
		if env(name) == "" {
			absent = append(absent, name)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return failure.Userf("the environment lacks %s", strings.Join(absent, ", "))
}
