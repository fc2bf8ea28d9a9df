package queue

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// clockwork is a timer that the test lets ring.
type clockwork struct {
	mu     sync.Mutex
	asked  []time.Duration
	timers []chan time.Time
}

func (c *clockwork) after(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := make(chan time.Time, 1)
	c.asked, c.timers = append(c.asked, d), append(c.timers, timer)
	return timer
}

func stored(t *testing.T, s *store.Store) []string {
	t.Helper()
	var messages []string
	must(t, s.EventsOf("1", 0, func(e store.Event) bool { messages = append(messages, e.Message); return true }))
	return messages
}

func said(text string) store.Event { return store.Event{RunID: "1", Type: "info", Message: text} }

func TestJournal(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return noon })
	must(t, err)
	clock := &clockwork{}
	j := newJournal(s, clock.after, func(err error) { t.Error(err) })

	j.add(said("a"))
	j.add(said("b"))
	sameLines(t, "before the time", stored(t, s))
	changed := s.Changes()
	clock.timers[0] <- noon
	<-changed
	sameLines(t, "together", stored(t, s), "a", "b")

	j.add(said("c"))
	if got := fmt.Sprint(clock.asked); got != "[100ms 100ms]" {
		t.Errorf("waits of %s", got)
	}
	must(t, j.close())
	sameLines(t, "closed", stored(t, s), "a", "b", "c")
	must(t, s.Close())
}

// TestJournalKeepsOrder: neither many events nor timers that ring meanwhile
// change the order.
func TestJournalKeepsOrder(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return noon })
	must(t, err)
	j := newJournal(s, at, func(err error) { t.Error(err) })
	var want []string
	for i := range 3 * journalSize {
		want = append(want, fmt.Sprint(i))
		j.add(said(want[i]))
	}
	must(t, j.close())
	sameLines(t, "events", stored(t, s), want...)
	must(t, s.Close())
}

// TestJournalIsBounded: without any timer the events are stored when there are
// many.
func TestJournalIsBounded(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return noon })
	must(t, err)
	j := newJournal(s, (&clockwork{}).after, func(err error) { t.Error(err) })
	for range journalSize + 1 {
		j.add(said("x"))
	}
	if n := len(stored(t, s)); n != journalSize {
		t.Errorf("%d events are stored", n)
	}
	must(t, j.close())
	must(t, s.Close())
}

func TestJournalReportsAFault(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return noon })
	must(t, err)
	must(t, s.Close())
	reports := 0
	j := newJournal(s, (&clockwork{}).after, func(err error) {
		reports++
		if !isStoreError(err) {
			t.Errorf("reported %v", err)
		}
	})
	for range 3 * journalSize {
		j.add(said("x"))
	}
	if err := j.close(); !isStoreError(err) || reports != 1 {
		t.Errorf("got %v, reported %d times", err, reports)
	}
}
