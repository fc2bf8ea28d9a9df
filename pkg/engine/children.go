package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// eachChild runs the child jobs of a page in their order: for each definition,
// for each row, for each combination of placeholder values.
func (r *jobRun) eachChild(page *answer.Page, run func(*job, invocation) error) error {
	for _, child := range r.children {
		if len(child.placeholders) == 0 && len(r.filled) == 0 && !child.refersToItems {
			continue // the configuration's warnings say that it never runs
		}
		for row, err := range r.filtered(page) {
			if err == nil {
				err = r.eachCombination(child, row, run)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// eachCombination runs a child job for one row.
func (r *jobRun) eachCombination(child *job, row value.Packed, run func(*job, invocation) error) error {
	pass, err := passes(child.filter, row)
	if err != nil || !pass {
		return err
	}
	if len(child.children) > 0 {
		row = slices.Clone(row) // its own children may need it when this page is gone
	}
	parents := append([]value.Packed{row}, r.parents...)
	var events []event.Body
	all, err := combinations(r.filled, child.placeholders, parents, recordWarnings(&events))
	if err != nil {
		return err
	}
	items := itemsOf(child, parents)
	for values := range all {
		in := invocation{endpoint: endpoint(child.Endpoint, values), filled: values, parents: parents, items: items, window: r.window, events: events}
		if err := r.eachWindow(child, in, run); err != nil {
			return err
		}
	}
	return nil
}
