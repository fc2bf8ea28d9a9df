package response

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// inCharset is a text in a character set.
func inCharset(t testing.TB, name, text string) string {
	t.Helper()
	if e := wide[name]; e != nil {
		encoded, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%q in %s: %v", text, name, err)
	}
	return encoded
}

// scanIn scans a text with a header Content-Type, in memory or in a file.
func scanIn(t testing.TB, body, contentType, settings string, limit int) (items, damaged string) {
	t.Helper()
	spool := spoolOf(t, body, limit)
	spool.Arrived("", contentType)
	page, err := newScanner().Scan(spool, Query{Format: formatOf(t, settings)})
	if err != nil {
		return "error: " + err.Error(), ""
	}
	var all []string
	for item, err := range page.Items() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item.Value().JSON())
	}
	return strings.Join(all, " "), page.Damaged
}

func TestCharsetOfText(t *testing.T) {
	latin := inCharset(t, "iso-8859-2", `["Plzeň, káva"]`)
	tests := []struct{ name, body, header, settings, want, damaged string }{
		{"UTF-8", `["ň"]`, "", `{}`, `"ň"`, ""},
		{"the header", latin, "application/json; charset=iso-8859-2", `{}`, `"Plzeň, káva"`, ""},
		{"a header in capitals and quotes", latin, `application/json;charset="ISO-8859-2"`, `{}`, `"Plzeň, káva"`, ""},
		{"no header", latin, "application/json", `{}`, `"Plze, kva"`, "UTF-8"},
		{"a header that cannot be read", latin, "application/json; charset=", `{}`, `"Plze, kva"`, "UTF-8"},
		{"a header for UTF-8", latin, "application/json; charset=utf-8", `{}`, `"Plze, kva"`, "UTF-8"},
		{"a setting", latin, "application/json; charset=utf-8", `{"encoding": "latin2"}`, `"Plzeň, káva"`, ""},
		{"a setting of UTF-8", latin, "application/json; charset=iso-8859-2", `{"encoding": "utf-8"}`, `"Plze, kva"`, "UTF-8"},
		{"a setting, but UTF-8", `["ň"]`, "", `{"encoding": "windows-1252"}`, `"Åˆ"`, ""},
		{"a mark", "\ufeff[\"ň\"]", "application/json; charset=iso-8859-2", `{"encoding": "windows-1252"}`, `"ň"`, ""},
		{"UTF-16 with a mark", inCharset(t, "utf-16le", "\ufeff[\"ň\"]"), "", `{"encoding": "windows-1252"}`, `"ň"`, ""},
		{"UTF-32 with a mark", inCharset(t, "utf-32le", "\ufeff[\"ň\"]"), "", `{}`, `"ň"`, ""},
		{"UTF-32 the other way", inCharset(t, "utf-32be", "\ufeff[\"ň\"]"), "", `{}`, `"ň"`, ""},
		{"UTF-16", inCharset(t, "utf-16be", `["ň"]`), "", `{}`, `"ň"`, ""},
		{"UTF-32", inCharset(t, "utf-32le", `["ň"]`), "", `{}`, `"ň"`, ""},
		{"UTF-16 that could be UTF-8", inCharset(t, "utf-16le", `["胃"]`), "application/json; charset=utf-16le", `{}`, `"胃"`, ""},
		{"not UTF-16 at all", `["a"]`, "application/json; charset=utf-16", `{}`, `"a"`, ""},
		{"not UTF-16 at all, by other names", "a\n1\n", "text/csv; charset=ucs-2", `{"format":"csv"}`, `{"a":"1"}`, ""},
		{"not EBCDIC at all", "a\n1\n", "text/csv; charset=ibm037", `{"format":"csv"}`, `{"a":"1"}`, ""},
		{"EBCDIC", "\x81\x25\xf1\x25", "text/csv; charset=ibm037", `{"format":"csv"}`, `{"a":"1"}`, ""},
		{"XML that is not UTF-16 by another name", `<?xml version="1.0" encoding="unicode"?><r><i>a</i></r>`, "", `{"format":"xml"}`, `"a"`, ""},
		{"a header with a parameter that is wrong", latin, "application/json; charset=iso-8859-2; filename=all rows.json", `{}`, `"Plzeň, káva"`, ""},
		{"a header with two types", latin, `application/json, text/json;charset="iso-8859-2"`, `{}`, `"Plzeň, káva"`, ""},
		{"CSV in UTF-16 whose header has no zero", inCharset(t, "utf-16le", "名前\n胃\n"), "text/csv; charset=utf-16", `{"format":"csv"}`, `{"名前":"胃"}`, ""},
		{"the typographic characters of Windows", "[\"\x93x\x94 \x80\"]", "application/json; charset=iso-8859-1", `{}`, `"“x” €"`, ""},
		{"ISO-2022-JP", inCharset(t, "iso-2022-jp", `["日本"]`), "application/json; charset=iso-2022-jp", `{}`, `"日本"`, ""},
		{"UTF-8 called ISO-2022-JP", `["日本"]`, "application/json; charset=iso-2022-jp", `{}`, `"日本"`, ""},
		{"wrong bytes of Shift_JIS", "[\"x\xfdy\"]", "application/json; charset=shift_jis", `{}`, "\"x\ufffdy\"", "shift_jis"},
		{"half a character at the end", "x\x83", "text/plain; charset=shift_jis", `{"format":"text"}`, "{\"data\":\"x\ufffd\"}", "shift_jis"},
		{"half a character of UTF-16", "x\x00y\x00z", "", `{"format":"text"}`, "{\"data\":\"xy\ufffd\"}", "utf-16le"},
		{"a replacement character that was sent", inCharset(t, "utf-16le", "[\"\ufffd\"]"), "", `{}`, "\"\ufffd\"", ""},
		{"a surrogate without the other", "[\x00\"\x00\x00\xd8\"\x00]\x00", "", `{}`, "\"\ufffd\"", "utf-16le"},
		{"two marks of CSV", "\ufeff\ufeffa\n1\n", "", `{"format":"csv"}`, `{"a":"1"}`, ""},
		{"XML by the header", inCharset(t, "iso-8859-2", `<r><i>ň</i></r>`), "text/xml; charset=iso-8859-2", `{"format":"xml"}`, `"ň"`, ""},
		{"XML by itself", inCharset(t, "iso-8859-2", `<?xml version="1.0" encoding="iso-8859-2"?><r><i>ň</i></r>`), "text/xml; charset=koi8-r", `{"format":"xml"}`, `"ň"`, ""},
		{"XML with a mark", "\ufeff" + `<?xml version="1.0" encoding="iso-8859-2"?><r><i>ň</i></r>`, "", `{"format":"xml"}`, `"ň"`, ""},
		{"XML in UTF-16", inCharset(t, "utf-16be", `<?xml version="1.0" encoding="utf-16"?><r><i>ň</i></r>`), "", `{"format":"xml"}`, `"ň"`, ""},
		{"XML with wrong bytes", "<?xml version=\"1.0\" encoding=\"shift_jis\"?><r><i>x\xfdy</i></r>", "", `{"format":"xml"}`, "\"x\ufffdy\"", "shift_jis"},
	}
	for _, tt := range tests {
		for _, limit := range []int{4, MemoryLimit} {
			if got, damaged := scanIn(t, tt.body, tt.header, tt.settings, limit); got != tt.want || damaged != tt.damaged {
				t.Errorf("%s: got %s, damaged %q, want %s, %q", tt.name, got, damaged, tt.want, tt.damaged)
			}
		}
	}
}

// TestCharsetsAtBorders: characters of several bytes are read whole wherever the reads of a
// large text end.
func TestCharsetsAtBorders(t *testing.T) {
	slowtest.SkipRace(t, "its texts are large")
	random := rand.New(rand.NewPCG(1, 2))
	for name, letters := range map[string]string{
		"shift_jis": "aソ表能日", "gbk": "a中誠", "big5": "a功許", "euc-kr": "a한글", "utf-16le": "a胃č😀", "utf-16be": "a胃č😀", "utf-32le": "a😀č", "windows-1250": "ažř", "iso-2022-jp": "a日本語", "utf-8": "ač😀",
	} {
		runes := []rune(letters)
		var text strings.Builder
		text.WriteString(`["a"`)
		for text.Len() < 300<<10 {
			text.WriteString(`,"`)
			for range random.IntN(200) {
				text.WriteRune(runes[random.IntN(len(runes))])
			}
			text.WriteString(`"`)
		}
		text.WriteString("]")
		want := strings.ReplaceAll(strings.Trim(text.String(), "[]"), ",", " ")
		for _, limit := range []int{16, MemoryLimit} {
			got, damaged := scanIn(t, inCharset(t, name, text.String()), "application/json; charset="+name, `{}`, limit)
			if got != want || damaged != "" {
				t.Errorf("%s, limit %d: %d bytes are others, damaged %q: %.200s", name, limit, len(got), damaged, got)
			}
		}
	}
}

// TestUnknownCoding: a body whose Content-Encoding is not known is never data.
func TestUnknownCoding(t *testing.T) {
	for _, format := range []string{"json", "jsonl", "csv", "xml", "text"} {
		spool := spoolOf(t, "a\n1\n", MemoryLimit)
		spool.Arrived("br", "")
		_, err := newScanner().Scan(spool, Query{Format: formatOf(t, fmt.Sprintf(`{"format": %q}`, format))})
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), `its header Content-Encoding says "br"`) {
			t.Errorf("%s: %v", format, err)
		}
		if _, ok, err := ReadFields(spool, nil); ok || err != nil {
			t.Errorf("looked into it: %v, %v", ok, err)
		}
		if _, _, err := spool.Text(Format{}); err == nil {
			t.Error("its text was read")
		}
	}
	empty := spoolOf(t, "", MemoryLimit)
	empty.Arrived("br", "")
	if _, err := newScanner().Scan(empty, Query{}); !errors.Is(err, io.EOF) {
		t.Errorf("an empty body: %v", err)
	}
}
