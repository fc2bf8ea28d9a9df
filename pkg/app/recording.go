package app

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// openRecording opens the recording to replay and the recording to write. The run uses the
// clock of a replayed recording.
func (o *Options) openRecording() error {
	switch {
	case o.RecordMaxBody < 0:
		return failure.Userf("--record-max-body expects a number of bytes, found %d", o.RecordMaxBody)
	case o.RecordMaxBody > 0 && o.Record == "":
		return failure.Userf("--record-max-body needs --record")
	}
	if o.Replay != "" {
		player, err := har.NewPlayer(o.Replay, o.Secrets)
		if err != nil {
			return err
		}
		o.Player, o.Now, o.Sleep = player, player.Now, player.Sleep
	}
	if o.Record != "" {
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
	}
	return nil
}

// finishRecording ends the recordings after a run has sent all its requests and before its
// results appear. It writes the recording. It returns an error if a replay has unused
// responses, unless the used responses are written to a new recording.
func (o *Options) finishRecording() error {
	if o.Player != nil && o.Recorder == nil {
		return o.Player.Finish()
	}
	return o.cutRecording()
}

// cutRecording ends the recordings of a run that did not send all its requests. Unused
// responses of a replay are no error then.
func (o *Options) cutRecording() error {
	if o.Recorder == nil {
		return nil
	}
	err := o.Recorder.Close()
	o.written.recording = err == nil
	return err
}

// closeRecording ends the recordings of a run. err is the error of the run, nil after a
// success.
func (o *Options) closeRecording(err error) error {
	closing := o.cutRecording()
	if o.Player != nil {
		closing = errors.Join(closing, o.Player.Close())
	}
	if closing != nil && !errors.Is(err, closing) {
		return errors.Join(err, closing)
	}
	return err
}
