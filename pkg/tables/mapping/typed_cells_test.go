package mapping

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// randomScalars puts random scalars in the place of all numbers, and names with
// a letter in the place of those that have none. Most columns get scalars of one
// sort.
func randomScalars(r *rand.Rand, v value.Value, sort int) value.Value {
	switch v.Kind() {
	case value.Array:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = randomScalars(r, item, sort)
		}
		return value.OfItems(items...)
	case value.Object:
		members := make([]value.Member, v.Len())
		for i, m := range v.Members() {
			name := strings.NewReplacer("ě", "e", "[]", "x").Replace(m.Name)
			members[i] = value.Member{Name: name, Value: randomScalars(r, m.Value, sort+len(name))}
		}
		return value.OfMembers(members...)
	case value.Number:
		return randomScalar(r, sort)
	default:
		return v
	}
}

func randomScalar(r *rand.Rand, sort int) value.Value {
	if r.IntN(40) == 0 {
		sort = r.IntN(5)
	}
	switch sort % 5 {
	case 0:
		return value.OfInt(r.Int64() - r.Int64())
	case 1:
		return value.OfNumber([]string{"1", "1.50", "-0.0", "1e3", "12345678901234567890", "1E-7"}[r.IntN(6)])
	case 2:
		return value.OfBool(r.IntN(2) == 0)
	case 3:
		return value.OfNumber([]string{"1e28", "1e29", "1e400"}[r.IntN(3)])
	default:
		return value.OfString([]string{"", "x", "1", `"`, "ě\n"}[r.IntN(5)])
	}
}

// TestTypedCells writes random rows with and without types: the tables must be
// the same, and what the manifests say must be true of the cells.
func TestTypedCells(t *testing.T) {
	slowtest.Skip(t, "it runs generated rows")
	const mappings = `{"m":{"a":{"mapping":{"destination":"a","primaryKey":true}},"b":{"type":"column","forceType":true,"mapping":{"destination":"b"}},
		"u":{"type":"user","mapping":{"destination":"u"}},"l":{"type":"table","destination":"c","tableMapping":{".":{"forceType":true,"mapping":{"destination":"x"}},
		"y":"y"}}},"n":{"a":{"forceType":true,"mapping":{"destination":"a"}},"l":{"type":"table","destination":"d","tableMapping":{"y":"y"}}}}`
	declared := map[string]int{}
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := randomSchema(r, 3)
		s.kind = "object"
		pages := []page{{dataType: "t", columns: `{"u":1.5}`}, {dataType: "m", columns: `{"u":` + randomScalar(r, r.IntN(5)).JSON() + `}`}, {dataType: "n"}}
		for range 1 + r.IntN(6) {
			pages[0].rows = append(pages[0].rows, randomScalars(r, s.object(r), int(seed)).JSON())
			for i := 1; i < len(pages); i++ {
				row := value.OfMembers(
					value.Member{Name: "a", Value: randomScalar(r, int(seed))},
					value.Member{Name: "b", Value: randomScalars(r, s.value(r), int(seed))},
					value.Member{Name: "l", Value: value.OfItems(value.OfMembers(value.Member{Name: "y", Value: randomScalar(r, int(seed)+i)}))},
				)
				pages[i].rows = append(pages[i].rows, row.JSON())
			}
		}
		plain, err := typedFiles(t, false, mappings, pages...)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := typedFiles(t, true, mappings, pages...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(typed) != len(plain) {
			t.Errorf("seed %d: %d files with types, %d without", seed, len(typed), len(plain))
		}
		for name, text := range plain {
			if strings.HasSuffix(name, ".manifest") {
				continue
			}
			if typed[name] != text {
				t.Errorf("seed %d, table %s:\n%s\nwithout types:\n%s", seed, name, typed[name], text)
			}
			checkCells(t, typed[name], readManifest(t, typed[name+".manifest"]), declared)
		}
	}
	for _, baseType := range []string{"STRING", "INTEGER", "NUMERIC", "BOOLEAN"} {
		if declared[baseType] < 50 {
			t.Errorf("only %d cells of type %s were tried", declared[baseType], baseType)
		}
	}
}

// checkCells checks that every cell is what its column says.
func checkCells(t *testing.T, text string, m typedManifest, declared map[string]int) {
	t.Helper()
	for _, record := range records(t, text)[1:] {
		for i, cell := range record {
			c := m.Schema[i]
			declared[c.DataType.Base.Type]++
			if c.DataType.Base.Type == "STRING" {
				continue
			}
			if cell == "" {
				if !*c.Nullable {
					t.Errorf("an empty cell in column %s", c)
				}
				continue
			}
			f, err := strconv.ParseFloat(cell, 64)
			switch c.DataType.Base.Type {
			case "INTEGER":
				_, err = strconv.ParseInt(cell, 10, 64)
			case "NUMERIC":
				if f >= 1e29 || f <= -1e29 {
					t.Errorf("cell %s in column %s", cell, c)
				}
			default:
				if cell != "1" {
					t.Errorf("cell %s in column %s", cell, c)
				}
			}
			if err != nil {
				t.Errorf("cell %s in column %s: %v", cell, c, err)
			}
		}
	}
}
