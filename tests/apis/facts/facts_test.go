package facts

import (
	"strings"
	"testing"
)

// page is a page with a row for each name, and one that is not verified.
func page(rows ...string) string {
	text := "# API\n\n## Facts\n\nWhat it depends on.\n\n" + head
	for _, name := range Names {
		text += "| " + name + " | a value | [documentation](https://example.com/docs) | 2026-02-01 |\n"
	}
	return text + strings.Join(rows, "") + "\n## See also\n"
}

func TestRead(t *testing.T) {
	all, err := Read(page("| ties | by id | not verified: no one says it | – |\n"))
	if err != nil || len(all) != len(Names)+1 {
		t.Fatalf("%d facts, %v", len(all), err)
	}
	if first := all[0]; first.Name != "address" || first.Value != "a value" || first.Date.Format("2006-01-02") != "2026-02-01" {
		t.Errorf("%+v", first)
	}
	if last := all[len(Names)]; !last.Date.IsZero() {
		t.Errorf("%+v", last)
	}
}

func TestReadFails(t *testing.T) {
	for name, text := range map[string]string{
		"no section":   "# API\n",
		"no table":     "## Facts\n\nNone.\n",
		"missing fact": strings.Replace(page(), "| order |", "| odor |", 1),
		"no link":      page("| ties | by id | the documentation | 2026-02-01 |\n"),
		"no date":      page("| ties | by id | [x](https://example.com) | yesterday |\n"),
		"no reason":    page("| ties | by id | not verified:  | – |\n"),
		"no value":     page("| ties |  | [x](https://example.com) | 2026-02-01 |\n"),
		"cells":        page("| ties | by id |\n"),
	} {
		if _, err := Read(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
