package apis

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// googleSheets sends the cells of ranges. Facts:
// https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values/get,
// https://developers.google.com/workspace/sheets/api/limits.
type googleSheets struct {
	googleAccount
	ranges map[string][][]any // whole rows, with empty cells
}

func newGoogleSheets(w *world) imitation {
	s := &googleSheets{newGoogleAccount(w, "spreadsheets.readonly"), map[string][][]any{"Customers!A2:C": nil}}
	for i := range 300 {
		s.order(i, 10.5+float64(i), "a, \"b\"\nc")
	}
	s.order(300, 0, "")
	orders := s.ranges["Orders!A2:E"]
	orders[3][3], orders[3][4] = "", "" // the end of a row is empty
	orders[4][1] = ""                   // a cell in the middle is empty
	orders[5] = []any{"", "", "", "", ""}
	return s
}

func (s *googleSheets) order(i int, amount float64, note string) {
	s.ranges["Orders!A2:E"] = append(s.ranges["Orders!A2:E"], []any{"2026-" + strconv.Itoa(i), "01.03.2026", "Customer " + strconv.Itoa(i%7), amount, note})
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
	if values := trimmed(rows); len(values) > 0 {
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
	orders := s.ranges["Orders!A2:E"]
	s.ranges["Orders!A2:E"] = append(orders[:10:10], orders[11:]...) // a row is deleted
	s.order(301, 1, "new")
	s.ranges["Customers!A2:C"] = [][]any{{"Customer 1", "CZ", "c1@example.com"}, {"", "", ""}}
}

func (s *googleSheets) expected(int) tables {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := tables{"orders": nil, "customers": nil}
	for name, columns := range map[string][]string{"Orders!A2:E": {"number", "ordered_on", "customer", "amount", "note"}, "Customers!A2:C": {"name", "country", "email"}} {
		table := strings.ToLower(name[:strings.Index(name, "!")])
		for _, cells := range s.ranges[name] {
			r := row{}
			for i, column := range columns {
				r[column] = fmt.Sprint(cells[i])
			}
			if r[columns[0]] != "" {
				want[table] = append(want[table], r)
			}
		}
	}
	return want
}
