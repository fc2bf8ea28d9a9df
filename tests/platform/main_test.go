package platform

import (
	"os"
	"testing"

	"github.com/keboola/configurable-extractor/internal/program"
	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

// devstack and extractor are the programs, built once for all tests.
var devstack, extractor string

func TestMain(m *testing.M) {
	os.Exit(program.Run(ramdisk.Tests(m.Run).Run, map[string]*string{"devstack": &devstack, "extractor": &extractor}))
}
