package event

import "time"

const (
	// A job is reported less often the longer it runs: after every twentieth of its running
	// time so far, within the limits below.
	soonestReport = time.Second
	latestReport  = 10 * time.Second
	reportedPart  = 20
)

// NewReportedLive starts reporting the state of running jobs as events of the kind
// job.live, for live progress outside a terminal. Close stops it. At every tick it reports
// the jobs that have changed. It calls report from one goroutine at a time, until Close
// returns.
func NewReportedLive(ticks <-chan time.Time, now func() time.Time, report func(Body)) *Live {
	return newLive(LiveOptions{Ticks: ticks, Now: now}, func(l *Live) {
		for _, e := range l.changed() { // without the lock, because the sink may be slow
			report(e)
		}
	})
}

func (l *Live) changed() (found []jobLive) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.o.Now()
	for _, j := range l.jobs {
		least := min(max(now.Sub(j.began)/reportedPart, soonestReport), latestReport)
		if !j.reportedAt.IsZero() && now.Sub(j.reportedAt) < least {
			continue
		}
		state := j.state
		if w := j.longest(); w != nil {
			state.Waiting, state.since, state.until = w.what, w.since, w.until
		}
		if state == j.reported {
			continue
		}
		j.reported, j.reportedAt = state, now
		state.Seconds = now.Sub(j.began).Seconds()
		if state.Waiting != "" {
			state.Waited = now.Sub(state.since).Seconds()
		}
		if !state.until.IsZero() {
			state.WaitSeconds = max(0, state.until.Sub(now).Seconds())
		}
		found = append(found, state)
	}
	return found
}
