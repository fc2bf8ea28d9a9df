package diagnostic

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// large is a configuration of about so many bytes: jobs with child jobs and
// mappings, as a program would write them.
func large(size int) []byte {
	var jobs, mappings strings.Builder
	for i := 0; jobs.Len()+mappings.Len() < size; i++ {
		if i > 0 {
			jobs.WriteString(",\n")
			mappings.WriteString(",\n")
		}
		fmt.Fprintf(&jobs, `{"endpoint": "accounts/%d/orders", "dataType": "orders_%d", "dataField": "data.items", "params": {"since": {"time": "previousStart"}, "key": {"attr": "#key"}, "expand": ["lines", "customer"]},
 "responseFilter": ["meta", "lines[].tax"], "children": [{"endpoint": "orders/{id}/lines", "placeholders": {"id": "id"}, "recursionFilter": "status==open|total>100", "userData": {"account": %d}}]}`, i, i, i)
		fmt.Fprintf(&mappings, `"orders_%d": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "total": "total", "customer.name": "customer"}`, i)
	}
	return []byte(`{"parameters": {"api": {"baseUrl": "https://api.example.com/v1", "pagination": {"method": "offset", "limit": 100}},
"config": {"#key": "s3cret", "outputBucket": "b", "mappings": {` + mappings.String() + `},
"jobs": [` + jobs.String() + `]}}}`)
}

// BenchmarkCheck is about a configuration of 5 MB, which should take about a
// second: people wait for it.
func BenchmarkCheck(b *testing.B) {
	text := large(5 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if r := Check(context.Background(), "config.json", text, Options{}); r.Failed() {
			b.Fatal(r.Findings)
		}
	}
}
