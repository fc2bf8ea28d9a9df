package mapping

import (
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// These are the settings of an entry of a mapping.
var (
	Kind          = field.Text("type", "Type", "`column`: a value of the item. `user`: a value of the extra or parent columns. `table`: a list or object that becomes a table of its own.").Typed(&field.Type{Kinds: []string{"string"}, Choices: append(field.Choices(typeColumn, typeUser, typeTable), misplacedTypes)}).Default("column").Example(`"table"`)
	ColumnSetting = field.Of("mapping", "Column", "Types `column` and `user`: the column.", field.Object("", "Column", "Types `column` and `user`: the column.", ColumnName, PrimaryKey, ColumnType, columnLength, columnNullable, onMismatch, propertyOrder)).Also("columns")
	ColumnName    = field.Text("destination", "Column", "Name of the column, used as written. Required.").Example(`"user_id"`)
	PrimaryKey    = field.Flag("primaryKey", "Primary key", "The column belongs to the table's primary key.").Example(`true`)
	propertyOrder = field.Unread("propertyOrder", "Order in a form", "Written by form editors, not read.").Example(`1`)
	ForceType     = field.Flag("forceType", "As JSON", "Type `column`: lists and objects become JSON text instead of an error.").Example(`true`)
	Delimiter     = field.Text("delimiter", "Separator", "Separator in the path of this setting.").Default(".").Example(`"/"`)
	OtherPath     = field.Text("or", "Other path", "Type `column`: the path of the value if there is nothing at the first one, or null or an empty text.").PartedBy(Delimiter).Example(`"id"`)
	childTable    = field.Text("destination", "Table", "Type `table`, required: name of the child table.").Example(`"user_contacts"`)
	TableMapping  = field.Of("tableMapping", "Mapping of the table", "Type `table`, required unless the table is its own child: how its items become rows.", nil).Example(`{"email": "email"}`)
	optional      = field.Flag("optional", "Optional", "The value may be missing: no item need have it, and it may be empty in a primary key. Type `table`: no row where the item has nothing at the path, or null or something empty. Without it, such an item has one row of empty cells if its table has a primary key.").Typed(field.BooleanType).Default(false).Example(`true`)
	parentKey     = field.Of("parentKey", "Link to the parent", "Type `table`: the column of the child table that links its rows to their parent.", field.Object("", "Link to the parent", "Type `table`: the column of the child table that links its rows to their parent.", linkColumn, linkPrimary, noLink))
	linkColumn    = field.Text("destination", "Column", "Name of the link column; by default the parent table's name followed by `_pk`.").Example(`"user_id"`)
	linkPrimary   = field.Flag("primaryKey", "Primary key", "The link column belongs to the child table's primary key.").Example(`true`)
	noLink        = field.Flag("disable", "No link", "Leaves the link out.").Example(`true`)
)

// misplacedTypes are data types, which belong to the column of a setting.
var misplacedTypes = field.Choice{Name: "string", AlsoCalled: []string{"integer", "numeric", "float", "boolean", "date", "timestamp"}, Hint: `write the data type of a column in "mapping", beside "destination"`}

// Type returns the type of `config.mappings`.
func Type() *field.Type {
	table := &field.Type{Name: "mapping", Title: "mapping", Kinds: []string{"object", "array"}, NotEmpty: []string{"array", "object"}, Message: "expected a mapping with at least one path", IsSingleItem: isSingleTable}
	entry := &field.Type{Name: "mappingSetting", Title: "Mapping", Doc: "Each key of a mapping is a path in the item, its value one of these settings. A plain string is short for a column of that name.",
		Kinds: []string{"string", "object", "number"}, Message: "expected the name of a column or a mapping setting",
		Fields: field.Fields(Kind, ColumnSetting, ForceType, Delimiter, OtherPath, childTable, TableMapping.With(table), optional, parentKey)}
	table.Items, table.Others = entry, entry
	return &field.Type{Name: "mappings", Title: "object of mappings", Kinds: []string{"object"}, Others: table}
}

// isSingleTable reports whether a value is one setting of a table instead of a mapping,
// which is an object of settings.
func isSingleTable(v value.Value) bool {
	return v.Field(Kind.Name).Raw() == typeTable && v.Field(TableMapping.Name).Kind() == value.Object
}
