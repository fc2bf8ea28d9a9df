package app

import (
	"context"
	"time"

	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/merge"
)

// mergingEvery is the minimum time between two progress events about the merge of a table.
const mergingEvery = 10 * time.Second

// mergeTables merges the incremental tables of the run into the tables of the previous run.
// It has no effect without --merge or with --full.
func mergeTables(ctx context.Context, r *run, dir *datadir.Dir, stage *datadir.Stage, declared map[string]csvtable.Table) error {
	if !r.Merge || r.Full {
		return nil
	}
	directories := merge.Directories{Earlier: dir.Tables(), Tables: stage.Tables(), Temp: stage.Temp(), Declared: declared}
	return merge.Tables(ctx, directories, func(m merge.Result) {
		r.Log.Emit(event.TableMerged{Table: m.Table, PrimaryKey: m.PrimaryKey, Before: m.Before, Replaced: m.Replaced, Added: m.Added, Rows: m.Rows})
	}, mergeProgress(r))
}

// mergeProgress returns a function that emits progress events, at most one every
// mergingEvery.
func mergeProgress(r *run) func(table string, rows int) {
	last := r.Now()
	return func(table string, rows int) {
		now := r.Now()
		if now.Sub(last) < mergingEvery {
			return
		}
		last = now
		r.Log.Emit(event.TableMerging{Table: table, Rows: rows})
	}
}
