package engine

import (
	"fmt"
	"strings"

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

// get returns the statistics of a job.
func (s statistics) get(j *job) *jobStatistics {
	if s[j] == nil {
		s[j] = &jobStatistics{}
	}
	return s[j]
}

// page counts a stored page.
func (s statistics) page(j *job, rows int) {
	stored := &s.get(j).stored
	stored.pages++
	stored.rows += rows
}

// add counts a finished run.
func (s statistics) add(r *jobRun, stop pagination.Stop) {
	stats := s.get(r.job)
	stats.runs++
	stats.pages += r.pages
	stats.rows += r.rowsReceived
	stats.rowsFiltered += r.rowsFiltered
	if r.skipped {
		stats.skipped++
	}
	stats.found = stats.found || r.evidence.found
	if stats.otherLists == nil {
		stats.otherLists = r.evidence.otherLists
	}
	for i := range stats.rules {
		if stats.rules[i].stop == stop {
			stats.rules[i].count++
			return
		}
	}
	if len(stats.rules) <= maxRules {
		stats.rules = append(stats.rules, ruleCount{stop, 1})
	}
}

// report emits an event for a job and for each job below it.
func (s statistics) report(log *event.Log, j *job, skipped *skippedRuns, iteration int) {
	stats := s[j]
	if stats == nil {
		stats = &jobStatistics{rules: []ruleCount{{stop: neverRan(j, skipped.get(j))}}}
	}
	stats.reportOmitted(log, event.WarningsOmitted{Job: j.name, JobPointer: j.Pointer, Iteration: iteration})
	e := event.JobFinished{Job: j.name, Pages: stats.pages, Rows: stats.rows, Windows: stats.windows, LeftOut: stats.rowsFiltered, Unstored: j.NotStored, Rule: stats.rule(), Repeated: stats.repeated, Skipped: stats.skipped, Unwanted: skipped.get(j), JobPointer: j.Pointer, Iteration: iteration}
	if j.child {
		e.Runs = stats.runs
	}
	if len(stats.rules) == 1 {
		e.Pointer = stats.rules[0].stop.Pointer
	}
	log.Emit(e)
	for _, child := range j.children {
		s.report(log, child, skipped, iteration)
	}
}

// neverRan returns the reason why a job has not run. unwanted is the number of runs that
// `if` skipped.
func neverRan(j *job, unwanted int) pagination.Stop {
	if unwanted > 0 {
		return pagination.Stop{Rule: "it did not run, because of its 'if'", Pointer: failure.PointerJoin(j.Pointer, config.JobIf.Name)}
	}
	if j.Windows != nil && !j.child {
		return pagination.Stop{Rule: noWindow, Pointer: j.Windows.Pointer}
	}
	return pagination.Stop{Rule: "it never ran"}
}

// unfinished reports, for a job and each job below it, the pages and rows that were
// stored before the run failed.
func (s statistics) unfinished(log *event.Log, j *job, iteration int) {
	if stored := s.get(j).stored; stored.pages > 0 {
		log.Emit(event.JobUnfinished{Job: j.name, Pages: stored.pages, Rows: stored.rows, JobPointer: j.Pointer, Iteration: iteration})
	}
	for _, child := range j.children {
		s.unfinished(log, child, iteration)
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
