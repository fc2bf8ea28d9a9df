package engine

import (
	"os"
	"regexp"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// TestResponseFiltersOfTheReference: each filter in docs/reference/paths-and-conditions.md
// turns the item into the one in its row.
func TestResponseFiltersOfTheReference(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/paths-and-conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	item := regexp.MustCompile("Results for an item `(.*)`:").FindSubmatch(page)
	rows := regexp.MustCompile("(?m)^\\| `([\"\\[].*?)` \\| `(\\{.*)` \\|$").FindAllSubmatch(page, -1)
	if item == nil || len(rows) != 3 {
		t.Fatalf("item %q, %d filters", item, len(rows))
	}
	for _, row := range rows {
		job := config.Job{ResponseFilterDelimiter: "."}
		filter := testvalue.Parse(t, string(row[1]))
		for _, path := range filter.Items() {
			job.ResponseFilter = append(job.ResponseFilter, path.Raw())
		}
		if filter.IsScalar() {
			job.ResponseFilter = []string{filter.Raw()}
		}
		got, err := applied(t, compileResponseFilter(job, 3), string(item[1]))
		if want := testvalue.Parse(t, string(row[2])).JSON(); err != nil || got != want {
			t.Errorf("%s makes %s, %v, the page says %s", row[1], got, err, want)
		}
	}
}
