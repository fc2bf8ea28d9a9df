package mapping

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// page is the rows of one batch as JSON texts, with the user and parent columns
// as a JSON object.
type page struct {
	dataType string
	columns  string
	rows     []string
}

// rowsOf is a page of data type t without extra columns.
func rowsOf(rows ...string) page { return page{dataType: "t", rows: rows} }

// pack is a value as a row.
func pack(v value.Value) value.Packed { return v.AppendPacked(nil) }

// collector is an AutomaticMapper with its warnings.
type collector struct {
	*AutomaticMapper
	warnings []string
}

func newCollector(t testing.TB, structure string) *collector {
	t.Helper()
	c := &collector{}
	o := Options{TempDir: t.TempDir(), Warn: func(table, text string) {
		c.warnings = append(c.warnings, table+": "+text)
	}}
	if structure != "" {
		o.Structure = testvalue.Parse(t, structure)
	}
	a, err := NewAutomatic(o)
	if err != nil {
		t.Fatal(err)
	}
	c.AutomaticMapper = a
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *collector) add(t testing.TB, pages ...page) error {
	t.Helper()
	for _, p := range pages {
		var columns []Column
		if p.columns != "" {
			for _, m := range testvalue.Parse(t, p.columns).Members() {
				columns = append(columns, Column(m))
			}
		}
		b := c.Batch(p.dataType, columns)
		for _, row := range p.rows {
			if err := b.Row(pack(testvalue.Parse(t, row))); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect adds pages that fit each other.
func collect(t testing.TB, structure string, pages ...page) *collector {
	t.Helper()
	c := newCollector(t, structure)
	if err := c.add(t, pages...); err != nil {
		t.Fatal(err)
	}
	return c
}

// writeInto writes the tables into a directory.
func writeInto(dir string, a *AutomaticMapper, d Defaults) ([]csvtable.Finished, error) {
	set := csvtable.NewSet(dir, "")
	if err := a.Write(context.Background(), set, d); err != nil {
		set.Abort()
		return nil, err
	}
	return set.Close()
}

// tables is the text of every CSV file by its name.
func (c *collector) tables(t testing.TB) map[string]string {
	t.Helper()
	dir := t.TempDir()
	results, err := writeInto(dir, c.AutomaticMapper, Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, r := range results {
		text, err := os.ReadFile(filepath.Join(dir, r.Table.FileName()))
		if err != nil {
			t.Fatal(err)
		}
		texts[r.Table.Name] = string(text)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2*len(results) {
		t.Errorf("%d tables, but files %v, %v", len(results), files, err)
	}
	return texts
}

// csv is a CSV text: one record for each line, cells parted by bars.
func csv(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		for i, cell := range strings.Split(line, "|") {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func checkTables(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("table %q:\n%s\nwant:\n%s", name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("table %q should not exist:\n%s", name, got[name])
		}
	}
}

func TestRowsThatCount(t *testing.T) {
	for text, want := range map[string]bool{``: false, `null`: false, `{}`: true, `{"id":1}`: true} {
		c := newCollector(t, structureOf(twoColumns))
		if text != "" {
			c = collect(t, structureOf(twoColumns), rowsOf(text))
		}
		if got := len(c.order) > 0; got != want {
			t.Errorf("%s: got %t", text, !want)
		}
	}
}

// endsAt is a context that has ended when it is checked for the n-th time.
type endsAt struct {
	context.Context
	n *int
}

func (e endsAt) Err() error {
	if *e.n--; *e.n == 0 {
		return context.Canceled
	}
	return nil
}

// TestConversionEndsAnywhere: an error in a row of a row of a row is an error of
// the whole.
func TestConversionEndsAnywhere(t *testing.T) {
	const rows = 6
	for n := range rows + 1 {
		c := collect(t, "", rowsOf(`{"o":{"list":[{"p":{"list":[1]}},{}]},"last":[2]}`, `{"o":{}}`))
		asked := n + 1
		set := csvtable.NewSet(t.TempDir(), "")
		err := c.Write(endsAt{t.Context(), &asked}, set, Defaults{})
		set.Abort()
		if n < rows && !errors.Is(err, context.Canceled) || n == rows && err != nil {
			t.Errorf("ended at row %d: %v", n, err)
		}
	}
}

// TestNoWarningNeeded: Options.Warn may be nil.
func TestNoWarningNeeded(t *testing.T) {
	a, err := NewAutomatic(Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c := &collector{AutomaticMapper: a}
	if err := c.add(t, rowsOf(`{"list":[[1,2]]}`)); err != nil {
		t.Fatal(err)
	}
	if got := c.tables(t)["t_list"]; !strings.Contains(got, `"[1,2]"`) {
		t.Errorf("tables %v", got)
	}
}
