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

// TestReferenceOfFiles: the configuration, the answers, the tables, the manifests and the
// state that docs/reference/files.md shows are those of its case.
func TestReferenceOfFiles(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/files.md")
	if err != nil {
		t.Fatal(err)
	}
	const path = "cases/guide-files"
	read := func(name string) []byte {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.TrimRight(content, "\n")
	}
	answers := regexp.MustCompile(`(?s)\n200\n\n(.*?)(?:\n===|$)`).FindAllSubmatch(read("api/requests.txt"), -1)
	if len(answers) != 3 {
		t.Fatalf("the case has %d answers", len(answers))
	}
	block := func(language string, content []byte) string {
		return "```" + language + "\n" + string(content) + "\n```\n"
	}
	for what, want := range map[string]string{
		"the configuration":      block("json", read("config.json")),
		"the users":              block("json", answers[0][1]),
		"the orders":             "first user are `" + string(answers[1][1]) + "`, those of the second `" + string(answers[2][1]) + "`",
		"crm.users":              block("csv", read("expected/tables/crm.users")),
		"crm.users_tags":         block("csv", read("expected/tables/crm.users_tags")),
		"crm.orders":             block("csv", read("expected/tables/crm.orders")),
		"the manifest of users":  block("json", read("expected/tables/crm.users.manifest")),
		"the manifest of orders": block("json", read("expected/tables/crm.orders.manifest")),
		"the state":              block("json", read("expected/state.json")),
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page does not show %s of its case:\n%s", what, want)
		}
	}
	if blocks := bytes.Count(text, []byte("\n```\n")); blocks != 8 {
		t.Errorf("the page has %d blocks, 8 are compared", blocks)
	}
}

// TestReferenceOfActions: the answers of actions in docs/reference/platform-api.md are those
// of their cases.
func TestReferenceOfActions(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/platform-api.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindAllSubmatch(text, -1)
	cases := []string{"action-test-request", "action-validate", "action-test-request-fails"}
	if len(blocks) != len(cases) {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	for i, name := range cases {
		answer, err := os.ReadFile(filepath.Join("cases", name, "expected", "answer.json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.TrimSpace(answer), bytes.TrimSpace(blocks[i][1])) {
			t.Errorf("the page does not show the answer of %s:\n%s", name, answer)
		}
	}
}
