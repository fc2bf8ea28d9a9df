package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/response"
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
	dropped    map[bucketType]bool
	structure  state.Structure
	columns    state.Columns
	types      state.Types
	declared   map[string]csvtable.Table // written tables with declared types, by file name
}

// bucketType is a data type in a bucket.
type bucketType struct{ bucket, dataType string }

// bucket is the destination of the rows of some iterations.
type bucket struct {
	name        string
	incremental bool
	automatic   *mapping.AutomaticMapper
	configured  *mapping.ConfiguredMapper
	mapped      bool // true if the iteration has mappings
	computed    computedTables
}

func newTables(e *env.Run, typed bool, warn func(event.Body)) *tables {
	return &tables{env: e, typed: typed, warn: warn, set: csvtable.NewSet(e.Tables, e.Temp), dropped: map[bucketType]bool{}, declared: map[string]csvtable.Table{}}
}

// bucket returns the bucket of an iteration. If iterations share a bucket, the mappings of
// the first iteration and the `incremental` setting of the last iteration apply.
func (t *tables) bucket(it iteration) (*bucket, error) {
	t.iterations = append(t.iterations, it)
	for _, b := range t.buckets {
		if b.name == it.Bucket {
			continue
		}
		// There may be many iterations with different buckets.
		if err := b.automatic.ReleaseBuffers(); err != nil {
			return nil, err
		}
	}
	if it.DriftWarning {
		t.columns.Watch(func(text string) { t.warn(event.StateWarning{Text: text}) })
	}
	for _, b := range t.buckets {
		if b.name == it.Bucket {
			b.incremental = it.Incremental
			return b, nil
		}
	}
	automatic, err := mapping.NewAutomatic(mapping.Options{
		TempDir:      t.env.Temp,
		Structure:    t.structure.Previous,
		TextBooleans: it.TextBooleans,
		Typed:        t.typed,
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
		return nil, err
	}
	b := &bucket{
		name:        it.Bucket,
		incremental: it.Incremental,
		automatic:   automatic,
		configured:  mapping.NewConfigured(it.mappings, t.set).Watch(listNames),
		mapped:      it.Mappings.Present(),
	}
	t.buckets = append(t.buckets, b)
	return b, nil
}

// pageRows is the destination of the rows of one page.
type pageRows interface {
	Row(value.Packed) error
}

// page returns the destination of the rows of a page. computed is the data type if the job
// has an expression for it.
func (b *bucket) page(j *job, computed string, columns []mapping.Column, from pageOrigin) (pageRows, error) {
	if j.ComputedDataType == nil {
		if b.configured.Has(j.DataType) {
			return b.configured.Batch(j.DataType, columns).Of(from), nil
		}
		return b.automatic.Batch(j.DataType, columns), nil
	}
	table, err := b.computed.claim(j, computed)
	switch {
	case err != nil:
		return nil, err
	case j.Mapping != "":
		return b.configured.BatchNamed(j.Mapping, table, columns).Of(from), nil
	default:
		return b.automatic.Batch(table, columns).Computed(dataTypePointer(j)), nil
	}
}

// write writes the tables of all buckets to the stage, mapped tables before automatic
// tables, and then the tables of mappings without rows. It returns the number of tables and
// of their rows.
func (t *tables) write(ctx context.Context) (n, rows int, err error) {
	for _, b := range t.buckets {
		d := mapping.Defaults{Bucket: b.name, Incremental: b.incremental}
		if err := b.configured.Write(ctx, d); err != nil {
			return 0, 0, err
		}
		if err := b.automatic.Write(ctx, t.set, d); err != nil {
			return 0, 0, err
		}
		if err := b.automatic.Close(); err != nil {
			return 0, 0, err
		}
	}
	for _, it := range t.iterations {
		d := mapping.Defaults{Bucket: it.Bucket, Incremental: it.Incremental}
		unwritten := slices.Clone(it.unstored)
		for of := range t.dropped {
			if of.bucket == it.Bucket {
				unwritten = append(unwritten, of.dataType)
			}
		}
		if err := it.mappings.Without(unwritten).WithoutTemplates(it.templates).WriteMissing(t.set, d); err != nil {
			return 0, 0, err
		}
	}
	written, err := t.set.Close()
	if err != nil {
		return 0, 0, err
	}
	for _, w := range written {
		t.env.Log.Emit(event.TableWritten{Table: w.Table.FileName(), Rows: w.Rows, Columns: w.Table.Columns, Types: w.Table.TypeNames()})
		t.types.Set(w.Table)
		if w.Table.Types != nil {
			t.declared[w.Table.FileName()] = w.Table
		}
		if added, removed, changed := t.columns.Changed(w.Table.FileName(), w.Table.Columns); changed {
			t.warn(event.TableDrifted{Table: w.Table.FileName(), Added: added, Removed: removed})
		}
		rows += w.Rows
	}
	return len(written), rows, nil
}

// drop removes the rows of a job's data types. Their tables are not written, not even
// without rows.
func (t *tables) drop(bucketName string, j *job) {
	fixed := j.DataType
	if j.ComputedDataType != nil {
		fixed = j.Mapping
	}
	t.dropped[bucketType{bucketName, fixed}] = true
	for _, b := range t.buckets {
		if b.name != bucketName {
			continue
		}
		b.configured.Drop(fixed)
		for _, dataType := range b.automaticTypes(j) {
			b.automatic.Drop(dataType)
		}
		b.truncated() // lists in items that were stored in part
	}
}

// automaticTypes returns the data types of a job's automatic tables.
func (b *bucket) automaticTypes(j *job) []string {
	switch {
	case j.ComputedDataType == nil && !b.configured.Has(j.DataType):
		return []string{j.DataType}
	case j.ComputedDataType != nil && j.Mapping == "":
		return b.computed.names[j.Pointer]
	default:
		return nil
	}
}

// namesOf returns the names of the tables that a job may have without a mapping, according
// to its items so far.
func (t *tables) namesOf(bucketName string, j *job) []string {
	var names []string
	for _, b := range t.buckets {
		if b.name != bucketName {
			continue
		}
		for _, dataType := range b.automaticTypes(j) {
			names = append(names, b.automatic.TableNames(dataType)...)
		}
	}
	return names
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

// listNames recognises the names of members about lists in items.
var listNames = mapping.ListNames{Truncates: response.TruncatesList, AboutPages: response.AboutPages}

// pageOrigin is the page that an item is from.
type pageOrigin struct {
	job  *job
	page int
	fail bool // true with onIncomplete: fail
}

// truncated returns the incomplete lists in the items since the last call.
func (b *bucket) truncated() []mapping.Truncated {
	return append(b.configured.Truncated(), b.automatic.Truncated()...)
}

// checkTables reports empty columns of mappings, empty primary keys, and cells that do not
// fit their types. An empty column without a similar name in the items is only a warning,
// because APIs omit null members. The warning is not emitted if a limit has ended the run.
func (r *run) checkTables() error {
	for _, b := range r.tables.buckets {
		for _, gap := range b.configured.Gaps() {
			from := gap.Origin.(pageOrigin)
			var found event.Finding
			switch {
			case gap.Rows > 0:
				found = event.KeyEmpty{Job: from.job.name, Table: gap.Table, PrimaryKey: gap.Key, Rows: gap.Rows, Page: from.page, Pointer: gap.Pointer, JobPointer: from.job.Pointer, Iteration: from.job.iteration}
			case gap.Near != "":
				found = event.ColumnMissing{Job: from.job.name, Table: gap.Table, Column: gap.Column, Path: gap.Path, Near: r.Secrets.Mask(gap.Near), Pointer: gap.Pointer, JobPointer: from.job.Pointer, Iteration: from.job.iteration}
			case r.ledger.limit == nil:
				r.ledger.warn(event.MappingWarning{Table: gap.Table, Text: fmt.Sprintf(`no item has a value at '%s', so %q is empty; if this is correct, set "optional": true in its setting`, gap.Path, gap.Column)})
				continue
			default:
				continue
			}
			if err := r.ledger.raise(found, from.fail); err != nil {
				return err
			}
		}
	}
	return r.checkCells()
}
