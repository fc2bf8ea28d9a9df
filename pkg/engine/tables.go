package engine

import (
	"context"
	"errors"

	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// tables are the output buckets of a run, in the order of their first use. Iterations
// with the same bucket share its tables.
type tables struct {
	env     *env.Run
	typed   bool
	warn    func(event.Body)
	set     *csvtable.Set
	buckets []*bucket
	// iterations are the iterations so far. The tables of their mappings must exist at
	// the end.
	iterations []iteration
	structure  state.Structure
	columns    state.Columns
}

// bucket is the destination of the rows of some iterations.
type bucket struct {
	name        string
	incremental bool
	automatic   *mapping.AutomaticMapper
	configured  *mapping.ConfiguredMapper
	mapped      bool // true if the iteration has mappings
}

func newTables(e *env.Run, typed bool, warn func(event.Body)) *tables {
	return &tables{env: e, typed: typed, warn: warn, set: csvtable.NewSet(e.Tables, e.Temp)}
}

// bucket returns the sink of an iteration. If iterations share a bucket, the mappings of
// the first iteration and the `incremental` setting of the last iteration apply.
func (t *tables) bucket(it iteration) (sink, error) {
	t.iterations = append(t.iterations, it)
	for _, b := range t.buckets {
		if b.name == it.Bucket {
			continue
		}
		// There may be many iterations with different buckets.
		if err := b.automatic.ReleaseBuffers(); err != nil {
			return sink{}, err
		}
	}
	if it.DriftWarning {
		t.columns.Watch(func(text string) { t.warn(event.StateWarning{Text: text}) })
	}
	for _, b := range t.buckets {
		if b.name == it.Bucket {
			b.incremental = it.Incremental
			return sink{b}, nil
		}
	}
	automatic, err := mapping.NewAutomatic(mapping.Options{
		TempDir:   t.env.Temp,
		Structure: t.structure.Previous,
		Typed:     t.typed,
		Warn: func(table, text string) {
			t.warn(event.MappingWarning{Table: table, Text: text})
		},
		Named: func(text, name string) bool {
			// The column name may be shortened, and so cut a secret that the API
			// returned.
			secret := t.env.Secrets.MaskedSpans(text) != nil
			if secret {
				t.env.Secrets.AddPart(name)
			}
			return secret
		},
		Lists: listNames,
	})
	if err != nil {
		return sink{}, err
	}
	b := &bucket{
		name:        it.Bucket,
		incremental: it.Incremental,
		automatic:   automatic,
		configured:  mapping.NewConfigured(it.mappings, t.out()).Watch(listNames),
		mapped:      it.Mappings.Present(),
	}
	t.buckets = append(t.buckets, b)
	return sink{b}, nil
}

// sink stores the pages of one iteration.
type sink struct {
	bucket *bucket
}

// pageRows is the destination of the rows of one page.
type pageRows interface {
	Row(value.Packed) error
}

// unstoredRows discards the rows, which are only parents.
type unstoredRows struct{}

func (unstoredRows) Row(value.Packed) error { return nil }

// page returns the destination of the rows of one page.
func (s sink) page(dataType string, columns []mapping.Column, from pageOrigin) pageRows {
	if s.bucket.configured.Has(dataType) {
		return s.bucket.configured.Batch(dataType, columns).Of(from)
	}
	return s.bucket.automatic.Batch(dataType, columns)
}

// tableRows is a written table with its number of rows.
type tableRows struct {
	name string
	rows int
}

// write writes the tables of all buckets to the stage.
func (t *tables) write(ctx context.Context) ([]tableRows, error) {
	if err := t.fill(ctx); err != nil {
		return nil, err
	}
	written, err := t.set.Close()
	if err != nil {
		return nil, err
	}
	all := make([]tableRows, len(written))
	for i, w := range written {
		t.env.Log.Emit(event.TableWritten{Table: w.Table.FileName(), Rows: w.Rows, Columns: w.Table.Columns})
		if added, removed, changed := t.columns.Changed(w.Table.FileName(), w.Table.Columns); changed {
			t.warn(event.TableDrifted{Table: w.Table.FileName(), Added: added, Removed: removed})
		}
		all[i] = tableRows{w.Table.FileName(), w.Rows}
	}
	return all, nil
}

func (t *tables) out() mapping.Output { return mapping.CSV{Set: t.set} }

// fill writes the tables of all buckets, mapped tables before automatic tables. At the
// end it writes the tables of mappings without rows.
func (t *tables) fill(ctx context.Context) error {
	for _, b := range t.buckets {
		d := mapping.Defaults{Bucket: b.name, Incremental: b.incremental}
		if err := b.configured.Write(ctx, d); err != nil {
			return err
		}
		if err := b.automatic.Write(ctx, t.out(), d); err != nil {
			return err
		}
		if err := b.automatic.Close(); err != nil {
			return err
		}
	}
	for _, it := range t.iterations {
		d := mapping.Defaults{Bucket: it.Bucket, Incremental: it.Incremental}
		if err := it.mappings.Without(it.unstored).WriteMissing(t.out(), d); err != nil {
			return err
		}
	}
	return nil
}

// structures returns the merged structure of the automatic tables of all buckets without
// mappings, or null. A bucket with mappings keeps the structure of the previous run, as
// in the original extractor.
func (t *tables) structures() value.Value {
	var all []value.Value
	for _, b := range t.buckets {
		if !b.mapped {
			all = append(all, b.automatic.Structure())
		}
	}
	return mapping.MergeStructures(all...)
}

// close removes the buffered rows of automatic tables.
func (t *tables) close() error {
	var errs []error
	for _, b := range t.buckets {
		errs = append(errs, b.automatic.Close())
	}
	return errors.Join(errs...)
}
