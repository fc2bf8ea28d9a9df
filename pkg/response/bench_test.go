package response

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkScan scans an answer of 5,000 items and reads them: kept in memory,
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
				for _, err := range page.Packed() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
