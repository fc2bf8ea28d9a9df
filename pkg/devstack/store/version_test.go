package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// ticking is a clock that moves on by a second each time.
func ticking() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time { return clock().Add(time.Duration(seconds.Add(1)) * time.Second) }
}

// history has the configuration c/1 with seven versions.
func history7(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "store"), ticking())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	change := func(description string, change func(*Configuration)) {
		t.Helper()
		must[Configuration](t)(s.UpdateConfiguration("c", "1", func(c *Configuration) error {
			c.ChangeDescription = description
			change(c)
			return nil
		}))
	}
	must[Configuration](t)(s.CreateConfiguration(Configuration{Component: "c", ID: "1", Name: "one", ChangeDescription: "made", Configuration: json.RawMessage(`{"n":1}`)}))
	change("renamed", func(c *Configuration) { c.Name = "two" })
	change("rows", func(c *Configuration) {
		c.Rows = []Row{{ID: "a", Name: "a1", Configuration: json.RawMessage(`{"a":1}`)}, {ID: "b", Name: "b1"}}
	})
	change("row changed", func(c *Configuration) {
		c.Rows[0].Version++
		c.Rows[0].Name, c.Rows[0].Configuration = "a2", json.RawMessage(`{"a":2}`)
	})
	change("row deleted", func(c *Configuration) { c.Rows = c.Rows[1:] })
	change("row again", func(c *Configuration) { c.Rows = append(c.Rows, Row{ID: "a", Name: "a3", Version: 1}) })
	change("content", func(c *Configuration) { c.Configuration = json.RawMessage(`{"n":2}`) })
	return s
}

// sketch is what differs between versions: number, name, content, and rows with their
// versions and contents.
func sketch(c Configuration) string {
	text := fmt.Sprintf("%d %s %s", c.Version, c.Name, c.Configuration)
	for _, r := range c.Rows {
		text += fmt.Sprintf(" %s:%d %s %s", r.ID, r.Version, r.Name, r.Configuration)
	}
	return text
}

func TestVersions(t *testing.T) {
	s := history7(t)
	list := func(read func(func(Version) bool) error) (descriptions string) {
		if err := read(func(v Version) bool {
			descriptions += fmt.Sprintf("%d %s|", v.Number, v.ChangeDescription+v.Name)
			return v.Number != 3
		}); err != nil {
			t.Error(err)
		}
		return descriptions
	}
	of := func(id string) func(func(Version) bool) error {
		return func(keep func(Version) bool) error { return s.Versions("c", id, "", keep) }
	}
	ofRow := func(row string) func(func(Version) bool) error {
		return func(keep func(Version) bool) error { return s.Versions("c", "1", row, keep) }
	}
	for _, row := range []struct{ name, got, want string }{
		{"of a configuration, until enough", list(of("1")), "7 contenttwo|6 row againtwo|5 row deletedtwo|4 row changedtwo|3 rowstwo|"},
		{"of none", list(of("2")), ""},
		{"of a row", list(ofRow("b")), "1 b1|"},
		{"of a row that was made twice", list(ofRow("a")), "3 a3|"},
		{"of no row", list(ofRow("x")), ""},
	} {
		if row.got != row.want {
			t.Errorf("%s: %s, want %s", row.name, row.got, row.want)
		}
	}
	for number, want := range []string{"", `1 one {"n":1}`, `2 two {"n":1}`, `3 two {"n":1} a:1 a1 {"a":1} b:1 b1 {}`,
		`4 two {"n":1} a:2 a2 {"a":2} b:1 b1 {}`, `5 two {"n":1} b:1 b1 {}`, `6 two {"n":1} b:1 b1 {} a:3 a3 {}`, `7 two {"n":2} b:1 b1 {} a:3 a3 {}`} {
		got, err := s.Version("c", "1", number)
		if want == "" {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("version 0: %v", err)
			}
			continue
		}
		if err != nil || sketch(got) != want || got.Created != clock().Add(time.Second) || got.Changed != clock().Add(time.Duration(number)*time.Second) {
			t.Errorf("version %d: %s, created %s, changed %s, %v", number, sketch(got), got.Created, got.Changed, err)
		}
	}
	if row, err := s.RowVersion("c", "1", "a", 2); err != nil || string(row.Configuration) != `{"a":2}` || row.Changed != clock().Add(4*time.Second) {
		t.Errorf("row %+v, %v", row, err)
	}
	for _, number := range []int{-1, 8, 1 << 60} {
		if _, err := s.Version("c", "1", number); !errors.Is(err, ErrNotFound) {
			t.Errorf("version %d: %v", number, err)
		}
	}
}

func TestRollback(t *testing.T) {
	for _, row := range []struct {
		name    string
		change  func(*Store) (Configuration, error)
		want    string
		changed string
	}{
		{"to the first version", func(s *Store) (Configuration, error) { return s.Rollback("c", "1", 1, "back") }, `8 one {"n":1}`, "back"},
		{"to a version with other rows", func(s *Store) (Configuration, error) { return s.Rollback("c", "1", 4, "back") },
			`8 two {"n":1} a:4 a2 {"a":2} b:1 b1 {}`, "back"},
		{"to the current version", func(s *Store) (Configuration, error) { return s.Rollback("c", "1", 7, "") }, `8 two {"n":2} b:1 b1 {} a:3 a3 {}`, ""},
		{"of a row", func(s *Store) (Configuration, error) { return s.RollbackRow("c", "1", "a", 1, "back") },
			`8 two {"n":2} b:1 b1 {} a:4 a1 {"a":1}`, "back"},
		{"of a row to its current version", func(s *Store) (Configuration, error) { return s.RollbackRow("c", "1", "b", 1, "back") },
			`8 two {"n":2} b:2 b1 {} a:3 a3 {}`, "back"},
		{"as a copy", func(s *Store) (Configuration, error) {
			return s.Copy("c", "1", 3, Configuration{ID: "2", Name: "copy", ChangeDescription: "copied"})
		}, `1 copy {"n":1} a:1 a1 {"a":1} b:1 b1 {}`, "copied"},
		{"from the trash", func(s *Store) (Configuration, error) {
			if err := s.DeleteConfiguration("c", "1"); err != nil {
				return Configuration{}, err
			}
			return s.Restore("c", "1", "back")
		}, `9 two {"n":2} b:1 b1 {} a:3 a3 {}`, "back"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := history7(t)
			must[Configuration](t)(s.SetState("c", "1", "", json.RawMessage(`{"s":1}`)))
			must[Configuration](t)(s.SetState("c", "1", "b", json.RawMessage(`{"s":2}`)))
			before := must[Configuration](t)(s.Version("c", "1", 7))
			got, err := row.change(s)
			if err != nil || sketch(got) != row.want || got.ChangeDescription != row.changed || got.IsDeleted {
				t.Fatalf("%s %q, %v\nwant %s", sketch(got), got.ChangeDescription, err, row.want)
			}
			if got.ID == "1" && string(got.State) != `{"s":1}` || got.ID == "2" && string(got.State) != "{}" {
				t.Errorf("state %s", got.State)
			}
			if b, found := got.Row("b"); found && got.ID == "1" && string(b.State) != `{"s":2}` {
				t.Errorf("state of the row %s", b.State)
			}
			if stored := must[Configuration](t)(s.Version("c", got.ID, got.Version)); sketch(stored) != row.want {
				t.Errorf("the version is %s", sketch(stored))
			}
			if now := must[Configuration](t)(s.Version("c", "1", 7)); sketch(now) != sketch(before) {
				t.Errorf("an earlier version changed: %s", sketch(now))
			}
		})
	}
}

func TestRollbackRefuses(t *testing.T) {
	s := history7(t)
	must[Configuration](t)(s.CreateConfiguration(Configuration{Component: "c", ID: "gone"}))
	if err := s.DeleteConfiguration("c", "gone"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a version that is not there":        errorOf(s.Rollback("c", "1", 8, "")),
		"a configuration that is not there":  errorOf(s.Rollback("c", "2", 1, "")),
		"one in the trash":                   errorOf(s.Rollback("c", "gone", 1, "")),
		"a row that is not there":            errorOf(s.RollbackRow("c", "1", "c", 1, "")),
		"a version of a row that is not":     errorOf(s.RollbackRow("c", "1", "a", 4, "")),
		"a copy of a version that is not":    errorOf(s.Copy("c", "1", 8, Configuration{})),
		"restoring what is not in the trash": errorOf(s.Restore("c", "1", "")),
		"restoring what does not exist":      errorOf(s.Restore("c", "2", "")),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Copy("c", "1", 1, Configuration{ID: "gone"}); !errors.Is(err, ErrExists) {
		t.Errorf("a copy to an id that is taken: %v", err)
	}
}

// A purged configuration leaves nothing, and others keep their versions.
func TestPurgeForgetsVersions(t *testing.T) {
	s := history7(t)
	must[Configuration](t)(s.CreateConfiguration(Configuration{Component: "c", ID: "10", Rows: []Row{{ID: "a"}}}))
	for range 2 {
		if err := s.DeleteConfiguration("c", "1"); err != nil {
			t.Fatal(err)
		}
	}
	for _, bucket := range [][]byte{versions, contents} {
		var keys []string
		err := s.read(func(tx *bbolt.Tx) error {
			return tx.Bucket(bucket).ForEach(func(key, _ []byte) error {
				keys = append(keys, strings.ReplaceAll(string(key[:len(key)-8]), "\x00", "/"))
				return nil
			})
		})
		if got := strings.Join(keys, " "); err != nil || got != "c/10/ c/10/a/" {
			t.Errorf("%s: %v, %v", bucket, got, err)
		}
	}
}
