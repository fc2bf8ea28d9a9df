package app

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// openRecording opens the recording that the options name: the one that the run
// makes, or the one that answers it. Its clock becomes that of the run.
func (o *Options) openRecording() error {
	switch {
	case o.Record != "" && o.Replay != "":
		return failure.Userf("--record and --replay exclude each other")
	case o.RecordMaxBody < 0:
		return failure.Userf("--record-max-body expects a number of bytes, found %d", o.RecordMaxBody)
	case o.RecordMaxBody > 0 && o.Record == "":
		return failure.Userf("--record-max-body needs --record")
	case o.Record != "":
		if err := checkRecord(o); err != nil {
			return err
		}
		recorder, err := har.NewRecorder(har.Options{
			Path: o.Record, Creator: "configurable-extractor", Version: o.Version, MaxBody: o.RecordMaxBody,
			Secrets: o.Secrets, Now: o.Now, Sleep: o.Sleep,
		})
		if err != nil {
			return err
		}
		o.Recorder, o.Now, o.Sleep = recorder, recorder.Now, recorder.Sleep
	case o.Replay != "":
		player, err := har.NewPlayer(o.Replay, o.Secrets)
		if err != nil {
			return err
		}
		o.Player, o.Now, o.Sleep = player, player.Now, player.Sleep
	}
	return nil
}

// finishRecording is called when a run has sent all its requests and no one has
// seen its results yet: a recording is written, of a replay nothing may be left.
func (o *Options) finishRecording() error {
	if o.Player != nil {
		return o.Player.Finish()
	}
	return o.cutRecording()
}

// cutRecording is finishRecording for a run that did not send all its requests:
// a recording may know more of them.
func (o *Options) cutRecording() error {
	if o.Recorder == nil {
		return nil
	}
	return o.Recorder.Close()
}

// closeRecording ends the recording of a run that ended so, successful or not.
func (o *Options) closeRecording(err error) error {
	closing := o.cutRecording()
	if o.Player != nil {
		closing = o.Player.Close()
	}
	if closing != nil && !errors.Is(err, closing) {
		return errors.Join(err, closing)
	}
	return err
}
