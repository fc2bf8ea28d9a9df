package webui

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // thousands of small requests
	goleak.VerifyTestMain(ramdisk.Tests(m.Run))
}
