package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
)

// listNames recognises the names of members about lists in items.
var listNames = mapping.ListNames{Truncates: response.TruncatesList, AboutPages: response.AboutPages}

// pageOrigin is the page that an item is from.
type pageOrigin struct {
	job       *job
	page      int
	iteration int
	fail      bool // true with onIncomplete: fail
}

// truncated returns the incomplete lists in the items since the last call.
func (s sink) truncated() []mapping.Truncated {
	return append(s.bucket.configured.Truncated(), s.bucket.automatic.Truncated()...)
}

// reportTruncated reports incomplete lists in the items of a stored page.
func (r *jobRun) reportTruncated(p *pageResult) error {
	if r.NotStored {
		return nil
	}
	for _, one := range r.sink.truncated() {
		if r.fetchesRest(one) {
			continue
		}
		found := event.ItemsTruncated{Job: r.name, Page: p.number, List: r.run.Secrets.Mask(one.List), Flag: r.run.Secrets.Mask(one.Flag), JobPointer: r.Pointer, Iteration: r.number}
		if err := r.emit(r.job, found); err != nil {
			return err
		}
	}
	return nil
}

// fetchesRest reports whether a child job requests the rest of a list. Such a child job
// reads the flag of the list, or a member beside the flag, such as a cursor.
func (j *job) fetchesRest(of mapping.Truncated) bool {
	object := of.Flag[:strings.LastIndexByte(of.Flag, '.')+1]
	reads := func(path string) bool {
		return strings.HasPrefix(path, object) && path != of.List && !strings.HasPrefix(path, of.List+".")
	}
	return slices.ContainsFunc(j.children, func(child *job) bool {
		return slices.ContainsFunc(child.filter.Paths(), reads) || slices.ContainsFunc(child.parentItems, reads) ||
			slices.ContainsFunc(child.placeholders, func(p placeholder) bool { return p.level == 1 && reads(p.path) })
	})
}

// checkTables reports empty columns of mappings and empty primary keys. An empty column
// without a similar name in the items is only a warning, because APIs omit null members.
// The warning is not emitted if a limit has ended the run.
func (r *run) checkTables() error {
	for _, b := range r.tables.buckets {
		for _, gap := range b.configured.Gaps() {
			from := gap.Origin.(pageOrigin)
			var found event.Finding
			switch {
			case gap.Rows > 0:
				found = event.KeyEmpty{Job: from.job.name, Table: gap.Table, PrimaryKey: gap.Key, Rows: gap.Rows, Page: from.page, Pointer: gap.Pointer, JobPointer: from.job.Pointer, Iteration: from.iteration}
			case gap.Near != "":
				found = event.ColumnMissing{Job: from.job.name, Table: gap.Table, Column: gap.Column, Path: gap.Path, Near: r.Secrets.Mask(gap.Near), Pointer: gap.Pointer, JobPointer: from.job.Pointer, Iteration: from.iteration}
			case r.limit == nil:
				r.warn(event.MappingWarning{Table: gap.Table, Text: fmt.Sprintf(`no item has a value at '%s', so %q is empty; if this is correct, set "optional": true in its setting`, gap.Path, gap.Column)})
				continue
			default:
				continue
			}
			if err := r.raise(found, from.fail); err != nil {
				return err
			}
		}
	}
	return nil
}
