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
	l := &Live{
		o:      LiveOptions{Ticks: ticks, Now: now},
		report: report,
		done:   make(chan struct{}),
		stop:   make(chan struct{}),
	}
	go l.work(l.emit)
	return l
}

// emit reports the jobs that have changed. It emits events without holding the lock,
// because the sink may be slow.
func (l *Live) emit() {
	for _, e := range l.changed() {
		l.report(e)
	}
}

func (l *Live) changed() (found []JobLive) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.o.Now()
	for _, j := range l.jobs {
		least := min(max(now.Sub(j.began)/reportedPart, soonestReport), latestReport)
		if !j.reportedAt.IsZero() && now.Sub(j.reportedAt) < least {
			continue
		}
		state := j.state()
		if state == j.reported {
			continue
		}
		j.reported, j.reportedAt = state, now
		found = append(found, state.withTimes(j, now))
	}
	return found
}

// state returns the state of the job, without the fields that change with time alone.
func (j *LiveJob) state() JobLive {
	e := JobLive{
		Job: j.name, JobPointer: j.pointer, Iteration: j.iteration, Depth: j.depth, Window: j.window,
		Pages: j.pages, Rows: j.rows, Unstored: j.unstored, Parents: j.parents, ParentsDone: j.parentsDone,
	}
	if w := j.longest(); w != nil {
		e.Waiting = w.what
		e.since, e.until = w.since, w.until
	}
	return e
}

// withTimes returns the state with the fields that depend on the current time.
func (e JobLive) withTimes(j *LiveJob, now time.Time) JobLive {
	e.Seconds = now.Sub(j.began).Seconds()
	if e.Waiting != "" {
		e.Waited = now.Sub(e.since).Seconds()
	}
	if !e.until.IsZero() {
		e.WaitSeconds = max(0, e.until.Sub(now).Seconds())
	}
	return e
}

// At sets the JSON pointer of the job and its iteration. The iteration is 0 if the run has
// only one.
func (j *LiveJob) At(pointer string, iteration int) *LiveJob {
	if j == nil {
		return nil
	}
	j.live.mu.Lock()
	defer j.live.mu.Unlock()
	j.pointer, j.iteration = pointer, iteration
	return j
}
