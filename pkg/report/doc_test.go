package report

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func readDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/report.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var keyRow = regexp.MustCompile("^\\| `(\\w+)`( … `\\w+`)? \\| ([^|]*) \\|")

// documentedKeys are the keys of each object in docs/reference/report.md, with ", optional"
// where they are.
func documentedKeys(t *testing.T) map[string][]string {
	t.Helper()
	_, form, found := strings.Cut(readDoc(t), "## report.json\n")
	if !found {
		t.Fatal("docs/reference/report.md has no section on the form")
	}
	keys := map[string][]string{}
	object := ""
	for line := range strings.SplitSeq(form, "\n") {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			object = name
		}
		if m := keyRow.FindStringSubmatch(line); m != nil {
			key := m[1] + strings.ReplaceAll(m[2], "`", "")
			if strings.Contains(m[3], ", optional") {
				key += ", optional"
			}
			keys[object] = append(keys[object], key)
		}
	}
	return keys
}
