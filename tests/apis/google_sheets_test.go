package apis

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// googleSheets sends the cells of ranges. Facts:
// https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values/get,
// https://developers.google.com/workspace/sheets/api/limits.
type googleSheets struct {
	googleAccount
	ranges map[string][][]any // whole rows, with empty cells, below the header
	header map[string][]any
}

func newGoogleSheets(w *world) imitation {
	s := &googleSheets{newGoogleAccount(w, "spreadsheets.readonly"), map[string][][]any{"Customers!A1:C": nil}, map[string][]any{
		"Orders!A1:E": {"Number", "Ordered on", "Customer", "Amount", "Note"}, "Customers!A1:C": {"Name", "Country", "E-mail"},
	}}
	for i := range 300 {
		s.order(i, 10.5+float64(i), "a, \"b\"\nc")
	}
	s.order(300, 0, "")
	orders := s.ranges["Orders!A1:E"]
	orders[3][3], orders[3][4] = "", "" // the end of a row is empty
	orders[4][1] = ""                   // a cell in the middle is empty
	orders[5] = []any{"", "", "", "", ""}
	return s
}

func (s *googleSheets) order(i int, amount float64, note string) {
	s.ranges["Orders!A1:E"] = append(s.ranges["Orders!A1:E"], []any{"2026-" + strconv.Itoa(i), "01.03.2026", "Customer " + strconv.Itoa(i%7), amount, note})
}

func (s *googleSheets) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.admit(rw, r) {
		return
	}
	name, isRange := strings.CutPrefix(r.URL.Path, "/v4/spreadsheets/your-spreadsheet-id/values/")
	rows, known := s.ranges[name]
	if r.Method != http.MethodGet || r.Host != "sheets.googleapis.com" || !isRange || !known ||
		r.URL.Query().Encode() != "dateTimeRenderOption=FORMATTED_STRING&valueRenderOption=UNFORMATTED_VALUE" {
		s.refuse(rw, r, http.StatusBadRequest, "Unable to parse range")
		return
	}
	s.requests[name]++
	if s.requests[name] < 3 {
		googleError(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Read requests'")
		return
	}
	body := map[string]any{"range": name, "majorDimension": "ROWS"}
	if values := trimmed(slices.Insert(slices.Clone(rows), 0, s.header[name])); len(values) > 0 {
		body["values"] = values
	}
	reply(rw, http.StatusOK, body)
}

// trimmed leaves out empty cells at the ends of rows, and empty rows at the end.
func trimmed(rows [][]any) (values [][]any) {
	last := 0
	for i, cells := range rows {
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		values = append(values, cells)
		if len(cells) > 0 {
			last = i + 1
		}
	}
	return values[:last]
}

func (s *googleSheets) nextDay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	orders := s.ranges["Orders!A1:E"]
	s.ranges["Orders!A1:E"] = append(orders[:10:10], orders[11:]...) // a row is deleted
	s.order(301, 1, "new")
	s.ranges["Customers!A1:C"] = [][]any{{"c1@example.com", "Customer 1", "CZ"}, {"", "", ""}}
	s.header["Customers!A1:C"] = []any{"E-mail", "Name", "Country"} // a column was moved
}

func (s *googleSheets) expected(int) tables {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := tables{"orders": nil, "customers": nil}
	for name, header := range s.header {
		table := strings.ToLower(name[:strings.Index(name, "!")])
		for _, cells := range s.ranges[name] {
			r := row{}
			for i, title := range header {
				column := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(title.(string)), "e-mail", "email"), " ", "_")
				r[column] = fmt.Sprint(cells[i])
			}
			if r["number"]+r["name"] != "" {
				want[table] = append(want[table], r)
			}
		}
	}
	return want
}
