package devstack

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

const (
	previewRows  = 3   // rows of each table
	previewCell  = 24  // maximum length of a cell, in characters
	previewWidth = 110 // maximum length of a line, in characters
	previewGap   = "  "
)

// writePreview writes a short aligned preview of a table: name, size, header and the first
// rows. It cuts long cells and lists columns that do not fit below the rows.
func writePreview(out io.Writer, t store.Table, rows func(table string, keep func(cells []string) bool) error) error {
	s := sample{rows: t.Rows}
	for _, column := range t.Columns {
		s.header = append(s.header, shorten(column.Name))
	}
	err := rows(t.ID, func(cells []string) bool {
		short := make([]string, len(cells))
		for i, cell := range cells {
			short[i] = shorten(cell)
		}
		s.first = append(s.first, short)
		return len(s.first) < previewRows
	})
	if err != nil {
		return err
	}
	return s.write(out, t.ID)
}

// sample is the beginning of a table as text.
type sample struct {
	header []string
	first  [][]string // at most previewRows rows
	rows   int        // number of rows of the whole table
}

func shorten(cell string) string {
	return textfmt.Fit(textfmt.OneLine(cell), previewCell)
}

func (s sample) write(out io.Writer, name string) error {
	widths := s.widths()
	shown := fittingColumns(widths)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: %s, %s\n", name, textfmt.Count(s.rows, "row"), textfmt.Count(len(s.header), "column"))
	writeLine(&b, s.header[:shown], widths)
	rule := make([]string, shown)
	for i := range rule {
		rule[i] = strings.Repeat("-", widths[i])
	}
	writeLine(&b, rule, widths)
	for _, cells := range s.first {
		writeLine(&b, cells[:shown], widths)
	}
	if more := s.rows - len(s.first); more > 0 {
		fmt.Fprintf(&b, "%s… %s\n", previewGap, textfmt.Count(more, "more row"))
	}
	if shown < len(s.header) {
		fmt.Fprintf(&b, "%s… %s: %s\n", previewGap, textfmt.Count(len(s.header)-shown, "more column"), strings.Join(s.header[shown:], ", "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (s sample) widths() []int {
	widths := make([]int, len(s.header))
	for i, name := range s.header {
		widths[i] = utf8.RuneCountInString(name)
		for _, cells := range s.first {
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
	}
	return widths
}

// fittingColumns returns the number of columns that fit in a line, at least 1.
func fittingColumns(widths []int) int {
	total := 0
	for i, width := range widths {
		total += len(previewGap) + width
		if total > previewWidth && i > 0 {
			return i
		}
	}
	return len(widths)
}

func writeLine(b *strings.Builder, cells []string, widths []int) {
	var line strings.Builder
	for i, cell := range cells {
		line.WriteString(previewGap + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
