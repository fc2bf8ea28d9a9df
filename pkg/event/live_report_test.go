package event

import (
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// TestReportedLive: a job is reported when its state has changed, with what it waits
// for, and less often the longer it runs.
func TestReportedLive(t *testing.T) {
	c := clock.At(time.Date(2026, 7, 1, 10, 30, 45, 0, time.UTC))
	ticks, got := make(chan time.Time), []jobLive{}
	l := NewReportedLive(ticks, c.Now, func(b Body) { got = append(got, b.(jobLive)) })
	tick := func(after time.Duration) {
		c.Advance(after)
		ticks <- c.Now()
		ticks <- c.Now() // when it is taken, the work of the tick before is done
	}
	users := l.Job(1, "users", 0).At("/jobs/0", 2)
	orders := l.Job(2, "users/{id}/orders", 1).At("/jobs/0/children/0", 2)
	orders.Expect(3)
	users.Page(10)
	done := users.Pause("status 429", 20*time.Second)
	tick(time.Second)
	if len(got) != 2 {
		t.Fatalf("%d reports: %+v", len(got), got)
	}
	got[0].since, got[0].until = time.Time{}, time.Time{}
	if want := (jobLive{Job: "users", Seconds: 1, Pages: 1, Rows: 10, Waiting: "status 429", Waited: 1, WaitSeconds: 19, JobPointer: "/jobs/0", Iteration: 2}); got[0] != want {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
	if got[1].Parents != 3 || got[1].ParentsDone != 0 || got[1].Depth != 1 || got[1].Waiting != "" {
		t.Errorf("the child: %+v", got[1])
	}
	if text := got[1].message(); !strings.Contains(text, "0 of 3 parents") {
		t.Errorf("message %q", text)
	}
	tick(time.Second) // nothing has changed
	if len(got) != 2 {
		t.Errorf("reported again: %+v", got[2:])
	}
	done()
	tick(100 * time.Second)
	users.Page(1)
	tick(4 * time.Second) // a twentieth of what it has run for is more
	if len(got) != 3 || got[2].Waiting != "" {
		t.Errorf("%d reports, want 3: %+v", len(got), got)
	}
	tick(2 * time.Second)
	if len(got) != 4 || got[3].Rows != 11 {
		t.Errorf("%d reports, want 4: %+v", len(got), got)
	}
	l.Close()
}
