package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

const evil = "</script><script>alert(1)</script><!--<script> {{script}} \u2028 \" \\ \x00"

// TestPage: the page has the report with any texts, and its policy allows its own style
// and script.
func TestPage(t *testing.T) {
	f := newFixture()
	f.emit(0, event.ConfigWarning{Pointer: evil, Text: evil}, event.TableWritten{Table: evil, Columns: []string{evil}}, event.RunFailed{Error: evil})
	dir := t.TempDir()
	if err := f.Write(dir, noon, evil); err != nil {
		t.Fatal(err)
	}
	page, text := load(t, filepath.Join(dir, "report.html")), load(t, filepath.Join(dir, "report.json"))
	element := regexp.MustCompile(`(?s)<(style|script)([^>]*)>(.*?)</(?:style|script)>`).FindAllStringSubmatch(page, -1)
	if len(element) != 3 || strings.Count(page, "<script") != 2 {
		t.Fatalf("%d elements, %d scripts", len(element), strings.Count(page, "<script"))
	}
	var shown, written Report
	for into, from := range map[*Report]string{&shown: element[1][3], &written: text} {
		if err := json.Unmarshal([]byte(from), into); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "the report in the page", shown, written)
	if shown.Warnings[0].Pointer != evil || shown.Tables[0].Columns[0].Name != evil {
		t.Errorf("texts have changed: %s", text)
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1]
	for _, i := range []int{0, 2} {
		sum := sha256.Sum256([]byte(element[i][3]))
		if want := element[i][1] + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %s has no %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	if found := regexp.MustCompile(`(?i)\b(src|href)\s*=|url\(|@import|fetch\(|innerHTML`).FindString(strings.Replace(page, element[1][3], "", 1)); found != "" {
		t.Errorf("the page has %s", found)
	}
}

func TestFilesAreReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"report.json", "report.html"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("old", 100_000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := newFixture().Write(dir, noon, ""); err != nil {
		t.Fatal(err)
	}
	if text := load(t, filepath.Join(dir, "report.json")); !json.Valid([]byte(text)) || !strings.HasSuffix(text, "}\n") {
		t.Errorf("got %s", text)
	}
	// A directory of that name cannot be replaced; no temporary file may be left.
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(other, "report.json", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := newFixture().Write(other, noon, ""); failure.KindOf(err) != failure.Application {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	if err := Prepare(filepath.Join(dir, "a", "b")); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := Prepare(filepath.Join(dir, "file"))
	if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "cannot write a report to '") {
		t.Errorf("got %v", err)
	}
}

func load(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
