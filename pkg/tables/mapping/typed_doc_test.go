package mapping

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// TestTypedTablesAsDocumented checks the example and the two tables of
// docs/how-to/typed-tables.md.
func TestTypedTablesAsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/how-to/typed-tables.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	t.Run("example", func(t *testing.T) {
		p := page{dataType: "t"}
		for _, row := range testvalue.Parse(t, block(t, doc, "json rows")).Items() {
			p.rows = append(p.rows, row.JSON())
		}
		files, err := typedFiles(t, true, "", p)
		if err != nil {
			t.Fatal(err)
		}
		if want := block(t, doc, "csv table"); files["t"] != want {
			t.Errorf("table:\n%s\ndocumented:\n%s", files["t"], want)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(block(t, doc, "json manifest"))); err != nil || files["t.manifest"] != want.String() {
			t.Errorf("manifest:\n%s\ndocumented:\n%s %v", files["t.manifest"], want.String(), err)
		}
	})
	types := documentedRows(t, doc, "| values of a column | type | nullable |")
	for _, cells := range types {
		t.Run(cells[0], func(t *testing.T) {
			p := page{dataType: "t"}
			for _, code := range quoted(cells[0]) {
				p.rows = append(p.rows, `{"v":`+code+`}`)
			}
			if strings.Contains(cells[0], "absent") {
				p.rows = append(p.rows, `{}`)
			}
			files, err := typedFiles(t, true, "", p)
			if err != nil {
				t.Fatal(err)
			}
			want := "v " + cells[1] + map[string]string{"false": "", "true": "?"}[cells[2]]
			if got := readManifest(t, files["t.manifest"]).Schema[0].String(); got != want {
				t.Errorf("got %s, documented %s", got, want)
			}
		})
	}
	names := documentedRows(t, doc, "| name | stored as |")
	for _, cells := range names {
		if got, err := csvtable.StoredName(quoted(cells[0])[0]); err != nil || got != quoted(cells[1])[0] {
			t.Errorf("%s: got %q, %v, documented %s", cells[0], got, err, cells[1])
		}
	}
	if len(types) < 15 || len(names) < 4 {
		t.Errorf("only %d types and %d names were found", len(types), len(names))
	}
}

// block is the code block with that info string.
func block(t *testing.T, doc, info string) string {
	t.Helper()
	_, rest, found := strings.Cut(doc, "```"+info+"\n")
	text, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("there is no block %q", info)
	}
	return text
}

// documentedRows are the cells of the table with that heading.
func documentedRows(t *testing.T, doc, heading string) [][]string {
	t.Helper()
	_, rest, found := strings.Cut(doc, heading+"\n")
	if !found {
		t.Fatalf("there is no table %s", heading)
	}
	var all [][]string
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if !strings.HasPrefix(line, "|--") {
			all = append(all, strings.Split(strings.Trim(line, "| \n"), " | "))
		}
	}
	return all
}

// quoted are the texts between backticks.
func quoted(cell string) []string {
	var all []string
	for _, match := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(cell, -1) {
		all = append(all, match[1])
	}
	return all
}
