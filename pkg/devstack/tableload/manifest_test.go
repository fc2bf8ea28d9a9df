package tableload

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestManifestIsAccepted has settings without a meaning here: they must pass.
func TestManifestIsAccepted(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"everything of the older form", `{"destination":"in.c-b.t","incremental":true,"primary_key":["a"],"columns":["a"],"delimiter":";","enclosure":"'",
			"metadata":[{"key":"k","value":"v"}],"column_metadata":{"a":[{"key":"k","value":""}]},"distribution_key":["a"],"write_always":false,
			"tags":["x"],"deduplication_strategy":"upsert","unload_strategy":"direct-grant","manifest_type":"out","has_header":true,
			"delete_where":[{"changed_since":"-1 day","where_filters":[{"column":"a","operator":"ne","values_from_set":["1"]}]},
				{"where_filters":[{"column":"a","values_from_workspace":{"workspace_id":"1","table":"t"}}]}]}`},
		{"everything of a column", `{"schema":[{"name":"a","data_type":{"base":{"type":"NUMERIC","length":"10,2","default":1.5},"snowflake":{"type":"NUMBER","default":false},
			"bigquery":{"type":"INT64"}},"nullable":false,"primary_key":true,"distribution_key":false,"metadata":{"k":"v"}}],"table_metadata":{"k":1}}`},
		{"the older deletion", `{"delete_where_column":"a","delete_where_values":["1"],"delete_where_operator":"ne"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := parseManifest("m", []byte(row.text)); err != nil {
				t.Error(err)
			}
		})
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"columns":["a"],"primary_key":["a"],"column_metadata":{"a":[{"key":"k","value":1}]}}`)
	f.Add(`{` + schema + `,"description":"x","table_metadata":[]}`)
	f.Add(`{"delete_where":[{"where_filters":[{"column":"a","values_from_set":[]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseManifest("m", []byte(text))
		if err != nil {
			if failure.KindOf(err) != failure.User {
				t.Fatal(err)
			}
			return
		}
		if len(s.schema) > 0 && len(s.columns)+len(s.primaryKey)+len(s.columnMetadata) > 0 {
			t.Errorf("both forms are accepted in %q", text)
		}
		// An entry that says nothing changes only the destination.
		merged := settings{source: "x", destination: "y"}.overManifest(s)
		if len(merged.schema) != len(s.schema) || merged.delimiter != s.delimiter || merged.enclosureText() != s.enclosureText() || len(merged.metadata) != len(s.metadata) {
			t.Errorf("%+v became %+v", s, merged)
		}
	})
}
