package apis

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // hundreds of small runs
	os.Exit(ramdisk.Tests(m.Run).Run())
}
