package functional

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
)

// TestGuideToFormats: each job that docs/how-to/formats.md shows is one of the cases.
func TestGuideToFormats(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/formats.md")
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

// TestGuideToReports: the jobs that docs/how-to/asynchronous-reports.md shows are those of its
// case, and the table is that of the case.
func TestGuideToReports(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/asynchronous-reports.md")
	if err != nil {
		t.Fatal(err)
	}
	const path = "cases/guide-asynchronous-reports"
	var shown, tested struct {
		Parameters struct{ Config struct{ Jobs any } }
	}
	block := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindSubmatch(text)
	if block == nil {
		t.Fatal("the guide shows no configuration")
	}
	config, err := os.ReadFile(filepath.Join(path, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal(block[1], &shown), json.Unmarshal(config, &tested)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(shown, tested) {
		t.Errorf("the guide has the jobs %v, its case %v", shown, tested)
	}
	table, err := os.ReadFile(filepath.Join(path, "expected", "tables", "b.sales"))
	if err != nil || !bytes.Contains(text, append([]byte("```csv\n"), table...)) {
		t.Errorf("the guide does not show the table of its case (%v):\n%s", err, table)
	}
}
