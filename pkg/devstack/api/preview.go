package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	previewRows    = 100
	maxPreviewRows = 1000
	// maxPreview is how many bytes a preview may have, which is held in memory.
	maxPreview = 32 << 20
)

// previewTable answers the first rows as CSV with every cell in quotes, as the
// platform writes it.
func (s *server) previewTable(r *http.Request) (answer, error) {
	t, err := s.table(r.PathValue("table"))
	if err != nil {
		return answer{}, err
	}
	q := queryOf(r)
	limit, wanted := q.number("limit", previewRows, 0, maxPreviewRows), columnsOf(q)
	if limit == 0 { // a client's way to say nothing
		limit = previewRows
	}
	names, places := choose(q, t.Columns, wanted)
	if q.err != nil {
		return answer{}, q.err
	}
	if sizeCSV(names) > maxPreview {
		return answer{}, tooLarge()
	}
	text, left := appendCSV(nil, names), limit
	row, changed, full := make([]string, len(places)), false, false
	err = s.store.Rows(t.ID, func(cells []string) bool {
		if changed = len(cells) != len(t.Columns); changed {
			return false
		}
		for i, place := range places {
			row[i] = cells[place]
		}
		if full = len(text)+sizeCSV(row) > maxPreview; full {
			return false
		}
		text = appendCSV(text, row)
		left--
		return left > 0
	})
	if err = instead(err, store.ErrNotFound, notFound("storage.tables.notFound", "Table %q not found", t.ID)); err != nil {
		return answer{}, err
	}
	if changed {
		return answer{}, &refusal{
			status: http.StatusConflict, code: "storage.tables.conflict",
			message: "The columns of table " + t.ID + " have just changed",
		}
	}
	if full {
		return answer{}, tooLarge()
	}
	return answer{status: http.StatusOK, kind: "text/csv; charset=utf-8", text: text}, nil
}

func tooLarge() error {
	return invalid("The preview is larger than 32 MB, ask for fewer rows (limit) or columns")
}

// sizeCSV is about the size of a line.
func sizeCSV(cells []string) int {
	size := 0
	for _, cell := range cells {
		size += len(cell) + len(`"",`)
	}
	return size
}

// columnsOf are the names in columns, which is a list or one text with commas.
func columnsOf(q *query) []string {
	var names []string
	for _, text := range q.list("columns") {
		names = append(names, strings.Split(text, ",")...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// choose gives the names of the wanted columns and their places in a row; all of
// them when none is wanted.
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

func appendCSV(text []byte, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '"')
		text = append(text, strings.ReplaceAll(cell, `"`, `""`)...)
		text = append(text, '"')
	}
	return append(text, '\n')
}
