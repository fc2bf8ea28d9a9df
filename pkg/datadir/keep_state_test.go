package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

// TestKeepState: the state is there at once, stays there when the run fails, and is
// replaced by that of a commit.
func TestKeepState(t *testing.T) {
	for name, before := range map[string]map[string]string{"first run": nil, "another run": {"out/state.json": "old", "out/tables/users": "old users"}} {
		t.Run(name, func(t *testing.T) {
			d := open(t, lay(t, before))
			s := staged(t, d)
			rest := withoutStage(tree(t, d.out()))
			for _, state := range []string{`{"a":1.50}`, `{"a":2}`} {
				must(t, s.KeepState(testvalue.Parse(t, state)))
				rest["state.json"] = state
				sameTree(t, "out", withoutStage(tree(t, d.out())), rest)
			}
			must(t, s.Discard())
			sameTree(t, "out after a failed run", tree(t, d.out()), rest)
			must(t, staged(t, d).Commit(newState))
			if text, err := os.ReadFile(filepath.Join(d.out(), "state.json")); err != nil || string(text) != newStateText {
				t.Errorf("the state is %q, %v", text, err)
			}
		})
	}
}

func TestKeepStateFails(t *testing.T) {
	d := open(t, lay(t, map[string]string{"out/state.json": "old"}))
	s := staged(t, d)
	all := tree(t, d.out())
	d.rename = func(from, to string) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.New("broken")}
	}
	isApplicationError(t, s.KeepState(newState), "cannot write the state", "broken", d.out())
	sameTree(t, "out", tree(t, d.out()), all)
	must(t, s.Discard())
	isApplicationError(t, s.KeepState(newState), d.out())
	sameTree(t, "out without a stage", tree(t, d.out()), map[string]string{"state.json": "old"})
}
