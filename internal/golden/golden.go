// Package golden defines the flag -update of tests that compare with files, and
// compares a text with a file.
package golden

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write what the tests compare with; look at the difference before you commit it")

// Update reports whether to write the expected files. In CI it ends the test instead,
// because no one would review the files.
func Update(t testing.TB) bool {
	t.Helper()
	if *update && os.Getenv("CI") == "true" {
		t.Fatal("-update is refused in CI: no one would read what it writes")
	}
	return *update
}

// File compares a text with a file, or writes the file with -update.
func File(t testing.TB, path, got string) {
	t.Helper()
	if Update(t) {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(path); err != nil {
		t.Error(err)
	} else if got != string(want) {
		t.Errorf("%s is not what the test makes; run it with -update and look at the difference", path)
	}
}
