package tableload

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestLoadRefuses(t *testing.T) {
	manifest := func(text string) map[string]string { return map[string]string{"t": "a,b\n1,2\n", "t.manifest": text} }
	const broken = `Failed to parse manifest file "out/tables/t.manifest" as "json": `
	for _, row := range []struct {
		name    string
		files   map[string]string
		mapping string
		types   string
		want    string
	}{
		{"no JSON", manifest(`{`), "", "", broken},
		{"an empty manifest", manifest(``), "", "", broken},
		{"no object", manifest(`[1]`), "", "", broken + `the document must be an object`},
		{"an unknown key", manifest(`{"primarykey":[]}`), "", "", broken + `Unrecognized option "primarykey". Did you mean "primary_key"? Available options are `},
		{"a key in another case", manifest(`{"Columns":[]}`), "", "", broken + `Unrecognized option "Columns"`},
		{"an unknown key of a column", manifest(`{"schema":[{"name":"a","type":"x"}]}`), "", "", `Unrecognized option "schema.0.type"`},
		{"an unknown backend", manifest(`{"schema":[{"name":"a","data_type":{"oracle":{"type":"x"}}}]}`), "", "", `Unrecognized option "schema.0.data_type.oracle"`},
		{"an unknown base type", manifest(`{"schema":[{"name":"a","data_type":{"base":{"type":"TEXT"}}}]}`), "", "", `"schema.0.data_type.base.type" must be one of STRING, INTEGER`},
		{"no base type", manifest(`{"schema":[{"name":"a","data_type":{"base":{}}}]}`), "", "", `"schema.0.data_type.base.type" must be given`},
		{"a column without a name", manifest(`{"schema":[{}]}`), "", "", `"schema.0.name" must be given`},
		{"a text as a flag", manifest(`{"incremental":"yes"}`), "", "", broken + `"incremental" must be true or false`},
		{"a text as a list", manifest(`{"columns":"a"}`), "", "", broken + `"columns" must be a list`},
		{"numbers as columns", manifest(`{"columns":[1]}`), "", "", broken + `"columns" must be a list of texts`},
		{"metadata without a value", manifest(`{"metadata":[{"key":"k"}]}`), "", "", `"metadata.0.value" must be given`},
		{"two descriptions", manifest(`{"description":"x","table_metadata":{"KBC.description":"y"}}`), "", "", `Only one of "description" or "table_metadata.KBC.description" can be defined.`},
		{"two descriptions of a column", manifest(`{"schema":[{"name":"a","description":"x","metadata":{"KBC.description":"y"}}]}`), "", "", `Only one of "description" or "metadata.KBC.description" can be defined.`},
		{"schema and columns", manifest(`{"schema":[{"name":"a"}],"columns":["a"]}`), "", "", broken + `Only one of "schema" or "columns" can be defined.`},
		{"schema and metadata", manifest(`{"schema":[{"name":"a"}],"metadata":[{"key":"k","value":"v"}]}`), "", "", `Only one of "schema" or "metadata" can be defined.`},
		{"schema and column metadata", manifest(`{"schema":[{"name":"a"}],"column_metadata":{"a":[]}}`), "", "", `Only one of "schema" or "column_metadata" can be defined.`},
		{"schema and primary key", manifest(`{"schema":[{"name":"a"}],"primary_key":["a"]}`), "", "", `Only one of "schema" or "primary_key" can be defined.`},
		{"schema and distribution key", manifest(`{"schema":[{"name":"a"}],"distribution_key":["a"]}`), "", "", `Only one of "schema" or "distribution_key" can be defined.`},
		{"schema and columns of the mapping", manifest(`{"schema":[{"name":"a"}]}`), `{"tables":[{"source":"t","destination":"in.c-b.t","columns":["a"]}]}`, "", `Only one of "schema" or "columns" can be defined.`},
		{"a deletion of nothing", manifest(`{"delete_where":[{}]}`), "", "", `"delete_where.0" must be with changed_since`},
		{"a deletion in both forms", manifest(`{"delete_where":[{"changed_since":"x"}],"delete_where_column":"a"}`), "", "", `Only one of "delete_where_column" or "delete_where" can be defined.`},
		{"a filter without values", manifest(`{"delete_where":[{"where_filters":[{"column":"a"}]}]}`), "", "", `exactly one of values_from_set and values_from_workspace`},
		{"an unknown strategy", manifest(`{"deduplication_strategy":"x"}`), "", "", `"deduplication_strategy" must be one of insert, upsert`},
		{"an orphan", map[string]string{"a.manifest": "{}", "b": "x\n"}, "", "", `Found orphaned table manifest: "a.manifest"`},
		{"slices without columns", map[string]string{"t/1": "1\n"}, "", "", `Sliced file "t" columns specification missing.`},
		{"slices with an ignored schema", map[string]string{"t/1": "1\n", "t.manifest": `{` + schema + `}`}, "", NoTypes, `Sliced file "t" columns specification missing.`},
		{"a directory as a slice", map[string]string{"t/d/1": "1\n", "t.manifest": `{"columns":["a"]}`}, "", "", `sliced table "t" holds a directory, "d"`},
		{"no schema for hints", manifest(`{}`), "", Hints, `Configuration schema is missing.`},
		{"no manifest where types count", map[string]string{"t": "a\n"}, "", Authoritative, `Configuration schema is missing.`},
		{"no types where they count", manifest(`{"schema":[{"name":"a"},{"name":"b"}]}`), "", Authoritative, `Missing data type for columns: a, b`},
		{"a mapping to no table", map[string]string{"t": "a\n"}, `{"tables":[{"source":"t","destination":"t"}]}`, "", `Failed to resolve destination for output table "t".`},
		{"a mapping of no file", map[string]string{"t": "a\n"}, `{"tables":[{"source":"u","destination":"in.c-b.u"}]}`, "", `Table sources not found: "u"`},
		{"a mapping without a destination", map[string]string{"t": "a\n"}, `{"tables":[{"source":"t"}]}`, "", `"storage.output.tables.0.destination" must be given`},
		{"an unknown key of the mapping", map[string]string{"t": "a\n"}, `{"tables":[{"source":"t","destination":"in.c-b.t","x":1}]}`, "", `Unrecognized option "storage.output.tables.0.x"`},
		{"no bucket of that name", manifest(`{"destination":"sys.c-b.t"}`), "", "", `table "t": table "sys.c-b.t": bucket "sys.c-b"`},
		{"a name with three dots", manifest(`{"destination":"a.b.c.d"}`), "", "", `the id of a bucket is`},
		{"a reserved column", manifest(`{"columns":["a","_TIMESTAMP"]}`), "", "", `reserved`},
		{"a reserved column in the header", map[string]string{"t": "_timestamp\n"}, "", "", `reserved`},
		{"columns that become one", manifest(`{"columns":["a b","a-b"]}`), "", "", `column "a_b" is there twice`},
		{"a key of no column", manifest(`{"primary_key":["x"]}`), "", "", `column "x" of the primary key is none of the columns`},
		{"no header", map[string]string{"t": ""}, "", "", `table "t": the file is empty, a header is missing`},
		{"a long delimiter", manifest(`{"delimiter":"||"}`), "", "", `the delimiter "||" is not a single ASCII character`},
		{"an empty delimiter", manifest(`{"delimiter":""}`), "", "", `the delimiter "" is not a single ASCII character`},
		{"the same delimiter and enclosure", manifest(`{"delimiter":"\""}`), "", "", `are both "\""`},
		{"a short row", map[string]string{"t": "a,b\n1,2\n3\n"}, "", "", `loading table "t": row 2 has 1 cells, not one for each of the 2 columns`},
		{"a short row of a slice", map[string]string{"t/a": "1\n1\n", "t/b": "1\n1,2\n", "t.manifest": `{"columns":["a"]}`}, "", "", `loading table "t": slice "b": row 2 has 2 cells`},
		{"no CSV", map[string]string{"t": "a\n\"1"}, "", "", `loading table "t": line 2 opens an enclosure`},
		{"a wrong type", map[string]string{"t": "1,\nx,\n", "t.manifest": `{` + schema + `}`}, "", Authoritative, `loading table "t": row 2, column "id": "x" is not of the type INTEGER`},
		{"no value", map[string]string{"t": ",\n", "t.manifest": `{` + schema + `}`}, "", Authoritative, `row 1, column "id": a value is missing, the column is not nullable`},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t)
			b.write(t, row.files)
			if row.mapping != "" {
				b.mapping(t, row.mapping)
			}
			b.DataTypes = cmp.Or(row.types, NoTypes)
			loaded, err := Load(context.Background(), b.Options)
			if err == nil || !strings.Contains(err.Error(), row.want) || failure.KindOf(err) != failure.User || len(loaded) != 0 {
				t.Errorf("got  %v (%s), %v\nwant %s", err, failure.KindOf(err), loaded, row.want)
			}
			if tables, err := b.store.Tables(""); err != nil || len(tables) != 0 {
				t.Errorf("stored %v, %v", tables, err)
			}
		})
	}
}
