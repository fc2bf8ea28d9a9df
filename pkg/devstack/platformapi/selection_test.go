package platformapi_test

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// shopTable loads a table in two parts, an hour apart: the first three rows, then the
// last two.
func (w *world) shopTable() {
	w.t.Helper()
	l := store.Load{
		Table: "in.c-shop.t", PrimaryKey: []string{"id"}, Incremental: true, Columns: []store.Column{{Name: "id"}, {Name: "name"}, {Name: "n"}},
		Next: rowsOf([]string{"1", "Ada", "9"}, []string{"2", `B"o\b`, "10"}, []string{"3", "Éva", ""}),
	}
	w.load(l)
	w.clock.Add(3600)
	l.Next = rowsOf([]string{"2", `B"o\b`, "11"}, []string{"4", "=SUM(A1)", "-1.5"})
	w.load(l)
}

const shopPreview = "/v2/storage/tables/in.c-shop.t/data-preview"

func TestPreviewSelects(t *testing.T) {
	w := newWorld(t)
	w.shopTable()
	w.clock.Add(60)
	for name, tc := range map[string]struct{ query, want string }{
		"all":                 {"", "1 2 3 4"},
		"where":               {"whereColumn=name&whereValues[]=Ada&whereValues[]=Éva", "1 3"},
		"where one":           {"whereColumn=name&whereValues=Ada", "1"},
		"where not":           {"whereColumn=name&whereOperator=ne&whereValues[]=Ada", "2 3 4"},
		"where neq":           {"whereColumn=name&whereOperator=neq&whereValues[0]=Ada", "2 3 4"},
		"empty value":         {"whereFilters[0][column]=n&whereFilters[0][operator]=eq&whereFilters[0][values][]=9", "1"},
		"greater as text":     {"whereFilters[0][column]=n&whereFilters[0][operator]=gt&whereFilters[0][values][]=10", "1 2"},
		"greater as number":   {"whereFilters[0][column]=n&whereFilters[0][operator]=gt&whereFilters[0][values][]=10&whereFilters[0][dataType]=INTEGER", "2"},
		"at least":            {"whereFilters[0][column]=n&whereFilters[0][operator]=ge&whereFilters[0][values][]=9&whereFilters[0][dataType]=REAL", "1 2"},
		"less":                {"whereFilters[0][column]=n&whereFilters[0][operator]=lt&whereFilters[0][values][]=9&whereFilters[0][dataType]=DECIMAL", "4"},
		"at most":             {"whereFilters[0][column]=n&whereFilters[0][operator]=le&whereFilters[0][values][]=9.0&whereFilters[0][dataType]=DOUBLE", "1 4"},
		"not as number":       {"whereFilters[0][column]=n&whereFilters[0][operator]=ne&whereFilters[0][values][]=9.0&whereFilters[0][dataType]=BIGINT", "2 4"},
		"two conditions":      {"whereFilters[0][column]=n&whereFilters[0][operator]=gt&whereFilters[0][values][]=1&whereFilters[1][column]=id&whereFilters[1][operator]=ne&whereFilters[1][values][]=2", "1"},
		"changed since":       {"changedSince=-30 minutes", "2 4"},
		"changed until":       {"changedUntil=-30+minutes", "1 3"},
		"changed since a day": {"changedSince=2026-03-04&changedUntil=2026-03-04T05:30:00Z", "1 3"},
		"changed since epoch": {fmt.Sprint("changedSince=", w.clock.Load()-1800), "2 4"},
		"search":              {"fulltextSearch=éVA", "3"},
		"order":               {"orderBy[0][column]=n&orderBy[0][order]=DESC", "1 2 4 3"},
		"order of numbers":    {"orderBy[0][column]=n&orderBy[0][dataType]=INTEGER", "3 4 1 2"},
		"order, limit":        {"orderBy[0][column]=id&orderBy[0][order]=desc&limit=2", "4 3"},
		"two orders":          {"orderBy[0][column]=n&orderBy[1][column]=id&orderBy[1][order]=ASC", "3 4 2 1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call("GET", shopPreview+"?columns=id&"+strings.ReplaceAll(strings.ReplaceAll(tc.query, " ", "%20"), "é", "%C3%A9"), "", "")
			lines := strings.Split(strings.ReplaceAll(got.body, `"`, ""), "\n")
			if got.status != 200 || lines[0] != "id" || strings.Join(lines[1:], " ") != tc.want {
				t.Errorf("got %d %q, want %q", got.status, got.body, tc.want)
			}
		})
	}
}

// TestLargeNumbers: numbers beyond 64 bits compare as numbers, with each other and with
// those that are exact.
func TestLargeNumbers(t *testing.T) {
	w := newWorld(t)
	w.load(store.Load{Table: "in.c-shop.t", Columns: []store.Column{{Name: "id"}, {Name: "n"}}, Next: rowsOf(
		[]string{"1", "9223372036854775807"}, []string{"2", "9223372036854775808"}, []string{"3", "1e30"}, []string{"4", "1000000000000000000000000000000"},
		[]string{"5", "-9223372036854775809"}, []string{"6", "-1e30"}, []string{"7", "9223372036854775806"},
	)})
	for query, want := range map[string]string{
		"operator=ge&whereFilters[0][values][]=9223372036854775807":           "1 2 3 4",
		"operator=eq&whereFilters[0][values][]=1e30":                          "3 4",
		"operator=lt&whereFilters[0][values][]=-9223372036854775808":          "6",
		"operator=lt&whereFilters[0][values][]=9223372036854775807":           "5 6 7",
		"operator=ne&whereFilters[0][values][]=0&orderBy[0][column]=n":        "6 5 7 1 2 3 4",
		"operator=ne&whereFilters[0][values][]=-1.0e30&orderBy[0][column]=id": "1 2 3 4 5 7",
	} {
		query = "whereFilters[0][column]=n&whereFilters[0][dataType]=DECIMAL&orderBy[0][dataType]=DECIMAL&whereFilters[0]" + strings.Replace(query, "operator", "[operator]", 1)
		if !strings.Contains(query, "orderBy[0][column]") {
			query += "&orderBy[0][column]=id"
		}
		got := w.call("GET", shopPreview+"?columns=id&"+query, "", "")
		if ids := strings.Join(strings.Fields(strings.ReplaceAll(got.body, `"`, ""))[1:], " "); got.status != 200 || ids != want {
			t.Errorf("%s: got %d %q, want %s", query, got.status, got.body, want)
		}
	}
}

func TestPreviewFormats(t *testing.T) {
	w := newWorld(t)
	w.shopTable()
	const two = shopPreview + "?whereColumn=id&whereValues[]=2&columns=id,name"
	for format, want := range map[string]string{
		"":        "\"id\",\"name\"\n\"2\",\"B\"\"o\\b\"",
		"rfc":     "\"id\",\"name\"\n\"2\",\"B\"\"o\\b\"",
		"escaped": "\"id\",\"name\"\n\"2\",\"B\\\"o\\\\b\"",
		"raw":     "id\tname\n2\tB\"o\\b",
		"json":    `{"columns":["id","name"],"rows":[[{"columnName":"id","value":"2","isTruncated":false},{"columnName":"name","value":"B\"o\\b","isTruncated":false}]]}`,
		"csv":     storageError(`"format" must be one of "rfc", "escaped", "raw" or "json"`, "storage.tables.validation.invalidFormat"),
	} {
		if got := w.call("GET", two+"&format="+format, "", ""); got.body != want && strings.TrimSuffix(got.body, "\n") != want {
			t.Errorf("%s: got %s\nwant %s", format, got.body, want)
		}
	}
}

// TestOddSelections: what is not understood is refused by name.
func TestOddSelections(t *testing.T) {
	w := newWorld(t)
	w.shopTable()
	for body, want := range map[string]string{
		`{"whereFilters":1}`:                                                      `"whereFilters" must be a list, not a number`,
		`{"whereFilters":[1]}`:                                                    `whereFilters[0] must be an object, not a number`,
		`{"whereFilters":[{}]}`:                                                   `whereFilters[0]: Column "" does not exist`,
		`{"whereFilters":[{"column":"id"}]}`:                                      `whereFilters[0]: The condition on column "id" needs values`,
		`{"whereFilters":[{"column":"x","values":["a"]}]}`:                        `whereFilters[0]: Column "x" does not exist`,
		`{"whereFilters":[{"column":["id"],"values":["a"]}]}`:                     `whereFilters[0]: "column" must be a string, not an array`,
		`{"whereFilters":[{"column":"id","values":[null]}]}`:                      `whereFilters[0]: "values" must be a list of texts and numbers, found null`,
		`{"whereFilters":[{"column":"id","values":[["a"]]}]}`:                     `whereFilters[0]: "values" must be a list of texts and numbers, found an array`,
		`{"whereFilters":[{"column":"id","values":["a"],"operator":"like"}]}`:     `whereFilters[0]: The operator must be one of "eq", "ne", "gt", "ge", "lt" or "le", found "like"`,
		`{"whereFilters":[{"column":"id","values":["a","b"],"operator":"gt"}]}`:   `whereFilters[0]: The operator "gt" takes one value, found 2`,
		`{"whereFilters":[{"column":"id","values":["a"],"dataType":"INTEGER"}]}`:  `whereFilters[0]: The value "a" is not a number`,
		`{"whereFilters":[{"column":"id","values":["0x1p4"],"dataType":"REAL"}]}`: `whereFilters[0]: The value "0x1p4" is not a number`,
		`{"whereFilters":[{"column":"id","values":["1"],"dataType":"DATE"}]}`:     `whereFilters[0]: "dataType" must be one of "INTEGER", "DOUBLE", "BIGINT", "REAL" or "DECIMAL", found "DATE"`,
		`{"whereFilters":[{"column":"id","values":["1"],"x":1}]}`:                 `whereFilters[0] has the unknown member "x", expected "column", "operator", "values" or "dataType"`,
		`{"whereFilters":[{"column":"name","values":["1"],"dataType":"REAL"}]}`:   `Column "name" has a cell that is not a number, leave out the "dataType"`,
		`{"whereFilters":[` + strings.Repeat("{},", 100) + `{}]}`:                 `"whereFilters" has 101 items, at most 100 are possible`,
		`{"columns":"` + strings.Repeat("id,", 10_001) + `"}`:                     `"columns" has 10001 names, at most 10000 are possible`,
		`{"whereValues":["1"]}`:                                                   `"whereValues" needs a "whereColumn"`,
		`{"whereColumn":"id"}`:                                                    `The condition on column "id" needs values`,
		`{"orderBy":"id"}`:                                                        `"orderBy" must be a list, not a string`,
		`{"orderBy":[{"column":"id","order":1}]}`:                                 `orderBy[0]: "order" must be ASC or DESC, found "1"`,
		`{"orderBy":[{"column":"name","dataType":"REAL"}]}`:                       `Column "name" has a cell that is not a number, leave out the "dataType"`,
		`{"columns":["id","x"]}`:                                                  `Column "x" does not exist`,
		`{"columns":{"a":"id"}}`:                                                  `"columns" must be a list of texts and numbers, found an object`,
		`{"limit":-1}`:                                                            `"limit" must be a whole number from 0 to 2147483647`,
		`{"changedSince":"whenever"}`:                                             `"changedSince" must be a date, a time like 2006-01-02T15:04:05+00:00, or a text like "-2 days"`,
		`{"gzip":"maybe"}`:                                                        `"gzip" must be true or false`,
		`{"limt":1}`:                                                              `Unknown member "limt", expected "limit", "columns", "changedSince", "changedUntil", "whereColumn", "whereOperator", "whereValues", "whereFilters", "orderBy", "fulltextSearch", "format" or "gzip"`,
	} {
		if got := w.call("POST", "/v2/storage/tables/in.c-shop.t/export-async", asJSON, body); got.status != 400 || got.body != storageError(want, "validation") {
			t.Errorf("%s: got %d %s\nwant %s", body, got.status, got.body, storageError(want, "validation"))
		}
	}
	if got := w.call("GET", "/v2/storage/files", "", ""); got.body != "[]" {
		t.Errorf("a refused export left %s", got.body)
	}
}

// TestExportIsSorted: an export of more than fits into the memory of the sorter is in
// the right order, equal rows in that of the table.
func TestExportIsSorted(t *testing.T) {
	w := newWorld(t)
	const rows = 40_000
	padding := strings.Repeat("x", 500)
	i := 0
	w.load(store.Load{Table: "in.c-b.t", Columns: []store.Column{{Name: "key"}, {Name: "place"}, {Name: "padding"}}, Next: func() ([]string, error) {
		if i++; i > rows {
			return nil, io.EOF
		}
		return []string{fmt.Sprint(i * 7919 % 1000), fmt.Sprintf("%05d", i), padding}, nil
	}})
	job := w.must("POST", "/v2/storage/tables/in.c-b.t/export-async", `{"columns":"key,place","orderBy":[{"column":"key","order":"DESC","dataType":"INTEGER"}]}`, 202)
	lines := strings.Split(strings.ReplaceAll(w.download(job), `"`, ""), "\n")[1:]
	if len(lines) != rows {
		t.Fatalf("%d rows", len(lines))
	}
	sorted := slices.IsSortedFunc(lines, func(a, b string) int {
		var x, y, m, n int
		if _, err := fmt.Sscanf(a+" "+b, "%d,%d %d,%d", &x, &m, &y, &n); err != nil {
			t.Fatal(err)
		}
		if x != y {
			return y - x
		}
		return m - n
	})
	if !sorted {
		t.Error("the rows are not sorted")
	}
}

// download reads the file of an export.
func (w *world) download(job map[string]any) string {
	w.t.Helper()
	file := job["results"].(map[string]any)["file"].(map[string]any)["id"].(float64)
	record := w.must("GET", fmt.Sprintf("/v2/storage/branch/default/files/%.0f", file), "", 200)
	address, err := url.Parse(record["url"].(string))
	if err != nil {
		w.t.Fatal(err)
	}
	got := w.callWith("GET", address.RequestURI(), "", map[string][]string{})
	if got.status != 200 {
		w.t.Fatalf("%s: %d %s", address, got.status, got.body)
	}
	return got.body
}
