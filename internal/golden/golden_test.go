package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// failures is a test that records whether it failed.
type failures struct {
	testing.TB
	failed, fatal bool
}

func (*failures) Helper()                 {}
func (f *failures) Error(...any)          { f.failed = true }
func (f *failures) Errorf(string, ...any) { f.failed = true }
func (f *failures) Fatal(...any)          { f.fatal = true }

func TestFile(t *testing.T) {
	t.Setenv("CI", "")
	path := filepath.Join(t.TempDir(), "expected")
	compare := func(text string) bool {
		f := &failures{TB: t}
		File(f, path, text)
		return !f.failed && !f.fatal
	}
	if compare("a") {
		t.Error("there is no file, and nothing fails")
	}
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !compare("a") || compare("b") {
		t.Error("the comparison is wrong")
	}
	*update = true
	defer func() { *update = false }()
	if text, err := os.ReadFile(path); !compare("b") || err != nil || string(text) != "a" {
		t.Errorf("before: %q, %v", text, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "b" {
		t.Errorf("with -update: %q, %v", text, err)
	}
	t.Setenv("CI", "true")
	f := &failures{TB: t}
	if Update(f); !f.fatal {
		t.Error("-update is not refused in CI")
	}
}
