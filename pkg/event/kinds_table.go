package event

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// MappingWarning reports that data was stored in another form than its shape suggests.
type MappingWarning struct {
	Table string `json:"table"`
	Text  string `json:"text"`
}

func (MappingWarning) Kind() string      { return "mapping.warning" }
func (MappingWarning) Level() Level      { return Warn }
func (e MappingWarning) Message() string { return e.Table + ": " + e.Text }

// TableWritten reports that a table is complete in out/tables.
type TableWritten struct {
	Table   string   `json:"table"`
	Rows    int      `json:"rows"`
	Columns []string `json:"columns"`
}

func (TableWritten) Kind() string { return "table.written" }
func (TableWritten) Level() Level { return Info }

func (e TableWritten) Message() string {
	return fmt.Sprintf("Table %s: %s, %s", e.Table, textfmt.Count(e.Rows, "row"), textfmt.Count(len(e.Columns), "column"))
}

// TableDrifted reports that the columns of a table differ from the last run that wrote the
// table. It is only emitted with `config.driftWarning`.
type TableDrifted struct {
	Table   string   `json:"table"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

func (TableDrifted) Kind() string { return "table.drifted" }
func (TableDrifted) Level() Level { return Warn }

func (e TableDrifted) Message() string {
	var changes []string
	for _, c := range []struct {
		what    string
		columns []string
	}{{"added", e.Added}, {"removed", e.Removed}} {
		if len(c.columns) > 0 {
			changes = append(changes, c.what+" "+strings.Join(c.columns, ", "))
		}
	}
	if changes == nil {
		return fmt.Sprintf("Table %s has its columns in a different order than in the last run", e.Table)
	}
	return fmt.Sprintf("Table %s has different columns than in the last run: %s", e.Table, strings.Join(changes, "; "))
}

// TableMerging reports that a large table is being merged. It is only emitted with --merge.
type TableMerging struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
}

func (TableMerging) Kind() string { return "table.merging" }
func (TableMerging) Level() Level { return Info }

func (e TableMerging) Message() string {
	return fmt.Sprintf("Table %s is being merged: %s read so far", e.Table, textfmt.Count(e.Rows, "row"))
}

// TableMerged reports that the rows of a table were merged into the rows of the previous
// run. It is only emitted with --merge.
type TableMerged struct {
	Table      string   `json:"table"`
	PrimaryKey []string `json:"primaryKey,omitempty"`
	Before     int      `json:"before"`
	Replaced   int      `json:"replaced"`
	Added      int      `json:"added"`
	Rows       int      `json:"rows"`
}

func (TableMerged) Kind() string { return "table.merged" }
func (TableMerged) Level() Level { return Info }

func (e TableMerged) Message() string {
	how := fmt.Sprintf("by %s into the %s of the previous run: %d replaced, %d added", strings.Join(e.PrimaryKey, ", "), textfmt.Count(e.Before, "row"), e.Replaced, e.Added)
	if len(e.PrimaryKey) == 0 {
		how = fmt.Sprintf("without a primary key into the %s of the previous run: %d added", textfmt.Count(e.Before, "row"), e.Added)
	}
	return fmt.Sprintf("Table %s merged %s, now %s", e.Table, how, textfmt.Count(e.Rows, "row"))
}
