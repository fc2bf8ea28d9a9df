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
	// later holds findings until all runs have ended.
	later []event.Finding
	// found and lists combine evidence.found and evidence.lists of all runs.
	found bool
	lists []string
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
	total := s.get(r.job)
	total.runs++
	total.pages += r.pages
	total.rows += r.rowsReceived
	total.rowsFiltered += r.rowsFiltered
	if r.skipped {
		total.skipped++
	}
	total.found = total.found || r.evidence.found
	if total.lists == nil {
		total.lists = r.evidence.lists
	}
	for i := range total.rules {
		if total.rules[i].stop == stop {
			total.rules[i].count++
			return
		}
	}
	if len(total.rules) <= maxRules {
		total.rules = append(total.rules, ruleCount{stop, 1})
	}
}

// report emits an event for a job and for each job below it.
func (s statistics) report(log *event.Log, j *job, skipped *skippedRuns, iteration int) {
	total := s[j]
	if total == nil {
		total = &jobStatistics{rules: []ruleCount{{stop: neverRan(j, skipped.get(j))}}}
	}
	total.reportOmitted(log, event.WarningsOmitted{Job: j.name, JobPointer: j.Pointer, Iteration: iteration})
	e := event.JobFinished{Job: j.name, Pages: total.pages, Rows: total.rows, Windows: total.windows, LeftOut: total.rowsFiltered, Unstored: j.NotStored, Rule: total.rule(), Repeated: total.repeated, Skipped: total.skipped, Unwanted: skipped.get(j), JobPointer: j.Pointer, Iteration: iteration}
	if j.child {
		e.Runs = total.runs
	}
	if len(total.rules) == 1 {
		e.Pointer = total.rules[0].stop.Pointer
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
