package tryrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Limits are those of one try.
type Limits struct {
	// Sample is how many items each run of a job keeps.
	Sample   int
	Requests int
	Time     time.Duration
	// Bytes of the bodies of responses.
	Bytes int64
}

// DefaultLimits are small enough that a mistake harms no API.
func DefaultLimits() Limits {
	return Limits{Sample: 10, Requests: 100, Time: 2 * time.Minute, Bytes: 50e6}
}

// mostLimits are the largest.
func mostLimits() Limits {
	return Limits{Sample: 10_000, Requests: 10_000, Time: 30 * time.Minute, Bytes: 2e9}
}

// Check returns a user error for a limit that is not positive or too large.
func (l Limits) Check() error {
	most := mostLimits()
	for _, one := range []struct {
		name        string
		value, most int64
		unit        string
	}{
		{"The sample", int64(l.Sample), int64(most.Sample), "items"},
		{"The limit of requests", int64(l.Requests), int64(most.Requests), "requests"},
		{"The limit of time", int64(l.Time / time.Second), int64(most.Time / time.Second), "seconds"},
		{"The limit of bytes", l.Bytes, most.Bytes, "bytes"},
	} {
		if one.value < 1 || one.value > one.most {
			return failure.Userf("%s must be from 1 to %d %s, found %d.", one.name, one.most, one.unit, one.value)
		}
	}
	return nil
}

// The status of a try.
type Status string

const (
	Running   Status = "running"
	Success   Status = "success"
	Limited   Status = "limited" // by a limit: the tables hold a part of the data
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Names of the files of a try.
const (
	recordingName = "recording.har"
	indexName     = "index"
	sourceName    = "source.har" // what a try without the API was answered from
	reportName    = "report"
	tablesName    = "tables"
)

// recentEvents is how many of the newest events a try keeps.
const recentEvents = 12

// State is what is known about a try at a moment.
type State struct {
	ID, Component, Config string
	Limits                Limits
	// Replayed is set if it was answered from the recording of an earlier try.
	Replayed       bool
	Status         Status
	Started, Ended time.Time // Ended is zero while it runs
	// Message says why it failed, or which limit ended it.
	Message string
	// Requests and Bytes are those answered so far.
	Requests int
	Bytes    int64
	// Recent are the newest events, Events is how many there were.
	Recent []sandbox.Record
	Events int
	// Recorded is set if there is a recording.
	Recorded bool
}

// Running reports whether the try has not ended.
func (i State) Running() bool { return i.Status == Running }

// Try is one try. Its methods may be called by several goroutines.
type Try struct {
	dir    string
	cancel context.CancelFunc
	done   chan struct{}
	values []store.Variable

	mu     sync.Mutex
	info   State
	latest *cachedIndex
}

// Info is the state of the try now.
func (t *Try) Info() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.info
	info.Recent = append([]sandbox.Record(nil), info.Recent...)
	return info
}

// Values returns the values of variables that the try was given, including secrets.
func (t *Try) Values() []store.Variable { return t.values }

// Cancel ends the try; it returns at once.
func (t *Try) Cancel() { t.cancel() }

// Done is closed when the try has ended.
func (t *Try) Done() <-chan struct{} { return t.done }

func (t *Try) change(change func(*State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.info)
}

// Report is the report of the try, nil if there is none.
func (t *Try) Report() (*report.Report, error) {
	text, err := os.ReadFile(filepath.Join(t.dir, reportName, report.JSONFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	r := &report.Report{}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the report of a try: %w", err)
	}
	return r, nil
}

// record takes an event of the component.
func (t *Try) record(r sandbox.Record) {
	var said struct {
		Event string          `json:"event"`
		Bytes json.RawMessage `json:"bytes"`
	}
	_ = json.Unmarshal(r.Fields, &said) // an event without fields counts nothing
	t.change(func(i *State) {
		i.Events++
		if said.Event == "request.answered" {
			i.Requests++
			i.Bytes += number(said.Bytes)
		}
		i.Recent = append(i.Recent, r)
		if len(i.Recent) > recentEvents {
			i.Recent = append(i.Recent[:0], i.Recent[1:]...)
		}
	})
}

// number is a number that may be a text, as in fields of GELF.
func number(raw json.RawMessage) int64 {
	text := string(raw)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
