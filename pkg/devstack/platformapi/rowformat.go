package platformapi

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// The formats of rows. The first line of each text format has the names of the columns.
const (
	rfcFormat     = "rfc"     // commas, every cell in quotes, quotes doubled
	escapedFormat = "escaped" // commas, every cell in quotes, a backslash before quotes and backslashes
	rawFormat     = "raw"     // tabs, cells unchanged
	jsonFormat    = "json"    // only for previews
)

// format reads the parameter format. The first known format is the default.
func (f *fields) format(known ...string) string {
	format := f.text("format")
	if format == "" {
		return known[0]
	}
	if !slices.Contains(known, format) && f.err == nil {
		f.err = &refusal{
			status: 400, code: "storage.tables.validation.invalidFormat",
			message: `"format" must be one of ` + quoted(known),
		}
	}
	return format
}

// appendLine appends a row in a text format.
func appendLine(dst []byte, format string, cells []string) []byte {
	switch format {
	case rawFormat:
		return append(append(dst, strings.Join(cells, "\t")...), '\n')
	case escapedFormat:
		escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
		for i, cell := range cells {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(append(dst, '"'), escape.Replace(cell)...), '"')
		}
		return append(dst, '\n')
	default:
		return csvtable.AppendRecord(dst, cells)
	}
}
