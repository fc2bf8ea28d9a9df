package mapping

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// schema is the shape that random rows of one data type have, so that they fit
// each other.
type schema struct {
	kind    string // scalar, object, list of scalars, list of objects
	members []schemaMember
}

type schemaMember struct {
	name string
	schema
}

func randomSchema(r *rand.Rand, depth int) schema {
	s := schema{kind: []string{"scalar", "scalars", "object", "objects"}[r.IntN(4)]}
	if depth == 0 {
		s.kind = []string{"scalar", "scalars"}[r.IntN(2)]
	}
	if s.kind == "object" || s.kind == "objects" {
		names := []string{"a", "b", "a b", "a.b", "b_", "JSON_parentId", "data", "u", "[]", "ě", "a_b_u0"}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:r.IntN(6)] {
			s.members = append(s.members, schemaMember{name, randomSchema(r, depth-1)})
		}
	}
	return s
}

// value is a random value of that shape: any may be null, a list may be a
// single value, members come in any order or not at all.
func (s schema) value(r *rand.Rand) value.Value {
	if r.IntN(6) == 0 {
		return value.Value{}
	}
	single := s
	switch s.kind {
	case "scalars":
		single.kind = "scalar"
	case "objects":
		single.kind = "object"
	case "scalar":
		return value.OfInt(r.Int64N(3))
	default:
		return s.object(r)
	}
	if r.IntN(3) == 0 {
		return single.value(r)
	}
	items := make([]value.Value, r.IntN(4))
	for i := range items {
		items[i] = single.value(r)
	}
	return value.OfItems(items...)
}

func (s schema) object(r *rand.Rand) value.Value {
	var members []value.Member
	for _, at := range r.Perm(len(s.members)) {
		if r.IntN(4) > 0 {
			members = append(members, value.Member{Name: s.members[at].name, Value: s.members[at].value(r)})
		}
	}
	return value.OfMembers(members...)
}

// write is the text of all tables and of the structure after the rows came in
// pages of the given sizes.
func write(t *testing.T, rows []value.Value, columns []Column, sizes func() int) (map[string]string, string) {
	t.Helper()
	c := newCollector(t, "")
	for len(rows) > 0 {
		size := min(sizes(), len(rows))
		for size < len(rows) && rows[size-1].IsNull() {
			size++ // a page with only one null row is dropped, so none may end alone
		}
		b := c.Batch("t", columns)
		for _, row := range rows[:size] {
			if err := b.Row(pack(row)); err != nil {
				t.Fatal(err)
			}
		}
		rows = rows[size:]
	}
	return c.tables(t), c.Structure().JSON()
}

func TestPagesMakeNoDifference(t *testing.T) {
	slowtest.Skip(t, "it runs generated tables in pages of all sizes")
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := randomSchema(r, 3)
		s.kind = "object"
		rows := make([]value.Value, 2+r.IntN(30))
		for i := range rows {
			rows[i] = s.object(r)
			if r.IntN(8) == 0 && i < len(rows)-1 {
				rows[i] = value.Value{}
			}
		}
		columns := []Column{{Name: "u", Value: value.OfString("U")}, {Name: "a.b", Value: value.OfInt(1)}}
		tables, structure := write(t, rows, columns, func() int { return len(rows) })
		for range 3 {
			again, known := write(t, rows, columns, func() int { return 1 + r.IntN(5) })
			if !maps.Equal(again, tables) || known != structure {
				t.Fatalf("seed %d, rows %v: one page\n%v\n%s\nseveral\n%v\n%s", seed, rows, tables, structure, again, known)
			}
		}
		checkLinks(t, seed, rows, tables)
	}
}

// checkLinks checks what holds for all tables: as many rows in t as came, all
// records as long as the header, columns with different names.
func checkLinks(t *testing.T, seed uint64, rows []value.Value, tables map[string]string) {
	t.Helper()
	for name, text := range tables {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		header := strings.Split(lines[0], ",")
		sorted := slices.Sorted(slices.Values(header))
		if len(slices.Compact(sorted)) != len(header) {
			t.Errorf("seed %d, table %s: header %s", seed, name, lines[0])
		}
		for _, line := range lines {
			if strings.Count(line, ",") != len(header)-1 {
				t.Errorf("seed %d, table %s: header %s, record %s", seed, name, lines[0], line)
			}
		}
		// Arrays under a property named [] share the table of the rows.
		if name == "t" && len(lines)-1 < len(rows) {
			t.Errorf("seed %d: %d records of %d rows", seed, len(lines)-1, len(rows))
		}
	}
}

func TestStructureOfOneRunFitsTheNext(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := randomSchema(r, 3)
		s.kind = "object"
		var pages []page
		for range 4 {
			pages = append(pages, rowsOf(s.object(r).JSON(), s.object(r).JSON()))
		}
		all := collect(t, "", pages...)
		first := collect(t, "", pages[:2]...).Structure().JSON()
		second := collect(t, first, pages[2:]...)
		tables := second.tables(t)
		again := collect(t, second.Structure().JSON(), pages[2:]...)
		if got := again.tables(t); !maps.Equal(got, tables) {
			t.Errorf("seed %d: tables change when nothing is new: %v, %v", seed, tables, got)
		}
		want, got := slices.Sorted(maps.Keys(all.types["t"].root.element.index)), slices.Sorted(maps.Keys(again.types["t"].root.element.index))
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: properties %v, want %v", seed, got, want)
		}
	}
}

func ExampleAutomaticMapper() {
	a, err := NewAutomatic(Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	row, err := value.Parse([]byte(`{"id":1,"tags":["x"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	page := a.Batch("users", []Column{{Name: "parent_id", Value: value.OfInt(7)}})
	if err := page.Row(pack(row)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Structure().Field("data").Field("_users").Field("nodeType").Raw())
	// Output: array
}
