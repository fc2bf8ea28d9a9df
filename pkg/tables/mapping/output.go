package mapping

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// Output is where tables are written, in one format. The columns of a table are
// known when it begins. So are the kinds of the values in a typed table that is
// mapped automatically (csvtable.Table.Kinds). In a mapped one any value may follow:
// its kinds are known with its last row, when the table gets its place.
type Output interface {
	// Create begins a table, or continues with the earlier one of the same name.
	Create(t csvtable.Table) (Writer, error)
	// CreateTemp begins rows that become a table by Writer.Place.
	CreateTemp(t csvtable.Table) (Writer, error)
	// Has reports whether there is a table with the file name of this one.
	Has(t csvtable.Table) bool
}

// Writer takes the rows of one table.
type Writer interface {
	// Row takes one cell for each column, and for a typed table their kinds. The
	// next row uses their memory again.
	Row(cells [][]byte, kinds []csvtable.Kind) error
	// Publish makes a draft a table, or the last rows of the earlier one of the same
	// name. No row follows.
	Publish(ctx context.Context, t csvtable.Table) error
}

// CSV is the Output of CSV files.
type CSV struct{ *csvtable.Set }

// Create is that of csvtable.Set.
func (c CSV) Create(t csvtable.Table) (Writer, error) { return c.Set.Create(t) }

// CreateTemp is that of csvtable.Set.
func (c CSV) CreateTemp(t csvtable.Table) (Writer, error) { return c.Set.Draft(t) }
