package queue

import (
	"fmt"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	// journalDelay is the time that an event waits for others, so that they are stored
	// together.
	journalDelay = 100 * time.Millisecond
	// journalSize is the maximum number of waiting events. The caller that adds the last
	// of them stores all of them.
	journalSize = 500
)

// journal stores the events of one job in order, many at a time. add is safe for
// concurrent use.
type journal struct {
	store *store.Store
	after func(time.Duration) <-chan time.Time
	// failed is called with the first error of the store.
	failed func(error)

	mu           sync.Mutex // held while events are stored, so that they keep their order
	pending      []store.Event
	flushPlanned bool // a goroutine will flush the pending events
	err          error

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
	case !j.flushPlanned:
		j.flushPlanned = true
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
	j.flushPlanned = false
	j.flush()
}

// flush stores the pending events. After an error it discards all later events, because a
// gap would go unnoticed. The caller holds the lock.
func (j *journal) flush() {
	if len(j.pending) == 0 || j.err != nil {
		j.pending = nil
		return
	}
	if _, err := j.store.AddEvents(j.pending...); err != nil {
		j.err = storeError{fmt.Errorf("storing events: %w", err)}
		j.failed(j.err)
	}
	j.pending = j.pending[:0]
}

// close stores the pending events and returns the first error of the store. The caller
// must not add events afterwards.
func (j *journal) close() error {
	close(j.closing)
	j.workers.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	return j.err
}
