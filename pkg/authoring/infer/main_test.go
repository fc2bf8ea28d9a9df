package infer

import (
	"os"
	"testing"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

func TestMain(m *testing.M) { os.Exit(ramdisk.Tests(m.Run).Run()) }
