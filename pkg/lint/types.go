package lint

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
)

// emptyBooleans finds columns of the type BOOLEAN with one cell for false and null: an empty
// cell.
func emptyBooleans(s settings, found *failure.Problems) {
	var visit func(entries config.Section)
	visit = func(entries config.Section) {
		for _, setting := range entries.Items() {
			if mapping.IsBoolean(setting) {
				found.Add(failure.Problem{Code: failure.EmptyBoolean, Pointer: mapping.ColumnType.In(mapping.ColumnSetting.In(setting)).Pointer,
					Expected: "false is an empty cell, which is null in a typed table",
					Hint:     `write "` + failure.Text(config.Booleans.Name) + `": "text" in ` + field.OwnName("config") + " to write true and false"})
			}
			visit(mapping.TableMapping.In(setting))
		}
	}
	for _, it := range s.iterations {
		if it.TextBooleans {
			continue
		}
		for _, entries := range it.Mappings.Items() {
			visit(entries)
		}
	}
}
