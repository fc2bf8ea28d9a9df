package diff

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteText writes the report as text. first and second are the names of the directories.
func (r Report) WriteText(w io.Writer, first, second string) error {
	t := &text{w: bufio.NewWriter(w)}
	for _, name := range r.OnlyFirst {
		t.line("only in %s: %s", first, word(name))
	}
	for _, name := range r.OnlySecond {
		t.line("only in %s: %s", second, word(name))
	}
	equal := 0
	for _, table := range r.Tables {
		if table.Equal {
			equal++
			continue
		}
		t.table(table)
	}
	t.line("%d of %d tables are equal", equal, len(r.Tables)+len(r.OnlyFirst)+len(r.OnlySecond))
	return t.w.Flush()
}

// text writes lines. Errors of a line appear in Flush.
type text struct{ w *bufio.Writer }

func (t *text) line(format string, args ...any) { fmt.Fprintf(t.w, format+"\n", args...) }

func (t *text) table(d tableDiff) {
	t.line("%s:", word(d.Name))
	if len(d.Removed) > 0 {
		t.line("  columns removed: %s", quoted(d.Removed))
	}
	if len(d.Added) > 0 {
		t.line("  columns added: %s", quoted(d.Added))
	}
	if d.Reordered {
		t.line("  columns in another order")
	}
	for _, s := range d.Manifest {
		t.line("  manifest, %s: %s -> %s", s.Name, cmp.Or(s.First, "none"), cmp.Or(s.Second, "none"))
	}
	t.rows(d.Rows, len(d.Added)+len(d.Removed) > 0)
}

// rows writes the differences of the rows. narrowed is true if only common columns were
// compared.
func (t *text) rows(r rowCounts, narrowed bool) {
	by := "compared as a whole"
	if len(r.Key) > 0 {
		by = "compared by " + quoted(r.Key)
	}
	if narrowed {
		by += " in the columns that both have"
	}
	t.line("  rows: %d -> %d, %s: %d the same, %d removed, %d added, %d changed", r.First, r.Second, by, r.Same, r.OnlyFirst, r.OnlySecond, r.Changed)
	if len(r.ChangedColumns) > 0 {
		var counts []string
		for _, column := range slices.Sorted(maps.Keys(r.ChangedColumns)) {
			counts = append(counts, fmt.Sprintf("%q in %d", column, r.ChangedColumns[column]))
		}
		t.line("  cells changed: %s", strings.Join(counts, ", "))
	}
	for _, row := range r.FirstSamples {
		t.line("  - %s", cells(row))
	}
	t.more("-", r.OnlyFirst, len(r.FirstSamples))
	for _, row := range r.SecondSamples {
		t.line("  + %s", cells(row))
	}
	t.more("+", r.OnlySecond, len(r.SecondSamples))
	for _, c := range r.ChangedSamples {
		t.line("  ~ %s: %s", cells(c.Key), changes(c.Cells))
	}
	t.more("~", r.Changed, len(r.ChangedSamples))
}

func (t *text) more(sign string, count int64, shown int) {
	if left := count - int64(shown); left > 0 {
		t.line("  %s %d more", sign, left)
	}
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(all, ", ")
}

// cells formats a row. It quotes values so that they cannot control a terminal.
func cells(row []cell) string {
	all := make([]string, len(row))
	for i, c := range row {
		all[i] = fmt.Sprintf("%s=%q", word(c.Column), c.Value)
	}
	return strings.Join(all, " ")
}

func changes(cells []cellChange) string {
	all := make([]string, len(cells))
	for i, c := range cells {
		all[i] = fmt.Sprintf("%s %q -> %q", word(c.Column), c.First, c.Second)
	}
	return strings.Join(all, ", ")
}

// word returns the name of a column or a table. It quotes names with unusual characters.
func word(name string) string {
	for _, r := range name {
		plain := r == '_' || r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !plain {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
