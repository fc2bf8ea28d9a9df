package store

import (
	"fmt"
	"testing"
)

func TestTables(t *testing.T) {
	s := open(t)
	for _, id := range []string{"in.c-b.t", "in.c-b-c.t", "out.c-b.t", "in.c-b.a"} {
		l := fromText(false, "a\n1")
		l.Table, l.Job = id, "7"
		l.Metadata, l.ColumnMetadata = map[string]string{"k": "v"}, map[string]map[string]string{"a": {"x": "y"}}
		must[Table](t)(s.Load(t.Context(), l))
	}
	must[Bucket](t)(s.CreateBucket(Bucket{ID: "in.c-own", DisplayName: "Own"}))
	if _, err := s.CreateBucket(Bucket{ID: "in.c-b"}); err != ErrExists {
		t.Errorf("a bucket twice: %v", err)
	}
	_, err := s.CreateBucket(Bucket{ID: "in.b"})
	checkUserError(t, err, `bucket "in.b"`)
	for bucket, want := range map[string]string{"in.c-b": "in.c-b.a in.c-b.t ", "": "in.c-b-c.t in.c-b.a in.c-b.t out.c-b.t ", "in.c-none": ""} {
		got := ""
		for _, table := range must[[]Table](t)(s.Tables(bucket)) {
			got += table.ID + " "
		}
		if got != want {
			t.Errorf("tables of %q: %s", bucket, got)
		}
	}
	names := ""
	for _, b := range must[[]Bucket](t)(s.Buckets()) {
		names += fmt.Sprintf("%s=%s/%s/%s ", b.ID, b.Stage, b.Name, b.DisplayName)
	}
	if names != "in.c-b=in/c-b/b in.c-b-c=in/c-b-c/b-c in.c-own=in/c-own/Own out.c-b=out/c-b/b " {
		t.Errorf("buckets %s", names)
	}
	table := must[Table](t)(s.Table("out.c-b.t"))
	if table.Bucket != "out.c-b" || table.Name != "t" || table.Job != "7" ||
		!table.Created.Equal(clock()) || !table.LastImport.Equal(clock()) {
		t.Errorf("%+v", table)
	}
	own, columns, err := s.TableMetadata("out.c-b.t")
	if got := fmt.Sprintln(own, columns, err); got != "[{5 user k v "+clock().String()+"}] map[a:[{6 user x y "+clock().String()+"}]] <nil>\n" {
		t.Errorf("metadata %s", got)
	}
	for name, err := range map[string]error{
		"bucket": errorOf(s.Bucket("in.c-none")), "table": errorOf(s.Table("in.c-b.none")),
		"rows": s.Rows("in.c-b.none", func([]string) bool { return true }),
	} {
		if err != ErrNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRowsStop(t *testing.T) {
	s := open(t)
	must[Table](t)(s.Load(t.Context(), fromText(false, "a\n1\n2\n3")))
	got := ""
	if err := s.Rows("in.c-b.t", func(cells []string) bool { got += cells[0]; return cells[0] != "2" }); err != nil || got != "12" {
		t.Errorf("%s, %v", got, err)
	}
}
