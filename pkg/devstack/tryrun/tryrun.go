// Package tryrun runs a configuration from the editor of the web UI, saved or not: on a
// sample of the data, within limits, with a recording and a report. A try is not a job.
// It is in no list of jobs, loads no table and stores no state. Only the remembered
// values of logins are stored: the component itself sends them to the platform.
//
// Each configuration keeps its last tries in a directory, without the configuration and
// its secrets. A try has a recording (HAR), a report, tables and files. All tries are removed
// when the platform starts again. Recordings and tables are read from the files on
// demand, so memory does not grow with the amount of data that a try fetched.
package tryrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/report"
)

// Limits holds the limits of one try.
type Limits struct {
	// Sample is the number of items that each job run keeps.
	Sample   int
	Requests int
	Time     time.Duration
	// Bytes is the maximum total size of response bodies.
	Bytes int64
}

// DefaultLimits returns limits so low that a mistake does no harm to an API.
func DefaultLimits() Limits {
	return Limits{Sample: 10, Requests: 100, Time: 2 * time.Minute, Bytes: 50e6}
}

// check returns a user error if a limit is less than 1 or too high.
func (l Limits) check() error {
	for _, one := range []struct {
		name        string
		value, most int64
		unit        string
	}{
		{"The sample", int64(l.Sample), 10_000, "items"},
		{"The limit of requests", int64(l.Requests), 10_000, "requests"},
		{"The limit of time", int64(l.Time / time.Second), 30 * 60, "seconds"},
		{"The limit of bytes", l.Bytes, 2e9, "bytes"},
	} {
		if one.value < 1 || one.value > one.most {
			return failure.Userf("%s must be from 1 to %d %s, found %d.", one.name, one.most, one.unit, one.value)
		}
	}
	return nil
}

// Status is the status of a try.
type Status string

const (
	Running   Status = "running"
	Success   Status = "success"
	Limited   Status = "limited" // a limit ended the try: its tables hold a part of the data
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Names of the files of a try.
const (
	recordingName = "recording.har"
	indexName     = "index"
	sourceName    = "source.har" // recording that a replay reads
	reportName    = "report"
	tablesName    = "tables"
	filesName     = "files"
)

const recentEvents = 12

// State is a snapshot of a try.
type State struct {
	ID, Component, Config string
	Limits                Limits
	// Replayed is true if the responses came from the recording of an earlier try.
	Replayed       bool
	Status         Status
	Started, Ended time.Time // Ended is zero while the try runs
	// Message is the reason of a failure, or the limit that ended the try.
	Message string
	// Requests is the number of responses so far. Bytes is their total size.
	Requests int
	Bytes    int64
	// Recent holds the newest events. Events is the number of all events.
	Recent []sandbox.Record
	Events int
	// Recorded is true if the try has ended and has a recording.
	Recorded bool
}

// Running reports whether the try has not ended.
func (i State) Running() bool { return i.Status == Running }

// Try is one try. It is safe for concurrent use.
type Try struct {
	dir    string
	cancel context.CancelFunc
	done   chan struct{}
	values []store.Variable

	mu     sync.Mutex
	info   State
	latest *latestIndex
}

// Info returns the current state of the try.
func (t *Try) Info() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.info
	info.Recent = slices.Clone(info.Recent)
	return info
}

// Values returns the values of variables that the try was given, including secrets.
func (t *Try) Values() []store.Variable { return t.values }

// Cancel cancels the try. It does not wait for the end of the try.
func (t *Try) Cancel() { t.cancel() }

// Done returns a channel that is closed when the try has ended.
func (t *Try) Done() <-chan struct{} { return t.done }

func (t *Try) change(change func(*State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.info)
}

// Report returns the report of the try, or nil if there is none.
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

// record stores an event of the component.
func (t *Try) record(r sandbox.Record) {
	var said struct {
		Event string          `json:"event"`
		Bytes json.RawMessage `json:"bytes"`
	}
	_ = json.Unmarshal(r.Fields, &said) // an event that cannot be read is not counted as a response
	t.change(func(i *State) {
		i.Events++
		if said.Event == "request.answered" {
			i.Requests++
			i.Bytes += number(said.Bytes)
		}
		i.Recent = append(i.Recent, r)
		i.Recent = i.Recent[max(len(i.Recent)-recentEvents, 0):]
	})
}

// number parses a number, or a string with a number: GELF fields may be strings.
func number(raw json.RawMessage) int64 {
	text := string(raw)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
