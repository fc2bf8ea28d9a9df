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
// https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueRenderOption,
// https://developers.google.com/workspace/sheets/api/limits.
type googleSheets struct {
	googleAccount
	day    int
	ranges map[string]*googleSheet
}

// googleSheet is a range with its header.
type googleSheet struct {
	header []any
	rows   []googleSheetRow
}

// googleSheetRow is a row with its empty cells. A filter may hide it from people.
type googleSheetRow struct {
	cells    []any
	isHidden bool
}

func newGoogleSheets(w *world) mockServer {
	const parents = "each range is requested by its name, no range has children"
	w.notShown = map[condition]string{
		forbidden:     parents,
		missingParent: parents,
		shortPage:     "a range comes as a whole in one response",
		tie:           "a sheet has neither pages nor the times of its rows",
		errorIn200:    "Google reports errors with their own status; an error in a cell is a value",
	}
	s := &googleSheets{newGoogleAccount(w, "spreadsheets.readonly"), 1, map[string]*googleSheet{
		"Orders!A1:E":    {header: []any{"Number", "Ordered on", "Customer", "Amount", "Note"}},
		"Customers!A1:C": {header: []any{"Name", "Country", "E-mail"}},
	}}
	for i := range 300 {
		s.order(i, 10.5+float64(i), "a, \"b\"\nc")
	}
	s.order(300, 0, "")
	rows := s.ranges["Orders!A1:E"].rows
	rows[3].cells[3], rows[3].cells[4] = "", "" // the end of a row is empty
	rows[4].cells[1] = ""                       // a cell in the middle is empty
	rows[5].cells = []any{"", "", "", "", ""}
	rows[6].cells[3] = "#N/A" // a formula without a result
	rows[7].isHidden = true
	return s
}

func (s *googleSheets) order(i int, amount float64, note string) {
	orders := s.ranges["Orders!A1:E"]
	orders.rows = append(orders.rows, googleSheetRow{cells: []any{"2026-" + strconv.Itoa(i), "01.03.2026", "Customer " + strconv.Itoa(i%7), amount, note}})
}

func (s *googleSheets) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !s.admit(rw, r) {
		return
	}
	name, isRange := strings.CutPrefix(r.URL.Path, "/v4/spreadsheets/your-spreadsheet-id/values/")
	sheet := s.ranges[name]
	s.refuseIf(r.Method != http.MethodGet || r.Host != "sheets.googleapis.com" || !isRange ||
		sheet == nil ||
		r.URL.Query().Encode() != "dateTimeRenderOption=FORMATTED_STRING&valueRenderOption=UNFORMATTED_VALUE",
		"Unable to parse range")
	switch s.count(name) {
	case 1:
		googleError(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user' of service 'sheets.googleapis.com'")
	case 2:
		googleError(rw, http.StatusServiceUnavailable, "UNAVAILABLE", "The service is currently unavailable.")
	}
	values := [][]any{sheet.header}
	for _, found := range sheet.rows {
		values = append(values, found.cells)
		s.noteConditions(found)
	}
	body := object{"range": name, "majorDimension": "ROWS"}
	if values := trimmed(values); len(values) > 0 {
		body["values"] = values
	}
	s.showsIf(s.day == 2 && name == "Orders!A1:E", deleted)
	reply(rw, http.StatusOK, body)
}

// noteConditions notes what is untidy in a row that is sent. Hidden rows are sent, too.
func (s *googleSheets) noteConditions(found googleSheetRow) {
	s.showsIf(found.isHidden, archived)
	s.showsIf(found.cells[len(found.cells)-1] == "", absentKey)
	s.showsIf(slices.Contains(found.cells, any("#N/A")), oddValue)
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
	s.day = 2
	orders := s.ranges["Orders!A1:E"]
	orders.rows = slices.Delete(orders.rows, 10, 11)
	s.order(301, 1, "new")
	s.ranges["Customers!A1:C"] = &googleSheet{
		header: []any{"Name", "E-mail", "Country"}, // a column was moved
		rows:   []googleSheetRow{{cells: []any{"Customer 1", "c1@example.com", "CZ"}}, {cells: []any{"", "", ""}}, {cells: []any{"Customer 2", "", ""}}},
	}
}

func (s *googleSheets) expected(int) tables {
	want := tables{"orders": nil, "customers": nil}
	for name, sheet := range s.ranges {
		table := strings.ToLower(name[:strings.Index(name, "!")])
		for _, found := range sheet.rows {
			r := row{}
			for i, title := range sheet.header {
				column := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(title.(string)), "e-mail", "email"), " ", "_")
				r[column] = fmt.Sprint(found.cells[i])
			}
			if r["number"]+r["name"] != "" {
				want.add(table, r)
			}
		}
	}
	return want
}
