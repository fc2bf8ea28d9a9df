package functional

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain wants nothing left when all runs have ended, however they ended: no
// goroutine and nothing in the system's directory for temporary files.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // as cmd/extractor does: net/http logs what a server sends behind an answer
	temp, err := os.MkdirTemp("", "functional-")
	if err == nil {
		err = os.Setenv("TMPDIR", temp)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		left, err := filepath.Glob(filepath.Join(temp, "*"))
		// The fuzzer ends its workers, which are this program, too, without a word.
		left = slices.DeleteFunc(left, func(path string) bool { return strings.HasPrefix(filepath.Base(path), "functional-") })
		if err != nil || len(left) > 0 {
			fmt.Fprintf(os.Stderr, "left in the directory for temporary files: %v, %v\n", left, err)
			code = 1
		}
		if err := os.RemoveAll(temp); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}
