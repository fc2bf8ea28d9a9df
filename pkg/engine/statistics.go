package engine

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// statistics are the statistics of a root job and its children. Each configured job ends
// with one event, regardless of the number of its runs and of the reason why they ended.
type statistics map[*job]*jobStatistics

// jobStatistics are the statistics of all runs of one job.
type jobStatistics struct {
	runs, pages, rows int
	windows           int
	rounds            int  // how often runs started over
	rowsFiltered      int  // rows that rowFilter dropped
	skipped           int  // runs that ended because a rule skipped a response
	held              bool // true if state.held was emitted
	repeated          bool // true if a run unexpectedly returned to an earlier page
	rules             []ruleCount
	warnings
	// postponed holds findings until all runs have ended.
	postponed []event.Finding
	// found is true if evidence.found is true for a run.
	found bool
	// otherLists is evidence.otherLists of the first run that has other lists.
	otherLists []string
	// items is the number of items in all runs.
	items int
	// withValue is the number of items with a value, for each accumulator.
	withValue []int
	// stored are the pages and rows so far, including runs that are not finished.
	stored struct{ pages, rows int }
}

// ruleCount is the number of runs that a stop ended.
type ruleCount struct {
	stop  pagination.Stop
	count int
}

// maxRules is the maximum number of different stops that are reported for one job.
const maxRules = 3

func (s statistics) get(j *job) *jobStatistics {
	if s[j] == nil {
		s[j] = &jobStatistics{}
	}
	return s[j]
}

func (s *jobStatistics) count(stop pagination.Stop) {
	s.runs++
	for i := range s.rules {
		if s.rules[i].stop == stop {
			s.rules[i].count++
			return
		}
	}
	if len(s.rules) <= maxRules {
		s.rules = append(s.rules, ruleCount{stop, 1})
	}
}

// report emits an event for a root job and for each job below it.
func (s statistics) report(log *event.Log, root *job, skipped *skippedRuns) {
	for _, j := range withChildren([]*job{root}) {
		stats, unwanted := s[j], skipped.get(j)
		if stats == nil {
			stats = &jobStatistics{rules: []ruleCount{{stop: neverRan(j, unwanted)}}}
		}
		stats.reportOmitted(log, event.WarningsOmitted{Job: j.name, JobPointer: j.Pointer, Iteration: j.iteration})
		e := event.JobFinished{
			Job: j.name, Pages: stats.pages, Rows: stats.rows, Windows: stats.windows, LeftOut: stats.rowsFiltered,
			Unstored: j.NotStored, Rule: stats.rule(), Repeated: stats.repeated, Skipped: stats.skipped,
			Unwanted: unwanted, JobPointer: j.Pointer, Iteration: j.iteration,
		}
		if j.parent != nil {
			e.Runs = stats.runs
		}
		if len(stats.rules) == 1 {
			e.Pointer = stats.rules[0].stop.Pointer
		}
		log.Emit(e)
	}
}

// neverRan returns the reason why a job has not run. unwanted is the number of runs that
// `if` skipped.
func neverRan(j *job, unwanted int) pagination.Stop {
	switch {
	case unwanted > 0:
		return pagination.Stop{Rule: "it did not run, because of its 'if'", Pointer: failure.PointerJoin(j.Pointer, config.JobIf.Name)}
	case j.Windows != nil && j.parent == nil:
		return pagination.Stop{Rule: noWindow, Pointer: j.Windows.Pointer}
	default:
		return pagination.Stop{Rule: "it never ran"}
	}
}

// unfinished reports, for a root job and each job below it, the pages and rows that were
// stored before the run failed.
func (s statistics) unfinished(log *event.Log, root *job) {
	for _, j := range withChildren([]*job{root}) {
		if stored := s.get(j).stored; stored.pages > 0 {
			log.Emit(event.JobUnfinished{Job: j.name, Pages: stored.pages, Rows: stored.rows, JobPointer: j.Pointer, Iteration: j.iteration})
		}
	}
}

// rule describes the stops that ended the runs. If there are several stops, each has the
// number of its runs.
func (s *jobStatistics) rule() string {
	if len(s.rules) == 1 {
		return s.rules[0].stop.Rule
	}
	var words []string
	for i, r := range s.rules {
		if i == maxRules {
			words = append(words, "and others")
			break
		}
		words = append(words, fmt.Sprintf("%s (%d ×)", r.stop.Rule, r.count))
	}
	return strings.Join(words, "; ")
}

// skippedRuns counts the runs of jobs that `if` skipped. Streams use it concurrently.
type skippedRuns struct {
	mu    sync.Mutex
	count map[*job]int
}

func (u *skippedRuns) add(j *job) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count == nil {
		u.count = map[*job]int{}
	}
	u.count[j]++
}

func (u *skippedRuns) get(j *job) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count[j]
}

// progressEvery is the minimum time between two reports.
const progressEvery = 10 * time.Second

// progress regularly reports the progress of a root job and its child jobs. It checks the
// time after each stored page, so it reports no progress while no page is stored.
type progress struct {
	job              *job
	log              *event.Log
	now              func() time.Time
	requests, waited *atomic.Int64 // requests and nanoseconds of waiting of the run
	requestsBefore   int64         // requests before the job
	waitedBefore     int64         // nanoseconds of waiting before the job
	last             time.Time
	pages, rows      int
}

// page counts a stored page.
func (p *progress) page(rows int) {
	p.pages++
	p.rows += rows
	now := p.now()
	if now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	p.log.Emit(event.JobProgress{
		Job:      p.job.name,
		Pages:    p.pages,
		Rows:     p.rows,
		Requests: int(p.requests.Load() - p.requestsBefore),
		Waited:   time.Duration(p.waited.Load() - p.waitedBefore).Seconds(),
	})
}
