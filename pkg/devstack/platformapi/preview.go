package platformapi

import (
	"encoding/json"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	previewRows    = 100
	maxPreviewRows = 1000
	// maxPreview is the maximum size, in bytes, of a preview. A preview is held in memory.
	maxPreview = 32 << 20
)

// previewTable responds with the first rows as lines of text or as JSON.
func (s *server) previewTable(r *http.Request, t store.Table) (response, error) {
	q := queryOf(r)
	selected := selectionOf(q.fields, t, previewRows, maxPreviewRows, s.Now())
	format := q.format(rfcFormat, escapedFormat, rawFormat, jsonFormat)
	switch {
	case q.err != nil:
		return response{}, q.err
	case sizeCSV(selected.names) > maxPreview:
		return response{}, tooLarge()
	case format == jsonFormat:
		return s.previewJSON(selected, t)
	}
	text := appendLine(nil, format, selected.names)
	err := selected.each(s.Store, t, func(cells []string) error {
		if len(text)+sizeCSV(cells) > maxPreview {
			return tooLarge()
		}
		text = appendLine(text, format, cells)
		return nil
	})
	return response{status: http.StatusOK, kind: "text/csv; charset=utf-8", text: text}, err
}

// previewCell is a cell of a JSON preview. Cells are never truncated here.
type previewCell struct {
	Column    string `json:"columnName"`
	Value     string `json:"value"`
	Truncated bool   `json:"isTruncated"`
}

func (s *server) previewJSON(selected selection, t store.Table) (response, error) {
	record := struct {
		Columns []string          `json:"columns"`
		Rows    []json.RawMessage `json:"rows"`
	}{selected.names, []json.RawMessage{}}
	size := 0
	err := selected.each(s.Store, t, func(cells []string) error {
		row := make([]previewCell, len(cells))
		for i, cell := range cells {
			row[i] = previewCell{Column: selected.names[i], Value: cell}
		}
		text, err := encode(row)
		if size += len(text); err == nil && size > maxPreview {
			err = tooLarge()
		}
		record.Rows = append(record.Rows, text)
		return err
	})
	return ok(record, err)
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
