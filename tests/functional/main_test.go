package functional

import (
	"io"
	"log"
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

// TestMain wants nothing left when all runs have ended, however they ended: no
// goroutine and nothing in the system's directory for temporary files.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // as cmd/extractor does: net/http logs what a server sends after a response
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // thousands of small runs; a test that looks at the memory sets its own
	}
	goleak.VerifyTestMain(ramdisk.Tests(m.Run))
}
