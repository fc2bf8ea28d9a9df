package response

import "testing"

// TestOtherDelimiter: a delimiter inside of the configured quotes divides nothing.
func TestOtherDelimiter(t *testing.T) {
	for _, tt := range []struct {
		body, settings, want string
		divided              bool
	}{
		{"a;b\n1;2\n", `"header": true`, ";", true},
		{"a;b\n1\n", `"header": true`, ";", false},
		{"a;b\n1;2\n", `"delimiter": ","`, ";", false},
		{"1;2\n3;4\n", `"header": false`, ";", true},
		{"1;2\n\"3;4\"\n", `"header": false`, "", false},
		{"'1;2'\n'3;4'\n", `"header": false`, ";", true},
		{"'1;2'\n'3;4'\n", `"header": false, "quote": "'"`, "", false},
		{"\"1;2\"\n\"3;4\"\n", `"header": false, "quote": false`, ";", true},
		{"1|2\n3|4\n", `"header": ["a", "b"]`, "|", true},
	} {
		page, err := newScanner().Scan(spoolOf(t, tt.body, MemoryLimit), Query{Format: formatOf(t, `{"format": "csv", `+tt.settings+`}`)})
		if err != nil {
			t.Fatal(err)
		}
		if page.OtherDelimiter != tt.want || page.Divided != tt.divided {
			t.Errorf("%q, %s: got %q, %v", tt.body, tt.settings, page.OtherDelimiter, page.Divided)
		}
	}
}
