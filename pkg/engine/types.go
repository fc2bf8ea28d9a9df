package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// checkDeclaredTypes compares the declared types with the types in the state, before the
// first request. If the platform enforces types, it would refuse to load a table with a
// change, so the change is an error.
func (r *run) checkDeclaredTypes() error {
	if r.tables.types.Empty() {
		return nil
	}
	checked := map[string]bool{}
	for _, it := range r.program.iterations {
		for _, t := range it.mappings.Without(it.unstored).Tables(mapping.Defaults{Bucket: it.Bucket}) {
			if checked[t.FileName()] {
				continue
			}
			checked[t.FileName()] = true
			changes := r.tables.types.Changes(t)
			switch {
			case len(changes) == 0:
			case r.TypesEnforced:
				return failure.Userf("the declared types of table %q changed since the last run, and the platform does not change those of an existing table: %s. Undo the change, give the column another name, or delete the table and start again without the state (--full)",
					t.FileName(), strings.Join(changes, "; ")).At(it.Mappings.Pointer)
			default:
				r.ledger.warn(event.TableRetyped{Table: t.FileName(), Changes: changes})
			}
		}
	}
	return nil
}

// checkCells reports columns with cells that do not fit their declared types. Columns
// without `onMismatch: warn` are an error together.
func (r *run) checkCells() error {
	var faults []string
	pointer := ""
	for _, b := range r.tables.buckets {
		for _, m := range b.configured.Mismatches() {
			found := event.CellsMismatched{Table: csvtable.Table{Name: m.Table, Bucket: b.name}.FileName(), Column: m.Column, Type: m.Type.String(), Cells: m.Cells, Pointer: m.Pointer}
			for _, cell := range m.First {
				found.First = append(found.First, r.describeCell(cell))
			}
			if m.Warn {
				r.ledger.warn(found)
				continue
			}
			if pointer == "" {
				pointer = m.Pointer
			}
			faults = append(faults, event.MessageOf(found))
		}
	}
	if faults == nil {
		return nil
	}
	return failure.Userf(`%s; correct "type", drop the rows with 'rowFilter', or set "onMismatch": "warn" to write the cells`, strings.Join(faults, "; ")).At(pointer)
}

// maxShownCell is the maximum number of characters of a cell in a message.
const maxShownCell = 80

// describeCell returns the text of a cell with its job and page. It masks the text before
// it shortens it.
func (r *run) describeCell(cell mapping.MismatchedCell) string {
	text := "an empty cell"
	switch {
	case cell.Secret:
		text = "a secret"
	case cell.Size > 0:
		text = "a text of " + textfmt.Count(cell.Size, "byte")
	case cell.Text != "":
		text = strconv.Quote(textfmt.Cut(r.Secrets.Mask(cell.Text), maxShownCell))
	}
	from := cell.Origin.(pageOrigin)
	return fmt.Sprintf("%s (job %s, page %d)", text, from.job.name, from.page)
}
