package mapping

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jsonLines is an Output of typed JSON lines in memory. The rows of a table whose
// kinds are known when it begins are written at once, others wait for its end.
type jsonLines struct {
	tables map[string]*jsonTable
	// kinds lists the tables that began with them, which must be those of the cells.
	kinds []*jsonTable
}

type jsonTable struct {
	out   *jsonLines
	table csvtable.Table
	lines []string
	cells [][]string // of rows that wait
	seen  []csvtable.Kinds
}

func (o *jsonLines) Has(t csvtable.Table) bool { return o.tables[t.FileName()] != nil }

func (o *jsonLines) Create(t csvtable.Table) (Writer, error) {
	if w := o.tables[t.FileName()]; w != nil {
		return nil, errors.New("tables of one name are not supported")
	}
	w := &jsonTable{out: o, table: t, seen: make([]csvtable.Kinds, len(t.Columns))}
	o.tables[t.FileName()] = w
	if t.Kinds != nil {
		o.kinds = append(o.kinds, w)
	}
	return w, nil
}

func (o *jsonLines) CreateTemp(t csvtable.Table) (Writer, error) {
	return &jsonTable{out: o, table: t, seen: make([]csvtable.Kinds, len(t.Columns))}, nil
}

func (w *jsonTable) Row(cells [][]byte, kinds []csvtable.Kind) error {
	row := make([]string, len(cells))
	for i, cell := range cells {
		w.seen[i].Add(kinds[i])
		row[i] = string(cell)
	}
	if w.table.Kinds == nil {
		w.cells = append(w.cells, row)
		return nil
	}
	return w.write(row, w.table.Kinds)
}

// write writes one line with cells of the types that the kinds make.
func (w *jsonTable) write(row []string, kinds []csvtable.Kinds) error {
	members := make([]value.Member, len(row))
	for i, cell := range row {
		members[i] = value.Member{Name: w.table.Columns[i], Value: value.OfString(cell)}
		base, _ := kinds[i].Type(false)
		switch {
		case cell == "" && base != "STRING":
			members[i].Value = value.Value{}
		case base == "BOOLEAN" && cell == "1":
			members[i].Value = value.OfBool(true)
		case base == "INTEGER" || base == "NUMERIC":
			number, err := value.Parse([]byte(cell))
			if err != nil || number.Kind() != value.Number {
				return fmt.Errorf("column %q of type %s gets the cell %q", w.table.Columns[i], base, cell)
			}
			members[i].Value = number
		case base != "STRING":
			return fmt.Errorf("column %q of type %s gets the cell %q", w.table.Columns[i], base, cell)
		}
	}
	w.lines = append(w.lines, value.OfMembers(members...).JSON())
	return nil
}

func (w *jsonTable) Publish(_ context.Context, t csvtable.Table) error {
	for _, row := range w.cells {
		if err := w.write(row, w.seen); err != nil {
			return err
		}
	}
	w.table = t
	w.out.tables[t.FileName()] = w
	return nil
}

// jsonOf writes pages as JSON lines. An error is one of rows that do not fit.
func jsonOf(t *testing.T, mappings string, pages ...page) (*jsonLines, error) {
	t.Helper()
	out := &jsonLines{tables: map[string]*jsonTable{}}
	m := Mappings{}
	if mappings != "" {
		m = mappingsOf(t, mappings)
		m.typed = true
	}
	c := &mapper{ConfiguredMapper: NewConfigured(m, out), automatic: newCollector(t, "")}
	c.automatic.typed = true
	if err := c.add(t, pages...); err != nil {
		return nil, err
	}
	err := c.Write(t.Context(), Defaults{})
	if err == nil {
		err = c.automatic.Write(t.Context(), out, Defaults{})
	}
	if err == nil {
		err = m.WriteMissing(out, Defaults{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, nil
}

// TestAnotherFormat: another Output than that of CSV files gets every row with
// typed columns.
func TestAnotherFormat(t *testing.T) {
	out, err := jsonOf(t, `{"m":{"id":{"mapping":{"destination":"id","primaryKey":true}},"ok":"ok","l":{"type":"table","destination":"c","tableMapping":{".":"x"}}},"none":{"a":"a"}}`,
		page{dataType: "u", columns: `{"user":true}`, rows: []string{`{"id":1,"n":1.5,"ok":true,"tags":["a",null]}`, `{"id":2,"o":{"x":"y"},"ok":false}`}},
		page{dataType: "m", rows: []string{`{"id":7,"ok":true,"l":[1,0.5]}`, `{"id":8,"ok":"yes"}`}},
	)
	if err != nil {
		t.Fatal(err)
	}
	id := "u_" + md5hex(`O:8:"stdClass":5:{s:2:"id";i:1;s:1:"n";d:1.5;s:2:"ok";b:1;s:4:"tags";a:2:{i:0;s:1:"a";i:1;N;}s:4:"user";b:1;}`)
	want := map[string][]string{
		"u":      {`{"id":1,"n":1.5,"ok":true,"tags":"` + id + `","o_x":"","user":true}`, `{"id":2,"n":null,"ok":null,"tags":"","o_x":"y","user":true}`},
		"u_tags": {`{"data":"a","JSON_parentId":"` + id + `"}`, `{"data":"","JSON_parentId":"` + id + `"}`},
		"m":      {`{"id":7,"ok":"1"}`, `{"id":8,"ok":"yes"}`},
		"c":      {`{"x":1,"m_pk":7}`, `{"x":0.5,"m_pk":7}`, `{"x":null,"m_pk":8}`},
		"none":   nil,
	}
	if got := slices.Sorted(maps.Keys(out.tables)); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("tables %q", got)
	}
	for name, lines := range want {
		if got := out.tables[name].lines; !slices.Equal(got, lines) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
}

// TestKindsAreKnownBefore: an automatic table begins with the kinds that its cells
// turn out to have.
func TestKindsAreKnownBefore(t *testing.T) {
	slowtest.SkipRace(t, "it tries values by the thousand")
	check := func(name string, pages []page) {
		out, err := jsonOf(t, "", pages...)
		if err != nil {
			return
		}
		for _, w := range out.kinds {
			for i, column := range w.table.Columns {
				known, seen := w.table.Kinds[i], w.seen[i]&^csvtable.KindsOf(csvtable.Absent)
				if known != seen && !(known.Has(csvtable.Text) && seen.Has(csvtable.Text)) {
					t.Errorf("%s: column %q of table %q began with the kinds %b and has %b", name, column, w.table.Name, known, seen)
				}
			}
		}
	}
	for _, row := range tableRows {
		if !strings.Contains(row.name, "named like") && !strings.Contains(row.name, "shares the table of its parent") { // no column of these names is stored
			check(row.name, row.pages)
		}
	}
	values := []string{`null`, `null`, `1`, `0.5`, `true`, `"x"`, `{}`, `{"k":1}`, `{"k":{"x":2}}`, `{"k":[3]}`, `[]`, `[4]`, `["y",null]`, `[[5]]`, `[{}]`, `[{"k":false}]`, `[{"k":{"x":"z"}}]`}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var rows []string
		for range 1 + r.IntN(5) {
			rows = append(rows, `{"v":`+values[r.IntN(len(values))]+`,"w":{"v":`+values[r.IntN(len(values))]+`}}`)
		}
		check(strings.Join(rows, " "), []page{{dataType: "t", columns: `{"u":` + values[r.IntN(len(values))] + `}`, rows: rows}})
	}
}
