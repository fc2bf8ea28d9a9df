package response

import (
	"strings"
	"testing"
)

// TestOddTexts: what is odd in a text is read as it is meant, or an error.
func TestOddTexts(t *testing.T) {
	csv, lines, json, text := `{"format":"csv"}`, `{"format":"jsonl"}`, `{}`, `{"format":"text"}`
	tests := []struct{ name, body, settings, want string }{
		{"a name twice in an item: the last one", `[{"a":1,"a":2}]`, json, `{"a":2}`},
		{"lines that end with a carriage return alone", "{\"a\":1}\r{\"a\":2}\r", lines, "error: the response is not valid JSON lines: line 1: more text"},
		{"a mark in the middle of lines", "{\"a\":1}\n\ufeff{\"a\":2}\n", lines, "error: the response is not valid JSON lines: line 2: "},
		{"a mark before each of two files of CSV", "\ufeffa\n1\n\ufeffa\n2\n", csv, `{"a":"1"} {"a":"2"}`},
		{"two marks of JSON", "\ufeff\ufeff[1]", json, "error: the response is not valid JSON: "},
		{"a zero in JSON", "[\"a\x00b\"]", json, "error: the response is not valid JSON: "},
		{"a zero in a line", "\"a\x00b\"\n", lines, "error: the response is not valid JSON lines: line 1: "},
		{"a zero in CSV", "a\nx\x00y\n", csv, `{"a":"x\u0000y"}`},
		{"carriage returns alone with names", "1,2\r3,4\r", `{"format":"csv","header":["a","b","c"]}`, "error: the response is not valid CSV: line 1 has carriage returns in it"},
		{"a carriage return in a quoted field", "\"1\r2\",3\n", `{"format":"csv","header":false}`, `{"column_1":"1\r2","column_2":"3"}`},
		{"a carriage return in other quotes", "'1\r2',3\n", `{"format":"csv","header":false,"quote":"'"}`, `{"column_1":"1\r2","column_2":"3"}`},
		{"a carriage return without quotes", "\"1\r2\",3\n", `{"format":"csv","header":false,"quote":false}`, "error: the response is not valid CSV: line 1 has carriage returns in it"},
		{"a number with a decimal comma", "id;price\n1;2,5\n", csv, "error: the response is not valid CSV: the record at line 2 has 2 fields, expected at most 1; the name of the only column holds a ';': is that the 'delimiter'?"},
		{"gzip of gzip as JSON", gzipped(gzipped("[1]")), `{"unpack":"gzip"}`, `error: the response is not valid JSON: it is packed; "unpack": ["gzip", "gzip"] reads it`},
		{"gzip of gzip as text", gzipped(gzipped("x")), `{"format":"text","unpack":"gzip"}`, "error: the response is not valid text: it is packed"},
		{"more text after JSON", `[1][2]`, json, "error: the response is not valid JSON: more text"},
		{"a text", "a\x00b\r\n", text, `{"data":"a\u0000b\r\n"}`},
	}
	for _, tt := range tests {
		for _, limit := range []int{4, MemoryLimit} {
			if got, _ := scanIn(t, tt.body, "", tt.settings, limit); got != tt.want && (!strings.HasPrefix(tt.want, "error") || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
			}
		}
	}
}
