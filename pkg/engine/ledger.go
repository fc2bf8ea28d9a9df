package engine

import (
	"errors"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ledger records what happened in one run of a job: its pages and rows, the evidence for
// the completeness of its data, its events in their order, and the values to remember. It
// knows neither requests nor tables.
//
// The stream of the run adds to evidence. The other fields belong to the goroutine that
// stores the pages, which reads the evidence after the stream has ended.
type ledger struct {
	*jobsLedger
	*job
	*invocation
	evaluator    *evaluator
	evidence     *evidence
	pages        int
	rowsReceived int
	rowsFiltered int  // rows that rowFilter dropped
	skipped      bool // true if a rule skipped a response
	restarted    bool // true after a restart without the remembered values
	accumulators []accumulator
	last         *expr.Scope // scope of the last page, for expressions in `remember`
}

// report emits the events of a page and returns the error of the page. With `onIncomplete:
// fail` it returns the first finding as an error.
func (l *ledger) report(p *pageResult) error {
	l.pages = p.number
	if p.last != nil {
		l.last = p.last
	}
	for _, e := range p.events {
		switch e.(type) {
		case event.ResponseSkipped:
			l.skipped = true
		case event.JobRestarted:
			l.restarted = true
		}
		if err := l.emit(l.job, l.invocation, e); err != nil {
			return err
		}
	}
	return p.err
}

func (l *ledger) addRow(row value.Packed) {
	for i := range l.accumulators {
		l.accumulators[i].add(row)
	}
}

// stored counts the rows of a stored page. kept is the number of rows that rowFilter kept.
func (l *ledger) stored(rows, kept int) {
	l.rowsReceived += rows
	l.rowsFiltered += rows - kept
	if l.NotStored {
		kept = 0
	}
	stored := &l.statistics.get(l.job).stored
	stored.pages++
	stored.rows += kept
	l.progress.page(kept)
}

// count adds the run to the statistics of its job.
func (l *ledger) count(stop pagination.Stop) {
	s := l.statistics.get(l.job)
	s.count(stop)
	s.pages += l.pages
	s.rows += l.rowsReceived
	s.rowsFiltered += l.rowsFiltered
	if l.skipped {
		s.skipped++
	}
	s.found = s.found || l.evidence.found
	if s.otherLists == nil {
		s.otherLists = l.evidence.otherLists
	}
}

// complete counts a run that a stopper has ended, checks whether its data is complete, and
// saves its remembered values.
func (l *ledger) complete(stop pagination.Stop) error {
	l.count(stop)
	for _, check := range endChecks() {
		found := check(finishedRun{l, stop})
		if found == nil {
			continue
		}
		if _, ok := found.(event.PagingRepeated); ok {
			l.statistics.get(l.job).repeated = true
		}
		if l.evidence.leadsNowhere() {
			l.postpone(l.job, l.invocation, found)
		} else if err := l.emit(l.job, l.invocation, found); err != nil {
			return err
		}
	}
	err := l.saveRemembered()
	l.limit.ended(l.window, l.skipped)
	return err
}

// pageError adds the job and the page to an error. A finding already names them.
func (l *ledger) pageError(page int, err error) error {
	if errors.Is(err, errIncomplete) {
		return err
	}
	return failure.Wrap(fmt.Sprintf("job %s, page %d", l.endpoint, page), l.Pointer, err)
}
