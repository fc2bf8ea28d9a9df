package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// eachChild runs the child jobs of a page: for each child job, for each row, for each
// combination of placeholder values or each batch of rows.
func (r *jobRun) eachChild(page *response.Page, run runFunc) error {
	for _, child := range r.children {
		if !child.Reachable {
			continue // a warning of the configuration reports that the job never runs
		}
		line, rows := r.lineOf(child), 0
		line.Expect(page.Rows)
		for row, err := range r.storedRows(page) {
			if err == nil {
				rows++
				err = r.eachRun(child, row, run)
			}
			if err != nil {
				return err
			}
		}
		line.Done(page.Rows - rows)
		if !child.Batch.Across {
			if err := r.runBatch(child, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachRun runs a child job for a row, or adds the row to the batch of the child job.
func (r *jobRun) eachRun(child *job, row value.Packed, run runFunc) error {
	pass, err := passes(child.filter, row)
	switch {
	case err != nil:
		return err
	case !pass:
		r.lineOf(child).Done(1)
		return nil
	case child.Batch.Size > 0:
		return r.addToBatch(child, row, run)
	default:
		parent := r.lineOf(child).Parents(1)
		defer parent.End()
		return r.eachCombination(child, row, countingParents(parent, run))
	}
}

// lineOf returns the live progress of a child job.
func (r *jobRun) lineOf(child *job) *event.LiveJob {
	return r.run.Live.Job(child, child.Endpoint, len(r.parents)+1).At(child.Pointer, r.number)
}

// countingParents returns a runFunc that counts the parents of each run in the live
// progress.
func countingParents(parents *event.LiveParents, run runFunc) runFunc {
	if parents == nil {
		return run
	}
	return func(j *job, in invocation) error {
		parents.Begin()
		in.counted = parents
		return run(j, in)
	}
}

// eachCombination runs a child job for each combination of placeholder values of a row.
func (r *jobRun) eachCombination(child *job, row value.Packed, run runFunc) error {
	if len(child.children) > 0 {
		row = slices.Clone(row) // its child jobs may read the row after the page is closed
	}
	parents := append([]value.Packed{row}, r.parents...)
	var events []event.Body
	all, err := combinations(r.placeholderValues, child.placeholders, parents, warningCollector(&events))
	if err != nil {
		return err
	}
	items := itemsOf(child, parents)
	for values := range all {
		endpoint, err := child.filledEndpoint(values)
		if err != nil {
			return err
		}
		in := invocation{endpoint: endpoint, placeholderValues: values, parents: parents, items: items, window: r.window, events: events}
		if err := r.eachWindow(child, in, run); err != nil {
			return err
		}
	}
	return nil
}
