package answer

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWellKnownMembers reads the table in docs/understand/faults.md: each name in it is known,
// as what the table says.
func TestWellKnownMembers(t *testing.T) {
	text, err := os.ReadFile("../../../docs/understand/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "### Well-known members")
	part, _, _ := strings.Cut(rest, "\n## ")
	kinds := map[string]IndicatorKind{"the next page": NextPage, "there are more": MorePages, "there are none": LastPage, "rows in all": TotalRows}
	name := regexp.MustCompile("`([^`]+)`")
	known := 0
	for meaning, kind := range kinds {
		_, row, _ := strings.Cut(part, "\n| "+meaning)
		row, _, _ = strings.Cut(row, "\n")
		_, names, _ := strings.Cut(row, " | ")
		names, below, _ := strings.Cut(names, "; and ")
		for _, match := range name.FindAllStringSubmatch(names, -1) {
			known++
			if got := indicatorOf([]byte(match[1])); got != kind {
				t.Errorf("%s is of the kind %d, want %d", match[1], got, kind)
			}
		}
		below, _, _ = strings.Cut(below, " in an object")
		for _, match := range name.FindAllStringSubmatch(below, -1) {
			known++
			if !isNextMember([]byte(match[1])) {
				t.Errorf("%s does not lead to the next page", match[1])
			}
		}
	}
	groups, _, _ := strings.Cut(part, "\n|")
	_, groups, _ = strings.Cut(groups, "one of the names")
	for _, match := range name.FindAllStringSubmatch(groups, -1) {
		known++
		if !groupsIndicators([]byte(match[1])) {
			t.Errorf("%s is not a group", match[1])
		}
	}
	if want := namesInCode(t); known != want {
		t.Errorf("the page has %d names, survey.go %d", known, want)
	}
}

// namesInCode counts the names that survey.go knows.
func namesInCode(t *testing.T) int {
	text, err := os.ReadFile("survey.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, list := range regexp.MustCompile(`(?s)case ("[^:]*"):\n\t\treturn (?:NextPage|MorePages|LastPage|TotalRows|true)`).FindAllStringSubmatch(string(text), -1) {
		n += strings.Count(list[1], `"`) / 2
	}
	return n
}
