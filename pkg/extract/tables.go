package extract

import (
	"context"
	"errors"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// tables are the output buckets of a run, in the order of their first use.
// Iterations with the same bucket share its tables.
type tables struct {
	deps    Deps
	buckets []*bucket
}

// bucket is where the rows of some iterations go.
type bucket struct {
	name        string
	incremental bool
	automatic   *mapping.Automatic
}

func newTables(d Deps) *tables { return &tables{deps: d} }

// bucket is the sink of an iteration. Of several iterations with one bucket the
// last one says whether the tables are incremental.
func (t *tables) bucket(it config.Iteration) (sink, error) {
	for _, b := range t.buckets {
		if b.name == it.Bucket {
			b.incremental = it.Incremental
			return sink{b}, nil
		}
	}
	automatic, err := mapping.NewAutomatic(mapping.Options{
		TempDir:   t.deps.Stage.Temp(),
		Structure: previousStructure(t.deps.State),
		Warn: func(table, text string) {
			t.deps.Log.Emit(event.MappingWarning{Table: table, Text: text})
		},
	})
	if err != nil {
		return sink{}, err
	}
	b := &bucket{name: it.Bucket, incremental: it.Incremental, automatic: automatic}
	t.buckets = append(t.buckets, b)
	return sink{b}, nil
}

// sink takes the pages of one iteration.
type sink struct {
	bucket *bucket
}

// batch takes the rows of one page.
func (s sink) batch(dataType string, columns []mapping.Column) *mapping.Batch {
	return s.bucket.automatic.Batch(dataType, columns)
}

// tableRows is a table that was written and its number of rows.
type tableRows struct {
	name string
	rows int
}

// write writes the tables of all buckets into the stage.
func (t *tables) write(ctx context.Context) ([]tableRows, error) {
	var all []tableRows
	for _, b := range t.buckets {
		written, err := b.automatic.Write(t.deps.Stage.Tables(), mapping.Defaults{Bucket: b.name, Incremental: b.incremental})
		if err != nil {
			return nil, err
		}
		for _, w := range written {
			t.deps.Log.Emit(event.TableWritten{Table: w.Table.FileName(), Rows: w.Rows, Columns: w.Table.Columns})
			all = append(all, tableRows{w.Table.FileName(), w.Rows})
		}
	}
	return all, nil
}

// structures is the structure of all buckets' tables together, null when there
// is no table.
func (t *tables) structures() value.Value {
	var all []value.Value
	for _, b := range t.buckets {
		all = append(all, b.automatic.Structure())
	}
	return mapping.MergeStructures(all...)
}

// close removes everything temporary.
func (t *tables) close() error {
	var errs []error
	for _, b := range t.buckets {
		errs = append(errs, b.automatic.Close())
	}
	return errors.Join(errs...)
}
