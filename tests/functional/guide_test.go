package functional

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
)

// TestGuideToFormats: each job that docs/formats.md shows is one of the cases.
func TestGuideToFormats(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("cases/format-*/config.json")
	if err != nil {
		t.Fatal(err)
	}
	var tested []any
	for _, path := range paths {
		config, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Parameters struct {
				Config struct{ Jobs []any }
			}
		}
		if err := json.Unmarshal(config, &doc); err != nil {
			t.Fatal(err)
		}
		tested = append(tested, doc.Parameters.Config.Jobs...)
	}
	blocks := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindAllSubmatch(text, -1)
	if len(blocks) < 8 {
		t.Fatalf("found only %d jobs", len(blocks))
	}
	for _, block := range blocks {
		var job any
		if err := json.Unmarshal(block[1], &job); err != nil {
			t.Fatalf("%v: %s", err, block[1])
		}
		found := false
		for _, one := range tested {
			found = found || reflect.DeepEqual(one, job)
		}
		if !found {
			t.Errorf("no case has this job:\n%s", block[1])
		}
	}
}
