package engine

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// tally sums up the runs of a root job and its children, so that each
// configured job ends with one event, however often it ran and whatever ended it.
type tally map[*job]*account

// account is what the runs of one job brought.
type account struct {
	runs, pages, rows int
	again             bool // a run came back to an earlier page, and that was not its end
	rules             []ruleCount
	warnings          []warningCount
	// found and lists are those of the evidence of all runs.
	found bool
	lists []string
	// stored are the pages and rows so far, also those of runs that go on.
	stored struct{ pages, rows int }
}

// ruleCount is how many runs ended by a rule.
type ruleCount struct {
	stop  paging.Stop
	count int
}

// maxRules is how many different rules are told of one job.
const maxRules = 3

// of is the account of a job.
func (t tally) of(j *job) *account {
	if t[j] == nil {
		t[j] = &account{}
	}
	return t[j]
}

// page counts a page that was stored.
func (t tally) page(j *job, rows int) {
	a := t.of(j)
	a.stored.pages++
	a.stored.rows += rows
}

func (t tally) add(j *job, r *jobRun, stop paging.Stop) {
	a := t.of(j)
	a.runs++
	a.pages += r.pages
	a.rows += r.found
	a.found = a.found || r.evidence.found
	if a.lists == nil {
		a.lists = r.evidence.lists
	}
	for i := range a.rules {
		if a.rules[i].stop == stop {
			a.rules[i].count++
			return
		}
	}
	if len(a.rules) <= maxRules {
		a.rules = append(a.rules, ruleCount{stop, 1})
	}
}

// report emits one event for a job and for each job below it.
func (t tally) report(log *event.Log, j *job, iteration int) {
	a := t[j]
	if a == nil {
		a = &account{rules: []ruleCount{{stop: paging.Stop{Rule: "it never ran"}}}}
	}
	a.omitted(log, j, iteration)
	e := event.JobFinished{Job: j.Endpoint, Pages: a.pages, Rows: a.rows, Rule: a.words(), Repeated: a.again, JobPointer: j.Pointer, Iteration: iteration}
	if j.child {
		e.Runs = a.runs
	}
	if len(a.rules) == 1 {
		e.Pointer = a.rules[0].stop.Pointer
	}
	log.Emit(e)
	for _, child := range j.children {
		t.report(log, child, iteration)
	}
}

// unfinished tells, for a job and each job below it, what was stored before the
// run failed.
func (t tally) unfinished(log *event.Log, j *job, iteration int) {
	if a := t.of(j); a.stored.pages > 0 {
		log.Emit(event.JobUnfinished{Job: j.Endpoint, Pages: a.stored.pages, Rows: a.stored.rows, JobPointer: j.Pointer, Iteration: iteration})
	}
	for _, child := range j.children {
		t.unfinished(log, child, iteration)
	}
}

// words are the rules in words, with their numbers when there are several.
func (a *account) words() string {
	if len(a.rules) == 1 {
		return a.rules[0].stop.Rule
	}
	var words []string
	for i, r := range a.rules {
		if i == maxRules {
			words = append(words, "and others")
			break
		}
		words = append(words, fmt.Sprintf("%s (%d ×)", r.stop.Rule, r.count))
	}
	return strings.Join(words, "; ")
}
