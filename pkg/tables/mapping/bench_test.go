package mapping

import (
	"fmt"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// flatRows are rows of ten scalars.
func flatRows(b *testing.B) []value.Packed {
	rows := make([]value.Packed, 500)
	for i := range rows {
		rows[i] = pack(testvalue.Parse(b, fmt.Sprintf(`{"id":%d,"name":"John Doe","email":"john.doe.%d@example.com","active":true,`+
			`"created":"2020-01-01T00:00:00Z","score":12.50,"note":null,"city":"London","visits":%d,"tag":"a \"b\" c"}`, i, i, i*7)))
	}
	return rows
}

// nestedRows are rows with an object and arrays of scalars and of objects, one
// of them inside the other.
func nestedRows(b *testing.B) []value.Packed {
	rows := make([]value.Packed, 500)
	for i := range rows {
		rows[i] = pack(testvalue.Parse(b, fmt.Sprintf(`{"id":%d,"address":{"city":"London","geo":{"lat":51.5,"lng":-0.12},"lines":["a","b"]},`+
			`"tags":["x","y","z"],"orders":[{"no":1,"items":[{"sku":"A-1","qty":2},{"sku":"B-2","qty":1}]},{"no":2,"items":[]}]}`, i)))
	}
	return rows
}

// taggedRows are rows with an object and a list of two objects, as those of workload
// D in tests/bench.
func taggedRows(b *testing.B) []value.Packed {
	rows := make([]value.Packed, 500)
	for i := range rows {
		rows[i] = pack(testvalue.Parse(b, fmt.Sprintf(`{"id":%d,"name":"Name %d","address":{"street":"Long Street %d","city":"Prague","zip":"%d"},`+
			`"tags":[{"label":"first %d","weight":1},{"label":"second %d","weight":2}],"visits":%d,"active":true}`, i, i, i, 10000+i, i%10, i%20, i*7)))
	}
	return rows
}

func benchmark(b *testing.B, rows []value.Packed) {
	size := 0
	for _, row := range rows {
		size += len(row.Value().JSON())
	}
	columns := []Column{{Name: "parent_id", Value: value.OfInt(1)}}
	b.Run("collect", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		a, err := NewAutomatic(Options{TempDir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			collectAll(b, a, columns, rows)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("write", func(b *testing.B) {
		a, err := NewAutomatic(Options{TempDir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		dir := b.TempDir()
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for range b.N {
			collectAll(b, a, columns, rows)
		}
		b.ResetTimer()
		if _, err := writeInto(dir, a, Defaults{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

func collectAll(b *testing.B, a *AutomaticMapper, columns []Column, rows []value.Packed) {
	batch := a.Batch("users", columns)
	for _, row := range rows {
		if err := batch.Row(row); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFlat is 500 rows of ten scalars each time.
func BenchmarkFlat(b *testing.B) { benchmark(b, flatRows(b)) }

// BenchmarkNested is 500 rows each time, which make five tables.
func BenchmarkNested(b *testing.B) { benchmark(b, nestedRows(b)) }

// BenchmarkTagged is 500 rows each time, which make two tables.
func BenchmarkTagged(b *testing.B) { benchmark(b, taggedRows(b)) }

// BenchmarkID is the ids of 500 rows.
func BenchmarkID(b *testing.B) {
	rows := taggedRows(b)
	h, n := newHasher(), newDataType("items")
	b.ReportAllocs()
	for b.Loop() {
		for _, row := range rows {
			h.id(n, row, nil, nil)
		}
	}
}

// BenchmarkConfigured is 500 rows each time: ten columns, or an object and lists
// that make five tables.
func BenchmarkConfigured(b *testing.B) {
	const (
		flat   = `{"users":{"id":{"mapping":{"destination":"id","primaryKey":true}},"name":"name","email":"email","active":"active","created":"created","score":"score","note":"note","city":"city","visits":"visits","tag":"tag"}}`
		nested = `{"users":{"id":"id","address.city":"city","address.geo.lat":"lat","address.lines":{"type":"table","destination":"lines","tableMapping":{".":"line"}},
			"tags":{"type":"table","destination":"tags","tableMapping":{".":"tag"}},"orders":{"type":"table","destination":"orders","tableMapping":{"no":"no",
			"items":{"type":"table","destination":"items","tableMapping":{"sku":"sku","qty":"qty"}}}},"parent_id":{"type":"user","mapping":{"destination":"parent"}}}}`
	)
	const typed = `{"users":{"id":{"mapping":{"destination":"id","primaryKey":true,"type":"INTEGER"}},"name":{"mapping":{"destination":"name","type":"STRING","length":200}},"email":{"mapping":{"destination":"email","type":"STRING"}},
		"active":"active","created":{"mapping":{"destination":"created","type":"TIMESTAMP","onMismatch":"warn"}},"score":{"mapping":{"destination":"score","type":"NUMERIC","length":"12,4"}},"note":"note","city":{"mapping":{"destination":"city","type":"STRING"}},"visits":{"mapping":{"destination":"visits","type":"INTEGER"}},"tag":"tag"}}`
	for _, row := range []struct {
		name, mappings string
		rows           []value.Packed
	}{{"flat", flat, flatRows(b)}, {"typed", typed, flatRows(b)}, {"nested", nested, nestedRows(b)}} {
		b.Run(row.name, func(b *testing.B) {
			size := 0
			for _, v := range row.rows {
				size += len(v.Value().JSON())
			}
			columns := []Column{{Name: "parent_id", Value: value.OfInt(1)}}
			set := csvtable.NewSet(b.TempDir(), b.TempDir())
			c := NewConfigured(mappingsOf(b, row.mappings), set)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				batch := c.Batch("users", columns)
				for _, v := range row.rows {
					if err := batch.Row(v); err != nil {
						b.Fatal(err)
					}
				}
			}
			set.Abort()
		})
	}
}
