package app

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Previous is the state of the previous run.
type Previous struct {
	State value.Value // null if there is none
	// Warning is the reason why in/state.json could not be used, or "".
	Warning string
	// Path is the path of out/state.json if the state was read from it, otherwise "".
	Path string
}

// PreviousState returns the state of the previous run: in/state.json if it exists. Outside
// the platform the fallback is out/state.json of the last successful run, because there
// nothing copies the state from run to run. A full run ignores a state that cannot be read,
// see env.Run.LoginsOnly.
func PreviousState(dir *datadir.Dir, getenv func(string) string, full bool) (Previous, error) {
	p, err := previousState(dir, getenv)
	if full && (err == nil || failure.KindOf(err) == failure.User) {
		return Previous{State: p.State}, nil
	}
	return p, err
}

func previousState(dir *datadir.Dir, getenv func(string) string) (p Previous, err error) {
	p.State, p.Warning, err = dir.State()
	if err != nil || !isLast(dir, getenv) {
		return p, err
	}
	var path string
	p.State, path, err = dir.LastState()
	if err != nil && failure.KindOf(err) == failure.User {
		err = failure.Userf("%w; restore the file, or start without it: --full", err)
	}
	if !p.State.IsNull() {
		p.Path = path
	}
	return p, err
}

// isLast reports whether the state of the previous run is the last state in the data
// directory, out/state.json.
func isLast(dir *datadir.Dir, getenv func(string) string) bool {
	return !dir.HasState() && !OnPlatform(getenv)
}

// OnPlatform reports whether the platform runs the program: only the platform sets
// KBC_RUNID. The platform's URL and token are no indication, because commands for the
// platform need them on a laptop too.
func OnPlatform(getenv func(string) string) bool { return getenv("KBC_RUNID") != "" }

// Reused returns the event for a state from out/state.json.
func (p Previous) Reused() event.StateReused {
	e := event.StateReused{Path: p.Path}
	if seconds, ok := p.State.Field("time").Field("previousStart").Int(); ok && seconds > 0 {
		e.Started = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	return e
}

// checkState returns a user error if another run has written a new state since the state
// was read. It must be called when no other run can end any more.
func checkState(r *run, dir *datadir.Dir) error {
	if !r.lastState {
		return nil
	}
	state, path, err := dir.LastState()
	if err == nil && !state.Equal(r.State) {
		err = failure.Userf("another run has just written %s: run again", path)
	}
	return err
}

// readState sets the state of the run and reports its source. A run that is recorded or
// replayed does not use the state of other runs, unless it is in in/state.json.
func readState(r *run, dir *datadir.Dir) error {
	r.LoginsOnly = r.Full || (r.Recorder != nil || r.Player != nil) && !dir.HasState()
	r.lastState = !r.LoginsOnly && isLast(dir, r.Getenv)
	p, err := PreviousState(dir, r.Getenv, r.LoginsOnly)
	if err != nil {
		return err
	}
	r.Secrets.AddDocument(p.State)
	r.State = p.State
	if p.Warning != "" {
		r.Log.Emit(event.StateWarning{Text: p.Warning})
	}
	if p.Path != "" {
		r.Log.Emit(p.Reused())
	}
	return nil
}
