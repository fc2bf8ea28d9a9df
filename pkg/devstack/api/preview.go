package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/tables/table"
)

const (
	previewRows    = 100
	maxPreviewRows = 1000
	// maxPreview is the maximum size of a preview, which is held in memory.
	maxPreview = 32 << 20
)

// previewTable answers with the first rows as CSV, every cell in quotes as on the
// platform.
func (s *server) previewTable(r *http.Request) (answer, error) {
	t, err := s.table(r.PathValue("table"))
	if err != nil {
		return answer{}, err
	}
	q := queryOf(r)
	limit, wanted := q.number("limit", previewRows, 0, maxPreviewRows), columnsOf(q)
	if limit == 0 { // some clients mean the default by it
		limit = previewRows
	}
	names, places := choose(q, t.Columns, wanted)
	if q.err != nil {
		return answer{}, q.err
	}
	if sizeCSV(names) > maxPreview {
		return answer{}, tooLarge()
	}
	text, left := table.AppendRecord(nil, names), limit
	row := make([]string, len(places))
	var refused error
	err = s.Store.Rows(t.ID, func(cells []string) bool {
		if len(cells) != len(t.Columns) {
			refused = &refusal{
				status: http.StatusConflict, code: "storage.tables.conflict",
				message: "The columns of table " + t.ID + " have just changed",
			}
			return false
		}
		for i, place := range places {
			row[i] = cells[place]
		}
		if len(text)+sizeCSV(row) > maxPreview {
			refused = tooLarge()
			return false
		}
		text = table.AppendRecord(text, row)
		left--
		return left > 0
	})
	if err == nil {
		err = refused
	}
	return answer{status: http.StatusOK, kind: "text/csv; charset=utf-8", text: text}, instead(err, store.ErrNotFound, noTable(t.ID))
}

func tooLarge() error {
	return invalid("The preview is larger than 32 MB, request fewer rows (limit) or columns")
}

func sizeCSV(cells []string) int {
	size := 0
	for _, cell := range cells {
		size += len(cell) + len(`"",`)
	}
	return size
}

// columnsOf are the names in columns, a list or one text with commas.
func columnsOf(q *query) []string {
	var names []string
	for _, text := range q.list("columns") {
		names = append(names, strings.Split(text, ",")...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// choose returns the names of the wanted columns and their places in a row; no
// wanted columns means all.
func choose(q *query, columns []store.Column, wanted []string) (names []string, places []int) {
	for i, c := range columns {
		names, places = append(names, c.Name), append(places, i)
	}
	if len(wanted) == 0 {
		return names, places
	}
	places = nil
	for _, name := range wanted {
		place := slices.Index(names, name)
		if place < 0 {
			q.fail("Column %q does not exist", name)
			return nil, nil
		}
		places = append(places, place)
	}
	return wanted, places
}
