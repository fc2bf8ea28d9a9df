package response

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain wants all goroutines ended when the tests are.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
