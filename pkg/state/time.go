package state

import "github.com/keboola/configurable-extractor/pkg/value"

const (
	keyTime     = "time"
	keyPrevious = "previousStart"
	keyCurrent  = "currentStart" // written by the original extractor
)

// Time stores the start times of runs.
type Time struct {
	start int64 // Unix seconds
	times value.Value
	held  bool
}

// NewTime returns the Time of a run that starts at start, in Unix seconds.
func NewTime(start int64) *Time { return &Time{start: start} }

// Previous returns the start of the previous run in Unix seconds, or 0 for the first run.
func (t *Time) Previous() value.Value {
	if v := t.times.Field(keyPrevious); !v.Empty() {
		return v
	}
	return value.OfInt(0)
}

// Current returns the start of this run in Unix seconds.
func (t *Time) Current() value.Value { return value.OfInt(t.start) }

func (t *Time) load(previous value.Value) { t.times = previous.Field(keyTime) }

// Hold keeps the start of the previous run in the state.
func (t *Time) Hold() { t.held = true }

func (t *Time) save() []value.Member {
	if t.held {
		return nil
	}
	return []value.Member{{Name: keyTime, Value: t.times.Without(keyCurrent).With(keyPrevious, t.Current())}}
}
