package mapping

import (
	"context"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// ConfiguredMapper collects the items of the data types that the configuration maps,
// for one bucket. All columns are known beforehand, so it writes rows at once, each
// table to a temporary table of its own. Memory does not depend on the amount of data.
// It is not safe for concurrent use.
type ConfiguredMapper struct {
	mappings Mappings
	out      *csvtable.Set
	hasher   *hasher
	tables   []*mappedTable // tables of mappings, then tables of BatchNamed
	named    map[tableOf]*mappedTable
	rows     []tableOutput // output of each table, by mappedTable.number
	lists    ListNames
	// truncated has the incomplete lists since the last call of Truncated.
	truncated []Truncated
}

// tableOutput is the state of one table while its rows are written.
type tableOutput struct {
	// reached is true if the data type had a page, or the child table an item.
	reached bool
	writer  *csvtable.Writer // nil without rows
	// free has the records that are not in use. A table that is its own child needs
	// several records at the same time.
	free []mappedRecord
	// found is the index, among the members of the previous row, of the value of each
	// setting.
	found []int
	// flags finds, for each child table, the flag of an incomplete list.
	flags []flagFinder
	gaps  gaps
	// mismatches has the cells that do not fit, by the checks of the table. It is nil if
	// all cells fit.
	mismatches []mismatches
}

// mappedRecord is a record with the members of the row that it is made from.
type mappedRecord struct {
	record
	members []packedMember
}

// packedMember is a member of a row. It shares the memory of the row.
type packedMember struct {
	name  []byte
	value value.Packed
}

// NewConfigured returns a mapper without rows.
func NewConfigured(m Mappings, out *csvtable.Set) *ConfiguredMapper {
	c := &ConfiguredMapper{mappings: m, tables: slices.Clone(m.tables), out: out, hasher: newHasher()}
	for _, t := range m.tables {
		c.rows = append(c.rows, newOutput(t, newGaps(t)))
	}
	return c
}

func newOutput(t *mappedTable, g gaps) tableOutput {
	return tableOutput{found: make([]int, len(t.settings)), flags: make([]flagFinder, len(t.settings)), gaps: g}
}

// Watch sets the names of members about lists and returns the mapper. Truncated needs
// them to find lists.
func (c *ConfiguredMapper) Watch(names ListNames) *ConfiguredMapper {
	c.lists = names
	return c
}

// Has reports whether a data type is mapped.
func (c *ConfiguredMapper) Has(dataType string) bool { return c.mappings.Has(dataType) }

// Batch begins the rows of one page of a data type that is mapped. If several columns
// have the same name, the last value is used, at the index of the first.
func (c *ConfiguredMapper) Batch(dataType string, columns []Column) *ConfiguredBatch {
	b := &ConfiguredBatch{owner: c, table: c.mappings.roots[dataType], columns: packColumns(columns), given: columns}
	c.rows[b.table.number].reached = true
	return b
}

// Of sets the origin of the rows, which Gaps returns, and returns the batch.
func (b *ConfiguredBatch) Of(origin any) *ConfiguredBatch {
	b.origin = origin
	return b
}

// Write publishes the tables with rows, and all tables of data types that had a page:
// mapping by mapping, the table of the data type first, then its child tables, depth
// first. The tables of BatchNamed follow. Call it once, after the last row. WriteMissing writes the other tables.
func (c *ConfiguredMapper) Write(ctx context.Context, d Defaults) error {
	for i, t := range c.tables {
		if !c.rows[i].reached || len(t.columns) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if w := c.rows[i].writer; w != nil {
			err = w.Publish(ctx, c.mappings.csvTable(t, d))
		} else {
			_, err = c.out.Create(c.mappings.csvTable(t, d))
		}
		if err != nil {
			return failure.Wrap(fmt.Sprintf("mapping of table %q", t.name), t.pointer, err)
		}
	}
	return nil
}

// emptyRecord returns an empty record of a table.
func (c *ConfiguredMapper) emptyRecord(t *mappedTable) mappedRecord {
	r := &c.rows[t.number]
	r.reached = true
	last := len(r.free) - 1
	if last < 0 {
		return mappedRecord{record: newRecord(len(t.columns), c.mappings.typed, c.mappings.textBooleans)}
	}
	reused := r.free[last]
	r.free = r.free[:last]
	reused.clear()
	reused.members = reused.members[:0]
	return reused
}

// store writes a record and makes it available again.
func (c *ConfiguredMapper) store(t *mappedTable, done mappedRecord) error {
	r := &c.rows[t.number]
	r.free = append(r.free, done)
	if len(done.cells) == 0 {
		return nil
	}
	if r.writer == nil {
		var err error
		if r.writer, err = c.out.Draft(csvtable.Table{Name: t.name, Columns: t.columns, Typed: c.mappings.typed}); err != nil {
			return err
		}
	}
	return r.writer.Row(done.cells, done.kinds)
}
