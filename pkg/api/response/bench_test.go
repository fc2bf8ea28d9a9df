package response

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkScan scans a response of 5,000 items and reads them: kept in memory,
// and from a file.
func BenchmarkScan(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"rows":[`)
	for i := range 5000 {
		fmt.Fprintf(&text, `{"id":%d,"name":"John Doe","email":"john.doe.%d@example.com","active":true,"created":"2020-01-01T00:00:00Z","score":12.5,"note":null,"tags":["a","b"],"tag":"a \"b\" c"},`, i, i)
	}
	text.WriteString(`null]}`)
	for _, home := range []struct {
		name  string
		limit int
	}{{"memory", MemoryLimit}, {"file", 8}} {
		b.Run(home.name, func(b *testing.B) {
			spool := spoolOf(b, text.String(), home.limit)
			sc := newScanner()
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				page, err := sc.Scan(spool, Query{})
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range page.Items() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkScanAround scans responses of which little is data: a small one with
// what APIs put around a list, and one with large objects beside it.
func BenchmarkScanAround(b *testing.B) {
	var beside strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&beside, `"k%d":{"name":"John Doe","deep":{"a":1,"b":[1,2,3]},"active":true},`, i)
	}
	for _, response := range []struct{ name, text string }{
		{"small", `{"data":[{"id":1,"name":"John Doe"}],"links":{"first":"/a?page=1","next":null},"meta":{"page":1,"total":1}}`},
		{"large", `{` + beside.String() + `"data":[{"id":1}]}`},
	} {
		b.Run(response.name, func(b *testing.B) {
			spool := spoolOf(b, response.text, MemoryLimit)
			sc := newScanner()
			query := Query{Data: Path{Text: "data", Separator: "."}, Fields: []Path{{Text: "links.next", Separator: "."}}}
			b.SetBytes(int64(len(response.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sc.Scan(spool, query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkScanKeyed scans an object whose 5,000 members are the items.
func BenchmarkScanKeyed(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"rows":{`)
	for i := range 5000 {
		fmt.Fprintf(&text, `"key%d":{"name":"John Doe","email":"john.doe.%d@example.com","active":true,"created":"2020-01-01T00:00:00Z","score":12.5,"note":null,"tags":["a","b"]},`, i, i)
	}
	text.WriteString(`"last":null}}`)
	spool := spoolOf(b, text.String(), MemoryLimit)
	sc := newScanner()
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		page, err := sc.Scan(spool, Query{Data: dot("rows"), KeyAs: "id"})
		if err != nil || page.Rows != 5001 {
			b.Fatal(err)
		}
		for _, err := range page.Items() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkScanCSV scans 5,000 records of ten fields in a file.
func BenchmarkScanCSV(b *testing.B) {
	var text strings.Builder
	text.WriteString("id,name,email,active,score,city,created,note,visits,comment\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "%d,Name %d,user%d@example.com,%v,%d.5,Prague,2024-05-01T10:00:00Z,,%d,\"A longer text, \"\"quoted\"\", of item %d\"\n", i, i, i, i%2 == 0, i%100, 7*i, i)
	}
	spool := spoolOf(b, text.String(), 8)
	sc := newScanner()
	query := Query{Format: formatOf(b, `{"format": "csv"}`)}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		page, err := sc.Scan(spool, query)
		if err != nil || page.Rows != 5000 {
			b.Fatal(err)
		}
	}
}
