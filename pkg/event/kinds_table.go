package event

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// MappingWarning reports that data was stored in another form than its shape suggests.
type MappingWarning struct {
	warn  `kind:"mapping.warning"`
	Table string `json:"table"`
	Text  string `json:"text"`
}

func (e MappingWarning) message() string { return e.Table + ": " + e.Text }

// TableWritten reports that a table is complete in out/tables.
type TableWritten struct {
	info    `kind:"table.written"`
	Table   string   `json:"table"`
	Rows    int      `json:"rows"`
	Columns []string `json:"columns"`
	Types   []string `json:"types,omitempty" console:"-"`
}

func (e TableWritten) message() string {
	return fmt.Sprintf("Table %s: %s, %s", e.Table, textfmt.Count(e.Rows, "row"), textfmt.Count(len(e.Columns), "column"))
}

// FilesWritten reports that the files of a run are complete in out/files.
type FilesWritten struct {
	info  `kind:"files.written"`
	Files int   `json:"files"`
	Bytes int64 `json:"bytes" console:"always"`
}

func (e FilesWritten) message() string {
	return fmt.Sprintf("Files written: %s", textfmt.Count(e.Files, "file"))
}

// FilesReplayed reports that a replay wrote the rows of files, and no files: a recording
// holds their size and hash only.
type FilesReplayed struct {
	warn  `kind:"files.replayed"`
	Files int `json:"files"`
}

func (e FilesReplayed) message() string {
	return fmt.Sprintf("No files are written: the recording holds the size and hash of %s, not the contents", textfmt.Count(e.Files, "file"))
}

// TableDrifted reports that the columns of a table differ from the last run that wrote the
// table. It is only emitted with `config.driftWarning`.
type TableDrifted struct {
	warn    `kind:"table.drifted"`
	Table   string   `json:"table"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

func (e TableDrifted) message() string {
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

// TableRetyped reports that the declared types of a table changed since the last run that
// wrote the table, in a way that a platform with types refuses.
type TableRetyped struct {
	warn    `kind:"table.retyped"`
	Table   string   `json:"table"`
	Changes []string `json:"changes"`
}

func (e TableRetyped) message() string {
	return fmt.Sprintf("Table %s has other declared types than in the last run: %s", e.Table, strings.Join(e.Changes, "; "))
}

// CellsMismatched reports that cells of a column do not fit its declared type. It is only
// emitted with `onMismatch: warn`; otherwise it is the error of the run.
type CellsMismatched struct {
	warn    `kind:"cells.mismatched"`
	Table   string   `json:"table"`
	Column  string   `json:"column"`
	Type    string   `json:"type"`
	Cells   int      `json:"cells"`
	First   []string `json:"first"`
	Pointer string   `json:"pointer"`
}

func (e CellsMismatched) message() string {
	do := "do"
	if e.Cells == 1 {
		do = "does"
	}
	return fmt.Sprintf("%s of column %q of table %s %s not fit the type %s: %s", textfmt.Count(e.Cells, "cell"), e.Column, e.Table, do, e.Type, strings.Join(e.First, ", "))
}

// TableMerging reports that a large table is being merged. It is only emitted with --merge.
type TableMerging struct {
	info  `kind:"table.merging"`
	Table string `json:"table"`
	Rows  int    `json:"rows"`
}

func (e TableMerging) message() string {
	return fmt.Sprintf("Table %s is being merged: %s read so far", e.Table, textfmt.Count(e.Rows, "row"))
}

// TableMerged reports that the rows of a table were merged into the rows of the previous
// run. It is only emitted with --merge.
type TableMerged struct {
	info       `kind:"table.merged"`
	Table      string   `json:"table"`
	PrimaryKey []string `json:"primaryKey,omitempty"`
	Before     int      `json:"before"`
	Replaced   int      `json:"replaced"`
	Added      int      `json:"added"`
	Rows       int      `json:"rows"`
}

func (e TableMerged) message() string {
	how := fmt.Sprintf("by %s into the %s of the previous run: %d replaced, %d added", strings.Join(e.PrimaryKey, ", "), textfmt.Count(e.Before, "row"), e.Replaced, e.Added)
	if len(e.PrimaryKey) == 0 {
		how = fmt.Sprintf("without a primary key into the %s of the previous run: %d added", textfmt.Count(e.Before, "row"), e.Added)
	}
	return fmt.Sprintf("Table %s merged %s, now %s", e.Table, how, textfmt.Count(e.Rows, "row"))
}
