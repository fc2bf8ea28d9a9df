package state

import "github.com/keboola/configurable-extractor/pkg/value"

const (
	keyTime     = "time"
	keyPrevious = "previousStart"
	keyCurrent  = "currentStart" // left by the original
)

// Time stores when runs started.
type Time struct {
	start int64 // Unix seconds
	times value.Value
	held  bool
}

// NewTime makes the Time of a run that starts at start, in Unix seconds.
func NewTime(start int64) *Time { return &Time{start: start} }

// Previous is when the previous run started, in Unix seconds; 0 for the first run.
func (t *Time) Previous() value.Value {
	if v := t.times.Field(keyPrevious); !v.Empty() {
		return v
	}
	return value.OfInt(0)
}

// Current is when this run started, in Unix seconds.
func (t *Time) Current() value.Value { return value.OfInt(t.start) }

func (t *Time) Keys() []string { return []string{keyTime} }

func (t *Time) Load(previous value.Value) { t.times = previous.Field(keyTime) }

// Hold leaves the start of the previous run as it is.
func (t *Time) Hold() { t.held = true }

func (t *Time) Save() []value.Member {
	if t.held {
		return nil
	}
	return []value.Member{{Name: keyTime, Value: t.times.Without(keyCurrent).With(keyPrevious, t.Current())}}
}
