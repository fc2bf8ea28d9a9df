package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The component stays small: no database, no browser, nothing of the local
// platform. (The client library imports html/template, of which only a few variables
// are linked.) Tests of this command may import the local platform: its scripts need one
// that runs this program, and the test binary is this program.
func TestWhatIsNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 100 {
		t.Fatalf("only %d packages: is this the list?", len(packages))
	}
	for _, name := range packages {
		for _, unwanted := range []string{"go.etcd.io/bbolt", "github.com/chromedp/", "github.com/keboola/configurable-extractor/pkg/devstack", "github.com/keboola/go-client/pkg/keboola"} {
			if strings.HasPrefix(name, unwanted) {
				t.Errorf("the extractor links %s", name)
			}
		}
	}
}
