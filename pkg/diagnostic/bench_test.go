package diagnostic

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/load"
)

// job is a job with a child, as a program would write it.
func job(i int) string {
	return fmt.Sprintf(`{"endpoint": "accounts/%d/orders", "dataType": "orders_%d", "dataField": "data.items", "params": {"since": {"time": "previousStart"}, "key": {"attr": "#key"}, "expand": ["lines", "customer"]},
 "responseFilter": ["meta", "lines[].tax"], "children": [{"endpoint": "orders/{id}/lines", "placeholders": {"id": "id"}, "recursionFilter": "status==open|total>100", "userData": {"account": %d}}]}`, i, i, i)
}

// mapped is the mapping of that job.
func mapped(i int) string {
	return fmt.Sprintf(`"orders_%d": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "total": "total", "customer.name": "customer"}`, i)
}

// listed writes one entry after the other until they have so many bytes.
func listed(size int, entry func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(entry(i))
	}
	return b.String()
}

func document(config, iterations string) string {
	return `{"parameters": {"api": {"baseUrl": "https://api.example.com/v1", "pagination": {"method": "offset", "limit": 100}},
"config": {"#key": "s3cret", "outputBucket": "b", ` + config + `}, "iterations": [` + iterations + `]}}`
}

// large are configurations of about so many bytes, each of another form. Quadratic work
// takes minutes for one of them.
func large(size int) map[string]string {
	few := `"mappings": {` + mapped(0) + `}, "jobs": [` + job(0) + `]`
	unknown := `"jobs": [` + listed(size, func(i int) string { return strings.Replace(job(i), `"dataField"`, `"datafield"`, 1) }) + `]`
	repeated := `, "a": {` + listed(size/2, func(i int) string { return fmt.Sprintf(`"name%d": 1`, i) }) + `}, ` + listed(size/2, func(int) string { return `"b": [1]` })
	return map[string]string{
		"repeated names":     document(few+repeated, ""),
		"jobs with mappings": document(`"mappings": {`+listed(size/5, mapped)+`}, "jobs": [`+listed(size*4/5, job)+`]`, ""),
		"iterations with jobs": document(few, listed(size, func(i int) string {
			return fmt.Sprintf(`{"region": "r%d", "jobs": [%s], "mappings": {%s}}`, i, job(i), mapped(i))
		})),
		"iterations with attributes": document(few, listed(size, func(i int) string {
			return fmt.Sprintf(`{"region": "region-%d", "account": %d, "since": "2026-01-01", "note": "what this account is for, in a sentence or two"}`, i, i)
		})),
		"a finding in each job":     document(unknown, ""),
		"a finding in each, a line": strings.ReplaceAll(document(unknown, ""), "\n", ""),
	}
}

// BenchmarkCheck checks configurations of 5 MB, which should take about a second.
func BenchmarkCheck(b *testing.B) {
	for name, text := range large(1 << 20) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r := Check(context.Background(), "config.json", []byte(text), load.Options{})
				if err := WriteText(io.Discard, []*Report{r}, false); r.Failed() || err != nil {
					b.Fatal(r.Findings, err)
				}
			}
		})
	}
}
