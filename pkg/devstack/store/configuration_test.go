package store

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestConfigurations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s, err := Open(path, clock)
	if err != nil {
		t.Fatal(err)
	}
	create := func(component, id string) Configuration {
		return must[Configuration](t)(s.CreateConfiguration(Configuration{Component: component, ID: id}))
	}
	taken := create("c", "2") // the number whose turn would come
	first, second := create("c", ""), create("c", "")
	create("c.d", "own")
	if first.ID != "1" || second.ID != "3" || first.Version != 1 || !first.Created.Equal(clock()) || string(first.State) != "{}" {
		t.Errorf("created %+v, %+v", first, second)
	}
	if _, err := s.CreateConfiguration(Configuration{Component: "c", ID: "2"}); err != ErrExists {
		t.Errorf("the same id: %v", err)
	}
	changed, err := s.UpdateConfiguration("c", first.ID, func(c *Configuration) error {
		c.Name, c.ID, c.Component = "new", "other", "other"
		c.Rows = append(c.Rows, Row{ID: "r"})
		return nil
	})
	if err != nil || changed.ID != first.ID || changed.Component != "c" || changed.Version != 2 || string(changed.Rows[0].Configuration) != "{}" {
		t.Errorf("changed %+v, %v", changed, err)
	}
	for _, row := range []string{"", "r"} {
		if changed, err = s.SetState("c", first.ID, row, json.RawMessage(`{"row":"`+row+`"}`)); err != nil {
			t.Error(err)
		}
	}
	if changed.Version != 2 || string(changed.State) != `{"row":""}` || string(changed.Rows[0].State) != `{"row":"r"}` {
		t.Errorf("with states %+v", changed)
	}
	for name, err := range map[string]error{
		"state of no row":    errorOf(s.SetState("c", first.ID, "none", nil)),
		"state of none":      errorOf(s.SetState("c", "none", "", nil)),
		"change of none":     errorOf(s.UpdateConfiguration("c", "none", func(*Configuration) error { return nil })),
		"none":               errorOf(s.Configuration("c", "none")),
		"another component":  errorOf(s.Configuration("c.d", first.ID)),
		"a NUL in the wrong": errorOf(s.Configuration("c\x002", "")),
		"deletion of none":   s.DeleteConfiguration("c", "none"),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.DeleteConfiguration("c", taken.ID); err != nil {
		t.Error(err)
	}
	if _, err := s.CreateConfiguration(Configuration{Component: "c", ID: "2"}); err != ErrExists {
		t.Errorf("the id of one in the trash: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if stored := must[Configuration](t)(s.Configuration("c", first.ID)); !reflect.DeepEqual(stored, changed) {
		t.Errorf("stored\n%+v, returned\n%+v", stored, changed)
	}
	list := func(component string, deleted bool) (ids string) {
		for _, c := range must[[]Configuration](t)(s.Configurations(component, deleted)) {
			ids += c.ID + " "
		}
		return ids
	}
	for _, row := range []struct {
		name, component string
		deleted         bool
		want            string
	}{
		{"of a component", "c", false, "1 3 "},
		{"of a component whose name begins alike", "c.d", false, "own "},
		{"of all", "", false, "1 3 own "},
		{"the trash", "c", true, "2 "},
		{"of no component", "d", false, ""},
	} {
		if got := list(row.component, row.deleted); got != row.want {
			t.Errorf("%s: %q", row.name, got)
		}
	}
	if err := s.DeleteConfiguration("c", "2"); err != nil || list("", true) != "" {
		t.Errorf("deleted for good: %v, left %s", err, list("", true))
	}
}

// errorOf drops what came with an error.
func errorOf[T any](_ T, err error) error { return err }

func TestConfigurationIDs(t *testing.T) {
	s := open(t)
	for _, row := range []struct{ name, component, id, want string }{
		{"no component", "", "1", "needs a component"},
		{"NUL in a component", "a\x00b", "1", "control characters"},
		{"NUL in an id", "a", "b\x00c", "control characters"},
		{"a long id", "a", strings.Repeat("x", 256), "longer than 255 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := s.CreateConfiguration(Configuration{Component: row.component, ID: row.id})
			checkUserError(t, err, row.want)
		})
	}
}
