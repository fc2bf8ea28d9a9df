package app

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// tape is the recording that a run makes or is answered from; at most one of
// the two is set.
type tape struct {
	recorder *har.Recorder
	player   *har.Player
}

// openTape opens the recording that the options name. Its clock becomes that of
// the run.
func openTape(o *Options, secrets *secret.Registry) (t tape, err error) {
	switch {
	case o.Record != "" && o.Replay != "":
		return t, failure.Userf("--record and --replay exclude each other")
	case o.RecordMaxBody < 0:
		return t, failure.Userf("--record-max-body expects a number of bytes, found %d", o.RecordMaxBody)
	case o.RecordMaxBody > 0 && o.Record == "":
		return t, failure.Userf("--record-max-body needs --record")
	case o.Record != "":
		if err := checkRecord(*o); err != nil {
			return t, err
		}
		t.recorder, err = har.NewRecorder(har.Options{
			Path: o.Record, Creator: "configurable-extractor", Version: o.Version, MaxBody: o.RecordMaxBody,
			Secrets: secrets, Now: o.Now, Sleep: o.Sleep,
		})
		if err == nil {
			o.Now, o.Sleep = t.recorder.Now, t.recorder.Sleep
		}
	case o.Replay != "":
		if t.player, err = har.NewPlayer(o.Replay, secrets); err == nil {
			o.Now, o.Sleep = t.player.Now, t.player.Sleep
		}
	}
	return t, err
}

// used tells whether the run is recorded or replayed.
func (t tape) used() bool { return t.recorder != nil || t.player != nil }

// finish is called when a run has sent all its requests and nobody has seen its
// results yet: a recording is written, of a replay nothing may be left.
func (t tape) finish() error {
	switch {
	case t.recorder != nil:
		return t.recorder.Close()
	case t.player != nil:
		return t.player.Finish()
	}
	return nil
}

// cut is finish for a run that did not send all its requests: a recording may
// know more of them.
func (t tape) cut() error {
	if t.recorder == nil {
		return nil
	}
	return t.recorder.Close()
}

// close ends the recording of a run that ended so, successful or not.
func (t tape) close(err error) error {
	var closing error
	switch {
	case t.recorder != nil:
		closing = t.recorder.Close()
	case t.player != nil:
		closing = t.player.Close()
	}
	if closing != nil && !errors.Is(err, closing) {
		return errors.Join(err, closing)
	}
	return err
}
