package mapping

import (
	"fmt"
	"slices"
	"testing"
)

// TestDrop: without a data type, the tables and the structure are as if the mapper
// had never had its rows, even if one of its rows was an error.
func TestDrop(t *testing.T) {
	other := func(i int) page {
		return page{dataType: "other", columns: `{"x": 1, "id": "p"}`, rows: []string{fmt.Sprintf(`{"id": %d, "list": [{"v": null}, {"v": %d}], "x": "own"}`, i, i)}}
	}
	const earlier = `{"data":{"_failed":{"[]":{"nodeType":"object","_id":{"nodeType":"scalar","headerNames":"id"},"headerNames":"data"},"nodeType":"array"}},"parent_aliases":[]}`
	kept, want := newCollector(t, earlier), newCollector(t, earlier)
	for i := range 5000 {
		if err := want.add(t, other(i)); err != nil {
			t.Fatal(err)
		}
		failed := page{dataType: "failed", columns: `{"x": 2, "id": 3}`, rows: []string{fmt.Sprintf(`{"id": %d, "id_u0": 1, "tags": ["a", null], "deep": {"tags": [1]}}`, i)}}
		if err := kept.add(t, failed, other(i)); err != nil {
			t.Fatal(err)
		}
	}
	if kept.add(t, page{dataType: "failed", rows: []string{`{"tags": [{"a": 1}], "more": 1}`}}) == nil {
		t.Fatal("objects beside scalars were stored")
	}
	kept.Drop("failed")
	kept.Drop("failed")
	kept.Drop("unknown")
	if err := kept.add(t, other(1)); err != nil {
		t.Fatal(err)
	}
	if err := want.add(t, other(1)); err != nil {
		t.Fatal(err)
	}
	if kept.properties != want.properties || kept.names != want.names {
		t.Errorf("%d properties with %d bytes of names, want %d with %d", kept.properties, kept.names, want.properties, want.names)
	}
	if got := kept.TableNames("failed"); !slices.Equal(got, []string{"failed", "failed_tags", "failed_deep_tags"}) {
		t.Errorf("the tables of the dropped data type are %v", got)
	}
	if got := kept.TableNames("new"); !slices.Equal(got, []string{"new"}) {
		t.Errorf("the tables of an unknown data type are %v", got)
	}
	checkTables(t, kept.tables(t), want.tables(t))
	if got, want := kept.Structure().JSON(), want.Structure().JSON(); got != want {
		t.Errorf("the structure is\n%s\nwant\n%s", got, want)
	}
}

// TestDropMapped: a dropped data type leaves no file, no gap and no flag of a list; a data
// type that writes the same table keeps its rows.
func TestDropMapped(t *testing.T) {
	m := mappingsOf(t, `{
		"failed": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "rows": {"type": "table", "destination": "rows", "tableMapping": {"v": "v"}}},
		"other": {"id": "id", "rows": {"type": "table", "destination": "rows", "tableMapping": {"v": "v"}, "parentKey": {"disable": true}}}}`)
	if got := m.TableNames("failed"); !slices.Equal(got, []string{"failed", "rows"}) {
		t.Errorf("tables %v", got)
	}
	if got := m.TableNames("a.b"); !slices.Equal(got, []string{"a_b"}) {
		t.Errorf("tables without a mapping %v", got)
	}
	c := newMapper(t, m)
	if err := c.add(t, page{dataType: "failed", rows: []string{`{"id": null, "rows": [{"v": 1}]}`, `{"id": 2, "rows": []}`}},
		page{dataType: "other", rows: []string{`{"id": "1.0", "rows": [{"v": 7}]}`}}); err != nil {
		t.Fatal(err)
	}
	c.ConfiguredMapper.Drop("failed")
	if gaps := c.Gaps(); len(gaps) > 0 {
		t.Errorf("%+v", gaps)
	}
	d := Defaults{Bucket: "b"}
	if err := c.Write(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if err := m.Without([]string{"failed"}).WriteMissing(c.set, d); err != nil {
		t.Fatal(err)
	}
	written, err := c.set.Close()
	if err != nil || len(written) != 2 || written[0].Table.Name != "other" || written[1].Table.Name != "rows" || written[1].Rows != 1 {
		t.Errorf("%+v, %v", written, err)
	}
}
