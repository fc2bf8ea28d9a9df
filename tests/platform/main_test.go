package platform

import (
	"os"
	"testing"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/internal/testbin"
)

// devstack and extractor are the programs, built once for all tests.
var devstack, extractor string

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(ramdisk.Tests(m.Run).Run, map[string]*string{"devstack": &devstack, "extractor": &extractor}))
}
