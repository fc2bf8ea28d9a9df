package response

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

// TestMain wants all goroutines ended when the tests are.
func TestMain(m *testing.M) { goleak.VerifyTestMain(ramdisk.Tests(m.Run)) }
