package store

import (
	"errors"
	"fmt"
	"testing"
)

// values are the metadata of an object without its times.
func values(t *testing.T, s *Store, o Object) (text string) {
	t.Helper()
	for _, m := range must[[]Metadata](t)(s.Metadata(o)) {
		text += fmt.Sprintf("%s %s.%s=%s|", m.ID, m.Provider, m.Key, m.Value)
	}
	return text
}

func TestMetadata(t *testing.T) {
	s := open(t)
	must[Configuration](t)(s.CreateConfiguration(Configuration{Component: "c", ID: "1"}))
	configuration, other := ConfigurationObject("c", "1"), ConfigurationObject("c", "10")
	set := func(o Object, list ...Metadata) {
		t.Helper()
		if err := s.SetMetadata(map[Object][]Metadata{o: list}); err != nil {
			t.Fatal(err)
		}
	}
	set(configuration, Metadata{Provider: "p", Key: "k", Value: "1"}, Metadata{Provider: "q", Key: "k", Value: "2"})
	set(other, Metadata{Provider: "p", Key: "k", Value: "3"})
	set(configuration, Metadata{Provider: "p", Key: "k", Value: "4"}, Metadata{Provider: "p", Key: "k", Value: "5"})
	set(Branch, Metadata{Provider: "p", Key: "k"})
	for o, want := range map[Object]string{configuration: "1 p.k=5|2 q.k=2|", other: "3 p.k=3|", Branch: "4 p.k=|", BucketObject("b"): ""} {
		if got := values(t, s, o); got != want {
			t.Errorf("%q: %s", o, got)
		}
	}
	found := ""
	if err := s.ConfigurationMetadata(func(component, id string, m Metadata) { found += component + "/" + id + " " + m.Key + "|" }); err != nil || found != "c/1 k|c/1 k|c/10 k|" {
		t.Errorf("%s, %v", found, err)
	}
	for _, id := range []string{"3", "9", "x", ""} {
		if err := s.DeleteMetadata(configuration, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("deleted %s: %v", id, err)
		}
	}
	if err := s.DeleteMetadata(configuration, "2"); err != nil || values(t, s, configuration) != "1 p.k=5|" {
		t.Errorf("%s, %v", values(t, s, configuration), err)
	}
	for range 2 {
		if err := s.DeleteConfiguration("c", "1"); err != nil {
			t.Fatal(err)
		}
	}
	if own, others := values(t, s, configuration), values(t, s, other); own != "" || others != "3 p.k=3|" {
		t.Errorf("after the purge %s, others %s", own, others)
	}
}

func TestComponents(t *testing.T) {
	s := open(t)
	for _, component := range []string{"b", "a.b", "a", "b", "a"} {
		must[Configuration](t)(s.CreateConfiguration(Configuration{Component: component}))
	}
	if err := s.DeleteConfiguration("a.b", "2"); err != nil {
		t.Fatal(err)
	}
	if ids := must[[]string](t)(s.Components()); fmt.Sprint(ids) != "[a a.b b]" {
		t.Errorf("components %v", ids)
	}
	for id, want := range map[string]bool{"a": true, "a.b": true, "a.": false, "c": false, "": false} {
		if found := must[bool](t)(s.HasComponent(id)); found != want {
			t.Errorf("%q: %t", id, found)
		}
	}
}

// A table or a bucket that is made again begins without metadata.
func TestMetadataGoesWithItsObject(t *testing.T) {
	s := open(t)
	column := ColumnObject("in.c-b.t", "a")
	for _, one := range []struct {
		name   string
		remove func() error
	}{ // the bucket comes last, so that its metadata is gone at the end
		{"table", func() error { return s.DeleteTable("in.c-b.t") }},
		{"bucket", func() error { return s.DeleteBucket("in.c-b", true) }},
	} {
		must[Table](t)(s.Load(t.Context(), fromText(false, "a\n1")))
		own := []Metadata{{Provider: "p", Key: "k", Value: "v"}}
		if err := s.SetMetadata(map[Object][]Metadata{TableObject("in.c-b.t"): own, column: own, BucketObject("in.c-b"): own}); err != nil {
			t.Fatal(err)
		}
		if err := one.remove(); err != nil {
			t.Fatal(err)
		}
		if left := values(t, s, TableObject("in.c-b.t")) + values(t, s, column); left != "" {
			t.Errorf("after the %s: %s", one.name, left)
		}
	}
	if left := values(t, s, BucketObject("in.c-b")); left != "" {
		t.Errorf("of the bucket: %s", left)
	}
}
