package queue

import (
	"fmt"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	// journalDelay is how long an event waits for others, to be stored together.
	journalDelay = 100 * time.Millisecond
	// journalSize is how many events wait at most. The caller who adds the last one
	// stores them.
	journalSize = 500
)

// journal stores the events of one job in their order, many at a time. Its methods
// may be called by several goroutines.
type journal struct {
	store *store.Store
	after func(time.Duration) <-chan time.Time
	// failed is called with the first error of the store.
	failed func(error)

	mu      sync.Mutex // held while events are stored, so that they keep their order
	pending []store.Event
	planned bool // the pending events are about to be stored
	fault   error

	closing chan struct{}
	workers sync.WaitGroup
}

func newJournal(s *store.Store, after func(time.Duration) <-chan time.Time, failed func(error)) *journal {
	return &journal{store: s, after: after, failed: failed, closing: make(chan struct{})}
}

func (j *journal) add(e store.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append(j.pending, e)
	switch {
	case len(j.pending) >= journalSize:
		j.flush()
	case !j.planned:
		j.planned = true
		due := j.after(journalDelay)
		j.workers.Go(func() { j.flushWhen(due) })
	}
}

func (j *journal) flushWhen(due <-chan time.Time) {
	select {
	case <-due:
	case <-j.closing:
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.planned = false
	j.flush()
}

// flush stores the pending events. After an error nothing more is stored, because
// events would be missing in between.
func (j *journal) flush() {
	if len(j.pending) == 0 || j.fault != nil {
		j.pending = nil
		return
	}
	if _, err := j.store.AddEvents(j.pending...); err != nil {
		j.fault = storeError{fmt.Errorf("storing events: %w", err)}
		j.failed(j.fault)
	}
	j.pending = j.pending[:0]
}

// close stores the pending events and returns the first error of the store. No
// event may be added after it.
func (j *journal) close() error {
	close(j.closing)
	j.workers.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	return j.fault
}
