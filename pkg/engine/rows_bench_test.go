package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// BenchmarkRows looks into the 1,000 rows of a page: for the ids that paging wants,
// for the endpoints of child jobs, and to make texts of parts of them.
func BenchmarkRows(b *testing.B) {
	var text strings.Builder
	text.WriteString(`[`)
	for i := range 1000 {
		fmt.Fprintf(&text, `{"id":%d,"name":"John Doe","email":"john.doe.%d@example.com","active":true,"created":"2020-01-01T00:00:00Z","score":12.5,"note":null,"tags":["a","b"],"address":{"city":"London","zip":"EC1"},"tag":"a \"b\" c"},`, i, i)
	}
	spool := response.NewSpooler(b.TempDir(), response.MemoryLimit).New()
	defer spool.Close()
	if _, err := spool.Write([]byte(strings.TrimSuffix(text.String(), ",") + "]")); err != nil {
		b.Fatal(err)
	}
	page, err := response.NewScanner(nil).Scan(spool, response.Query{})
	if err != nil || page.Rows != 1000 {
		b.Fatal(page, err)
	}
	s, _ := section(b, `{"id":"id"}`)
	child := &job{Job: config.Job{Endpoint: "c/{id}", Reachable: true}, placeholders: compilePlaceholders(s, 1, expr.Vocabulary{}), filter: filterOf(b, "address.city==London")}
	id := response.Path{Text: "id", Separator: "."}
	r := &pipeline{dispatcher: &dispatcher{evaluator: &evaluator{}}, itemID: id, job: &job{children: []*job{child}}, invocation: &invocation{}}
	b.Run("ids", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if ids, err := r.ids(page); err != nil || ids.Last.Raw() != "999" {
				b.Fatal(ids, err)
			}
		}
	})
	b.Run("children", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			err := r.eachChild(page, func(*job, invocation) error { n++; return nil })
			if err != nil || n != 1000 {
				b.Fatal(n, err)
			}
		}
	})
	for _, row := range []struct{ name, filter string }{{"all rows", ""}, {"some rows", "active==true&id<500"}} {
		some := &pipeline{ledger: &ledger{}, itemID: id, job: &job{rowFilter: rowFilterOf(b, row.filter), Job: config.Job{NotStored: true}}}
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, kept, err := some.storeRows(b.Context(), &pageResult{page: page}); err != nil || kept < 500 {
					b.Fatal(kept, err)
				}
			}
		})
	}
	filter := compileResponseFilter(config.Job{ResponseFilter: []string{"tags", "address.city"}, ResponseFilterDelimiter: "."}, 3)
	b.Run("filter", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for row, err := range filter.apply(page.Items()) {
				if err != nil {
					b.Fatal(err)
				}
				n += len(row)
			}
			if n < 1000 {
				b.Fatal(n)
			}
		}
	})
}

func rowFilterOf(tb testing.TB, text string) condition.Condition {
	tb.Helper()
	var problems failure.Problems
	f := condition.CompileWords(field.NewSection(value.OfString(text), "/rowFilter", &problems))
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	return f
}
