package failure

import (
	"errors"
	"strings"
	"testing"
)

func TestRecover(t *testing.T) {
	plain := errors.New("plain")
	if err := Recover(func() error { return plain }); err != plain {
		t.Errorf("got %v", err)
	}
	if err := Recover(func() error { return nil }); err != nil {
		t.Errorf("got %v", err)
	}
	err := Recover(func() error {
		var none []int
		return errors.New(string(rune(none[len(none)])))
	})
	if err == nil || KindOf(err) != Application {
		t.Fatalf("got %v, want an application error", err)
	}
	for _, words := range []string{"internal error: runtime error: index out of range", "TestRecover"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q lacks %q", err, words)
		}
	}
}
