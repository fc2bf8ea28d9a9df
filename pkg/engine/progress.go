package engine

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// progressEvery is the minimum time between two reports.
const progressEvery = 10 * time.Second

// progress regularly reports the progress of a root job and its child jobs. It checks the
// time after each stored page, so it reports no progress while no page is stored.
type progress struct {
	run         *run
	job         *job
	last        time.Time
	before      int64 // requests before the job
	waited      int64 // nanoseconds of waiting before the job
	pages, rows int
}

func (jr *jobRunner) newProgress(j *job) progress {
	return progress{run: jr.run, job: j, last: jr.run.Now(), before: jr.run.Stats.Requests.Load(), waited: jr.run.Stats.Waited.Load()}
}

// page counts a stored page.
func (p *progress) page(rows int) {
	p.pages++
	p.rows += rows
	now := p.run.Now()
	if now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	p.run.Log.Emit(event.JobProgress{
		Job:      p.job.name,
		Pages:    p.pages,
		Rows:     p.rows,
		Requests: int(p.run.Stats.Requests.Load() - p.before),
		Waited:   time.Duration(p.run.Stats.Waited.Load() - p.waited).Seconds(),
	})
}
