package app

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// openRecording opens the recording to replay and the recording to write. The run uses the
// clock of a replayed recording.
func (r *run) openRecording() error {
	switch {
	case r.RecordMaxBody < 0:
		return failure.Userf("--record-max-body expects a number of bytes, found %d", r.RecordMaxBody)
	case r.RecordMaxBody > 0 && r.Record == "":
		return failure.Userf("--record-max-body needs --record")
	}
	if r.Replay != "" {
		player, err := har.NewPlayer(r.Replay, r.Secrets)
		if err != nil {
			return err
		}
		r.Player, r.Now, r.Sleep = player, player.Now, player.Sleep
	}
	if r.Record != "" {
		if err := checkRecord(r); err != nil {
			return err
		}
		recorder, err := har.NewRecorder(har.Options{
			Path: r.Record, Creator: "configurable-extractor", Version: r.Version, MaxBody: r.RecordMaxBody,
			Secrets: r.Secrets, Now: r.Now, Sleep: r.Sleep,
		})
		if err != nil {
			return err
		}
		r.Recorder, r.Now, r.Sleep = recorder, recorder.Now, recorder.Sleep
	}
	return nil
}

// finishRecording ends the recordings after a run has sent all its requests and before its
// results appear. It writes the recording. It returns an error if a replay has unused
// responses, unless the used responses are written to a new recording.
func (r *run) finishRecording() error {
	if r.Player != nil && r.Recorder == nil {
		return r.Player.Finish()
	}
	return r.cutRecording()
}

// cutRecording ends the recordings of a run that did not send all its requests. Unused
// responses of a replay are no error then.
func (r *run) cutRecording() error {
	if r.Recorder == nil {
		return nil
	}
	err := r.Recorder.Close()
	r.written.recording = err == nil
	return err
}

// closeRecording ends the recordings of a run. err is the error of the run, nil after a
// success.
func (r *run) closeRecording(err error) error {
	closing := r.cutRecording()
	if r.Player != nil {
		closing = errors.Join(closing, r.Player.Close())
	}
	if closing != nil && !errors.Is(err, closing) {
		return errors.Join(err, closing)
	}
	return err
}
