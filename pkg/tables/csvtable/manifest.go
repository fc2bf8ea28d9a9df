package csvtable

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Manifest is the content of a manifest.
type Manifest struct {
	Incremental bool
	PrimaryKey  []string
	// Columns are the columns of a typed table, Types their types, and Kinds the kinds
	// that the types stand for. All are nil for other tables.
	Columns []string
	Types   []ColumnType
	Kinds   []Kinds

	document value.Value
}

// ParseManifest parses a manifest. It returns a user error if the text is not a JSON
// object.
func ParseManifest(text []byte) (Manifest, error) {
	v, err := value.Parse(text)
	if err != nil {
		return Manifest{}, failure.Userf("not valid JSON: %w", err)
	}
	if v.Kind() != value.Object {
		return Manifest{}, failure.Userf("found a JSON %s, expected an object", v.Kind())
	}
	m := Manifest{Incremental: v.Field("incremental").True(), document: v}
	for _, column := range v.Field("primary_key").Items() {
		m.PrimaryKey = append(m.PrimaryKey, column.Text())
	}
	for _, column := range v.Field("schema").Items() {
		name := column.Field("name").Text()
		m.Columns = append(m.Columns, name)
		base := column.Field("data_type").Field("base")
		m.Types = append(m.Types, ColumnType{Base: base.Field("type").Text(), Length: base.Field("length").Text(), Nullable: column.Field("nullable").True()})
		m.Kinds = append(m.Kinds, kindsOf(column))
		if column.Field("primary_key").True() {
			m.PrimaryKey = append(m.PrimaryKey, name)
		}
	}
	return m, nil
}

// kindsOf returns a set of kinds with the type of a column.
func kindsOf(column value.Value) Kinds {
	kind := Text
	switch column.Field("data_type").Field("base").Field("type").Text() {
	case typeInteger:
		kind = Integer
	case typeNumeric:
		kind = Number
	case typeBoolean:
		kind = True
	}
	if column.Field("nullable").True() {
		return KindsOf(kind, Absent)
	}
	return KindsOf(kind)
}

// With returns the manifest for a table with these columns, types and kinds. A column
// without a type gets it from its kinds. The manifest of a table without types is returned
// unchanged.
func (m Manifest) With(columns []string, types []ColumnType, kinds []Kinds) []byte {
	if m.Columns == nil {
		return m.document.AppendEscapedJSON(nil)
	}
	t := Table{Columns: slices.Clone(columns), Types: types, PrimaryKey: m.PrimaryKey}
	return m.document.With("schema", t.schema(kinds)).AppendEscapedJSON(nil)
}
