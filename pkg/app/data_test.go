package app

import (
	"os"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestNoDataDirectory: the error says how to mount one.
func TestNoDataDirectory(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(platformData); err == nil {
		t.Skipf("this machine has a directory %s", platformData)
	}
	_, err := openData(platformData)
	if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), ` -v "$PWD/my-data:/data" ghcr.io/keboola/configurable-extractor`) {
		t.Errorf("got %v", err)
	}
	if _, err := openData(t.TempDir() + "/none"); err == nil || failure.KindOf(err) == failure.User || strings.Contains(err.Error(), "docker") {
		t.Errorf("a directory that is named: %v", err)
	}
}
