package store

import (
	"errors"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// TestPending stops where a crash could stop: the load counts, and its rows are
// not, or partly, merged.
func TestPending(t *testing.T) {
	for _, row := range []struct {
		name  string
		moved bool
	}{{"nothing merged", false}, {"rows merged, keys not", true}} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store")
			s, err := Open(path, clock)
			if err != nil {
				t.Fatal(err)
			}
			must[Table](t)(s.Load(fromText(false, "a*,b\n1,x\n2,y")))
			work := must[*load](t)(s.begin(fromText(true, "a*,b,c\n3,z,Z\n1,q,Q")))
			batch, _, err := work.read()
			if err := errors.Join(err, work.stage(batch), work.publish()); err != nil {
				t.Fatal(err)
			}
			lost := must[*load](t)(s.begin(fromText(false, "a\n1")))
			batch, _, err = lost.read()
			if err := errors.Join(err, lost.stage(batch)); err != nil {
				t.Fatal(err)
			}
			if row.moved {
				err := s.db.Update(func(tx *bbolt.Tx) error {
					_, err := move(openGeneration(tx, work.staged).cells, openGeneration(tx, work.earlier.Generation).cells)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			const want = "a*,b,c\n1,q,Q\n2,y,\n3,z,Z"
			if got := textOf(t, s, "in.c-b.t"); got != want {
				t.Errorf("before\n%s", got)
			}
			if n := generations(t, s); n != 3 {
				t.Errorf("%d generations before", n)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openAt(t, path)
			if got := textOf(t, s, "in.c-b.t"); got != want {
				t.Errorf("recovered\n%s", got)
			}
			if n := generations(t, s); n != 1 {
				t.Errorf("%d generations are left", n)
			}
			must[Table](t)(s.Load(fromText(true, "a*,b,c\n3,new,")))
			if got := textOf(t, s, "in.c-b.t"); got != "a*,b,c\n1,q,Q\n2,y,\n3,new," {
				t.Errorf("loaded again\n%s", got)
			}
		})
	}
}
