package webui

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(ramdisk.Tests(m.Run)) }
