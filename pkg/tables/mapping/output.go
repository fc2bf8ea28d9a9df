package mapping

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// Output writes tables in one format. The columns of a table are known when it begins.
// In a typed table that is mapped automatically, the kinds of the values are known, too
// (csvtable.Table.Kinds). In a typed table of a configured mapping, any value may
// follow: the kinds are known after the last row, when the table is published.
type Output interface {
	// Create begins a table, or continues the earlier table with the same name.
	Create(t csvtable.Table) (Writer, error)
	// CreateTemp begins a temporary table. Writer.Publish makes it a table.
	CreateTemp(t csvtable.Table) (Writer, error)
	// Has reports whether there is a table with the file name of t.
	Has(t csvtable.Table) bool
}

// Writer writes the rows of one table.
type Writer interface {
	// Row writes one cell for each column. A typed table also needs the kinds of the
	// cells. Row must not keep the slices: the caller reuses their memory for the next
	// row.
	Row(cells [][]byte, kinds []csvtable.Kind) error
	// Publish makes a temporary table a table, or appends its rows to the earlier table
	// with the same name. No row may follow.
	Publish(ctx context.Context, t csvtable.Table) error
}

// CSV is the Output of CSV files.
type CSV struct{ *csvtable.Set }

// Create calls csvtable.Set.Create.
func (c CSV) Create(t csvtable.Table) (Writer, error) { return c.Set.Create(t) }

// CreateTemp calls csvtable.Set.Draft.
func (c CSV) CreateTemp(t csvtable.Table) (Writer, error) { return c.Set.Draft(t) }
