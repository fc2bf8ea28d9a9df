package config

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestParseHints: what people write that is not JSON. `run`, `plan` and `validate` all use
// these hints.
func TestParseHints(t *testing.T) {
	const comma, comment, quotes, value, general = "remove this comma", "JSON has no comments", "in double quotes", "JSON has no such value", "look at the comma"
	for _, tt := range []struct{ name, text, want string }{
		{"a comma at the end of an object", `{"a": 1,}`, comma},
		{"a comma at the end of a list", "[1,\n]", comma},
		{"a comma and a comment", "{\"a\": 1, // x\n}", comment},
		{"a comment at the beginning", "// x\n{}", comment},
		{"a comment at the end", "{} /* x */", comment},
		{"a comment of YAML", "{\"a\": 1 # x\n}", comment},
		{"single quotes", `{'a': 1}`, quotes},
		{"a value in single quotes", `{"a": 'x'}`, quotes},
		{"a name without quotes", `{api: {}}`, "write the name in double quotes"},
		{"a number that is none", `{"a": NaN}`, value},
		{"infinite", `{"a": -Infinity}`, value},
		{"undefined", `{"a": undefined}`, value},
		{"the truth of Python", `{"a": True}`, "write true, false or null"},
		{"a byte order mark", "\ufeff{}", "begins with a byte order mark"},
		{"UTF-16 with a byte order mark", "\xff\xfe{\x00}\x00", "is UTF-16"},
		{"UTF-16 without one", "\x00{\x00}", "is UTF-16"},
		{"a blank of a web page", "{\u00a0\"a\": 1}", "remove the invisible character"},
		{"a line break in a text", "{\"a\": \"x\ny\"}", `as \n`},
		{"a path of Windows", `{"a": "C:\data"}`, `a backslash twice: \\`},
		{"an open bracket", `{"a": 1`, "close its last quote"},
		{"an open quote", `{"a": "x`, "close its last quote"},
		{"nothing", "", "the file is empty"},
		{"blanks", " \n", "the file is empty"},
		{"a comma that is missing", `{"a": 1 "b": 2}`, general},
		{"a bracket too many", `{"a": 1}}`, general},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text))
			if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "config.json is not valid JSON: line ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("{'a': 1, // x\n}")
	f.Add("\xff\xfe{")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse([]byte(text)); err != nil && failure.KindOf(err) != failure.User {
			t.Errorf("%q: %v", text, err)
		}
	})
}
