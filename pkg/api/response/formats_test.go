package response

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// formatOf compiles a section `response`.
func formatOf(t testing.TB, text string) Format {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var problems failure.Problems
	f := Compile(field.NewSection(v, "/response", &problems))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}

// outcome is what a scan found: the items, or the error.
func outcome(t testing.TB, text string, q Query, where int) string {
	t.Helper()
	page, err := newScanner().Scan(spoolOf(t, text, where), q)
	switch {
	case err == io.EOF:
		return "nothing"
	case err != nil:
		kind := ""
		if failure.KindOf(err) != failure.User {
			kind = "not the user's: "
		}
		return "error: " + kind + err.Error()
	default:
		return items(t, page)
	}
}

// TestCSV: what becomes of a text in CSV, with settings.
func TestCSV(t *testing.T) {
	tests := []struct{ name, settings, text, want string }{
		{"records", "", "a,b\n1,2\n3,4\n", `{"a":"1","b":"2"} {"a":"3","b":"4"}`},
		{"RFC 4180, 1: CRLF", "", "a,b,c\r\naaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", `{"a":"aaa","b":"bbb","c":"ccc"} {"a":"zzz","b":"yyy","c":"xxx"}`},
		{"RFC 4180, 2: no line break at the end", "", "a,b,c\r\naaa,bbb,ccc\r\nzzz,yyy,xxx", `{"a":"aaa","b":"bbb","c":"ccc"} {"a":"zzz","b":"yyy","c":"xxx"}`},
		{"RFC 4180, 3: header", "", "field_name,field_name2\r\naaa,bbb\r\n", `{"field_name":"aaa","field_name2":"bbb"}`},
		{"RFC 4180, 4: blanks belong to the field", "", "a,b\n x , y\n", `{"a":" x ","b":" y"}`},
		{"RFC 4180, 5: quotes", "", "a,b,c\r\n\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx", `{"a":"aaa","b":"bbb","c":"ccc"} {"a":"zzz","b":"yyy","c":"xxx"}`},
		{"RFC 4180, 6: line breaks in quotes", "", "a,b,c\r\n\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx", `{"a":"aaa","b":"b\r\nbb","c":"ccc"} {"a":"zzz","b":"yyy","c":"xxx"}`},
		{"RFC 4180, 7: doubled quotes", "", "a,b,c\n\"aaa\",\"b\"\"bb\",\"ccc\"", `{"a":"aaa","b":"b\"bb","c":"ccc"}`},
		{"nothing", "", "", ""},
		{"header only", "", "a,b\n", ""},
		{"blank lines only", "", "\n\r\n\n", ""},
		{"lines without a character", "", "\n\na,b\n\n1,2\n\r\n\n3,4\n\n", `{"a":"1","b":"2"} {"a":"3","b":"4"}`},
		{"a line with a blank is a record", "", "a,b\n \n", `{"a":" "}`},
		{"a line of empty quotes is a record", "", "a\n\"\"\n", `{"a":""}`},
		{"fewer fields", "", "a,b,c\n1\n1,2\n", `{"a":"1"} {"a":"1","b":"2"}`},
		{"one more", "", "a,b\n1,2\n\n1,2,3,4\n", "error: the response is not valid CSV: the record at line 4 has 4 fields, expected at most 2; it begins with: a,b 1,2 1,2,3,4"},
		{"one more, after a record of two lines", "", "a,b\n\"1\n\",2\n1,\"2\n\",3\n", "error: the response is not valid CSV: the record at line 4 has 3 fields, expected at most 2; it begins with: a,b \"1 \",2 1,\"2 \",3"},
		{"a quote that never ends", "", "a,b\n1,2\n3,\"4\n5,6\n", "error: the response is not valid CSV: the quote of a field never ends, in the record at line 3; it begins with: a,b 1,2 3,\"4 5,6"},
		{"a quote that never ends, last", "", "a,b\n3,\"", "error: the response is not valid CSV: the quote of a field never ends, in the record at line 2; it begins with: a,b 3,\""},
		{"text after a closing quote", "", "a,b\n\"x\"y,\"x\" \"y\"\"\n", `{"a":"xy","b":"x \"y\"\""}`},
		{"quotes inside", "", "a,b\nx\"y\"z,1\n", `{"a":"x\"y\"z","b":"1"}`},
		{"empty fields", "", "a,b,c\n,,\n\"\",,\"\"\n", `{"a":"","b":"","c":""} {"a":"","b":"","c":""}`},
		{"names", "", ",a,a,,a,a_2\n1,2,3,4,5,6\n", `{"column_1":"1","a":"2","a_2":"3","column_4":"4","a_3":"5","a_2_2":"6"}`},
		{"a quoted header of two lines", "", "\"a\nb\",c\n1,2\n", `{"a\nb":"1","c":"2"}`},
		{"semicolons", `"delimiter": ";"`, "a;b\n1,5;2\n", `{"a":"1,5","b":"2"}`},
		{"tabs", `"delimiter": "\t"`, "a\tb\n1\t2\n", `{"a":"1","b":"2"}`},
		{"tabs, written", `"delimiter": "\\t"`, "a\tb\n1\t2\n", `{"a":"1","b":"2"}`},
		{"a delimiter of two bytes", `"delimiter": "¦"`, "a¦b\n\"1\"x¦2\n", `{"a":"1x","b":"2"}`},
		{"another quote", `"quote": "'"`, "a,b\n'1,''2',\"\n", `{"a":"1,'2","b":"\""}`},
		{"a quote of two bytes", `"quote": "«"`, "a,b\n«1,««2«,\"\n", `{"a":"1,«2","b":"\""}`},
		{"no quote", `"quote": false`, "a,b\n\"1,2\"\n", `{"a":"\"1","b":"2\""}`},
		{"the usual quote", `"quote": true`, "a\n\"1,2\"\n", `{"a":"1,2"}`},
		{"names given", `"header": ["x", "", "x"]`, "1,2,3\n", `{"x":"1","column_2":"2","x_2":"3"}`},
		{"more than the names given", `"header": ["x"]`, "1\n2,3\n", "error: the response is not valid CSV: the record at line 2 has 2 fields, expected at most 1; it begins with: 1 2,3"},
		{"without names", `"header": false`, "1,2\n3\n", `{"column_1":"1","column_2":"2"} {"column_1":"3"}`},
		{"without names, more than the first", `"header": false`, "1,2\n3,4,5\n", "error: the response is not valid CSV: the record at line 2 has 3 fields, expected at most 2; it begins with: 1,2 3,4,5"},
		{"skip", `"skip": 2`, "report\n\"of today\na,b\n1,2\n", `{"a":"1","b":"2"}`},
		{"skip counts blank lines", `"skip": 2`, "\n\na,b\n1,2\n", `{"a":"1","b":"2"}`},
		{"skip and the number of a line", `"skip": 1`, "x\na\n1,2\n", "error: the response is not valid CSV: the record at line 3 has 2 fields, expected at most 1; it begins with: x a 1,2"},
		{"skip more than there is", `"skip": 9`, "x\na\n", "error: the response is not valid CSV: the text has only 2 lines, but 'response.skip' drops 9; it begins with: x a"},
		{"skip all there is", `"skip": 2`, "x\na\n", ""},
		{"nothing to skip", `"skip": 2`, "", ""},
		{"a byte order mark", "", "\ufeffa,b\n1,2\n", `{"a":"1","b":"2"}`},
		{"a byte order mark and a quote", "", "\ufeff\"a\",b\n1,2\n", `{"a":"1","b":"2"}`},
		{"a character set", `"encoding": "windows-1250"`, "m\xecsto\n\x8eilina\n", `{"město":"Žilina"}`},
		{"a mark wins", `"encoding": "windows-1250"`, "\ufeffměsto\nŽilina\n", `{"město":"Žilina"}`},
		{"UTF-16", `"encoding": "utf-16le"`, "a\x00\n\x00\x7d\x01\n\x00", `{"a":"Ž"}`},
		{"UTF-16 with a mark", "", "\xfe\xff\x00a\x00\n\x01\x7d\x00\n", `{"a":"Ž"}`},
		{"an HTML page", "", " \n<!DOCTYPE html>\n<html><body>Log in s3cret</body></html>", "error: the response is not valid CSV: it is an HTML page; it begins with: <!DOCTYPE html> <html><body>Log in [hidden]</body></html>"},
		{"JSON", "", `{"error":"no report"}`, `error: the response is not valid CSV: it is JSON; it begins with: {"error":"no report"}`},
		{"XML", "", `<?xml version="1.0"?><e/>`, `error: the response is not valid CSV: it is XML; it begins with: <?xml version="1.0"?><e/>`},
		{"almost JSON", `"header": false`, `{a},[b]`, `{"column_1":"{a}","column_2":"[b]"}`},
		{"carriage returns only", "", "a,b\r1,2\r", "error: the response is not valid CSV: line 1 has carriage returns in it, and each line must end with a line feed; it begins with: a,b 1,2"},
	}
	for _, tt := range tests {
		for _, where := range []int{4, MemoryLimit} {
			settings := `{"format": "csv"}`
			if tt.settings != "" {
				settings = `{"format": "csv", ` + tt.settings + `}`
			}
			if got := outcome(t, tt.text, Query{Format: formatOf(t, settings)}, where); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
			}
		}
	}
}

// TestLines: what becomes of JSON lines.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 2*maxText)
	tests := []struct{ name, text, want string }{
		{"values", "{\"a\":1}\n[2]\n\"x\"\nnull\n", `{"a":1} [2] "x" null`},
		{"blank lines", "\n{\"a\":1}\n \t\r\n\r\n{\"a\":2}", `{"a":1} {"a":2}`},
		{"CRLF", "{\"a\":1}\r\n{\"a\":2}\r\n", `{"a":1} {"a":2}`},
		{"nothing", "", "nothing"},
		{"blank lines only", "\n \n", "nothing"},
		{"a byte order mark", "\ufeff1\n", "1"},
		{"a name twice", "{\"a\":1,\"a\":2}\n", `{"a":2}`},
		{"a broken line", "1\n\n{\"a\":}\n", `error: the response is not valid JSON lines: line 3: invalid character '}' at start of value; it begins with: 1 {"a":}`},
		{"a value of two lines", "{\"a\":\n1}\n", `error: the response is not valid JSON lines: line 1: it ends too early; it begins with: {"a": 1}`},
		{"two values in a line", "1\n2 3\n", `error: the response is not valid JSON lines: line 2: more text after the end of the value; it begins with: 1 2 3`},
		{"the last line is cut", "{\"a\":1}\n{\"a", `error: the response is not valid JSON lines: line 2: it ends too early; it begins with: {"a":1} {"a`},
		{"an HTML page", "<!DOCTYPE html>\n", `error: the response is not valid JSON lines: line 1: invalid character '<' at start of value; it begins with: <!DOCTYPE html>`},
		{"a long line", "1\n" + `"` + long + `"` + "\n2\n", `1 "` + long + `" 2`},
		{"a long line that is broken", "1\n" + `["` + long + `",` + "\n2\n", `error: the response is not valid JSON lines: line 2: it ends too early; it begins with: ` + textfmt.Cut(`1 ["`+long, mostShown)},
		{"a long blank line", strings.Repeat(" ", 2*maxText) + "\n2\n", `2`},
		{"deep", strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "\n", strings.Repeat("[", 2000) + strings.Repeat("]", 2000)},
		{"too deep", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + "\n", "error: the response is not valid JSON lines: line 1: it is nested more than 10000 levels deep; it begins with: " + textfmt.Cut(strings.Repeat("[", mostShown+1), mostShown)},
	}
	for _, tt := range tests {
		for _, where := range []int{4, 2 * MemoryLimit} {
			if got := outcome(t, tt.text, Query{Format: formatOf(t, `{"format": "jsonl"}`)}, where); got != tt.want {
				t.Errorf("%s:\ngot  %.300s\nwant %.300s", tt.name, got, tt.want)
			}
		}
	}
}

// TestXML: what becomes of a document, with a path to the data.
func TestXML(t *testing.T) {
	tests := []struct{ name, data, text, want string }{
		{"elements", "", `<r><i><a>1</a><b>x</b></i><i><a>2</a></i></r>`, `{"a":"1","b":"x"} {"a":"2"}`},
		{"attributes, text, lists", "", `<r><i id="1" x:y="z">t<a/><a k="v">u</a></i></r>`, `{"@id":"1","@x:y":"z","a":["",{"@k":"v","#text":"u"}],"#text":"t"}`},
		{"lists in their places", "", `<r><i><a>1</a><b>2</b><a>3</a><c>4</c><b>5</b></i></r>`, `{"a":["1","3"],"b":["2","5"],"c":"4"}`},
		{"white space", "", "<r>\n <i>\n  <a> 1 </a>\n  <b>\n </b> x\n </i>\n</r>\n", `{"a":" 1 ","b":"","#text":" x\n "}`},
		{"texts in parts", "", `<r><i>a<!-- c -->b<?p i?>c<x/>d<![CDATA[<e>]]></i></r>`, `{"x":"","#text":"abcd<e>"}`},
		{"entities", "", `<r><i>&lt;&#381;&amp;&quot;</i></r>`, `"<Ž&\""`},
		{"prefixes", "", `<n:r xmlns:n="u"><n:i n:a="1"><n:b>2</n:b></n:i></n:r>`, `{"@n:a":"1","n:b":"2"}`},
		{"an empty root", "", `<r/>`, ""},
		{"an empty root with white space", "", "<?xml version=\"1.0\"?>\n<r>\n</r>\n", ""},
		{"different names", "", `<r><a/><b/><a/><c/></r>`, "error: the elements below the root of the response have different names (a, b, c): set 'dataField' to the list with the data"},
		{"white space in front", "", "\n<?xml version=\"1.0\"?>\n<r><i>1</i></r>", `"1"`},
		{"a path", "a.i", `<r><x>1</x><a><n/><i><v>1</v></i><i><v>2</v></i></a></r>`, `{"v":"1"} {"v":"2"}`},
		{"a path to one element", "a", `<r><x>1</x><a><v>1</v></a></r>`, `{"v":"1"}`},
		{"a path through several elements", "a.i", `<r><a><i>1</i></a><b/><a><i>2</i><i>3</i></a></r>`, `"1" "2" "3"`},
		{"a path to texts", "a", `<r><a>1</a><a/><a>3</a></r>`, `"1" "" "3"`},
		{"a path that leads nowhere", "b.i", `<r><a><i>1</i></a></r>`, ""},
		{"a path to an item of a list", "a.1", `<r><a>1</a><a>2</a></r>`, `"2"`},
		{"a path to the last item", "a.-1.i", `<r><a><i>1</i></a><a><i>2</i><i>3</i></a></r>`, `"2" "3"`},
		{"the whole", ".", `<r x="1"><a>1</a><b><c/></b><a>2</a></r>`, `{"@x":"1","a":["1","2"],"b":{"c":""}}`},
		{"the whole, a text", ".", `<r>x</r>`, `"x"`},
		{"the whole, empty", ".", `<r/>`, ""},
		{"a DTD without entities", "", `<!DOCTYPE r SYSTEM "r.dtd" [<!ELEMENT r ANY>]><r><i>1</i></r>`, `"1"`},
		{"a DTD with entities", "", `<!DOCTYPE r [<!ENTITY x "y">]><r><i>&x;</i></r>`, `error: the response is not valid XML: line 1: its DTD has entities, which are not read; it begins with: <!DOCTYPE r [<!ENTITY x "y">]><r><i>&x;</i></r>`},
		{"an unknown entity", "", `<r><i>&x;</i></r>`, `error: the response is not valid XML: line 1: invalid character entity &x;; it begins with: <r><i>&x;</i></r>`},
		{"nothing", "", ``, "nothing"},
		{"white space only", "", " \n", "nothing"},
		{"no element", "", `<?xml version="1.0"?><!-- x -->`, `error: the response is not valid XML: it has no element; it begins with: <?xml version="1.0"?><!-- x -->`},
		{"cut in an element", "", `<r><i>1</i><i>2`, `error: the response is not valid XML: it ends too early; it begins with: <r><i>1</i><i>2`},
		{"cut in a tag", "", `<r><i>1</i><i a="`, `error: the response is not valid XML: it ends too early; it begins with: <r><i>1</i><i a="`},
		{"cut after an element", "", `<r><i>1</i>`, `error: the response is not valid XML: it ends too early; it begins with: <r><i>1</i>`},
		{"cut in skimmed elements", "b", `<r><i>1</i><i>`, `error: the response is not valid XML: it ends too early; it begins with: <r><i>1</i><i>`},
		{"tags that do not match", "", "<r>\n<i>1</b></r>", `error: the response is not valid XML: line 2: </b> is where </i> is expected; it begins with: <r> <i>1</b></r>`},
		{"an attribute twice", "", `<r><i a="1" a="2"/></r>`, `error: the response is not valid XML: line 1: an element has the attribute a twice; it begins with: <r><i a="1" a="2"/></r>`},
		{"two roots", "", `<r><i>1</i></r><r/>`, `error: the response is not valid XML: line 1: there is more than one root element; it begins with: <r><i>1</i></r><r/>`},
		{"text after the root", "", `<r><i>1</i></r>x`, `error: the response is not valid XML: line 1: there is text outside of the elements; it begins with: <r><i>1</i></r>x`},
		{"JSON", "", `{"error":"x"}`, `error: the response is not valid XML: line 1: there is text outside of the elements; it begins with: {"error":"x"}`},
		{"an HTML page", "i", `<!DOCTYPE html><html><body></body></html>`, `error: the response is not valid XML: it is an HTML page; it begins with: <!DOCTYPE html><html><body></body></html>`},
		{"a character set", "", "<?xml version=\"1.0\" encoding=\"windows-1250\"?><r><i>\x8eilina</i></r>", `"Žilina"`},
		{"a character set that is not known", "", `<?xml version="1.0" encoding="klingon"?><r/>`, `error: the response is not valid XML: its encoding "klingon" is not known; it begins with: <?xml version="1.0" encoding="klingon"?><r/>`},
		{"UTF-16", "", "\xff\xfe" + utf16le(`<?xml version="1.0" encoding="utf-16"?><r><i>Žilina</i></r>`), `"Žilina"`},
		{"called UTF-16, but is not", "", `<?xml version="1.0" encoding="utf-16"?><r><i>Žilina</i></r>`, `"Žilina"`},
		{"not UTF-8", "", "<r><i>\xff</i></r>", "error: the response is not valid XML: line 1: invalid UTF-8"},
		{"too deep", "", strings.Repeat("<a>", 10_001), "error: the response is not valid XML: line 1: it is nested more than 10000 levels deep; it begins with: " + textfmt.Cut(strings.Repeat("<a>", mostShown), mostShown)},
	}
	for _, tt := range tests {
		for _, where := range []int{4, MemoryLimit} {
			if got := outcome(t, tt.text, Query{Format: formatOf(t, `{"format": "xml"}`), Data: dot(tt.data)}, where); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
			}
		}
	}
}

func utf16le(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// TestText: the whole text is an item.
func TestText(t *testing.T) {
	tests := []struct{ name, settings, text, want string }{
		{"a text", "", "a\nb <html>", `{"data":"a\nb <html>"}`},
		{"nothing", "", "", "nothing"},
		{"a character set", `, "encoding": "iso-8859-2"`, "\xae", `{"data":"Ž"}`},
		{"as much as there may be", "", strings.Repeat("x", maxPlain), `{"data":"` + strings.Repeat("x", maxPlain) + `"}`},
		{"more", "", strings.Repeat("x", maxPlain+1), "error: the text is too large: it has more than 8 MiB"},
	}
	for _, tt := range tests {
		for _, where := range []int{4, 2 * maxPlain} {
			if got := outcome(t, tt.text, Query{Format: formatOf(t, `{"format": "text"`+tt.settings+`}`)}, where); got != tt.want {
				t.Errorf("%s:\ngot  %.200s\nwant %.200s", tt.name, got, tt.want)
			}
		}
	}
}

// TestFieldsOfFormats: what paging finds in the root.
func TestFieldsOfFormats(t *testing.T) {
	const lines = "{\"id\":1,\"n\":{\"x\":7}}\n{\"id\":2}\n"
	const feed = `<feed n="9"><link rel="self">s</link><link rel="next" href="u"/><meta><page>3</page></meta><entry><id>5</id></entry><entry><id>6</id></entry><a.b>d</a.b></feed>`
	tests := []struct{ format, data, text, path, want string }{
		{"csv", "", "id,x\n1,2\n3,4\n", "0.id", `"1"`},
		{"csv", "", "id,x\n1,2\n3,4\n", "-1.id", `"3"`},
		{"csv", "", "id,x\n1,2\n3,4\n", "5.id", `null`},
		{"csv", "", "id,x\n1,2\n3,4\n", "id", `null`},
		{"csv", "", "id\n1\n", ".", `[{"id":"1"}]`},
		{"jsonl", "", lines, "0.n.x", `7`},
		{"jsonl", "", lines, "-1.id", `2`},
		{"jsonl", "", lines, "1.n", `null`},
		{"xml", "entry", feed, "meta.page", `"3"`},
		{"xml", "entry", feed, "meta", `{"page":"3"}`},
		{"xml", "entry", feed, "meta.page.x", `null`},
		{"xml", "entry", feed, "@n", `"9"`},
		{"xml", "entry", feed, "link.1.@href", `"u"`},
		{"xml", "entry", feed, "link.0.#text", `"s"`},
		{"xml", "entry", feed, "entry.-1.id", `"6"`},
		{"xml", "entry", feed, "entry.0.id", `"5"`},
		{"xml", "entry", feed, "entry.id", `null`},
		{"xml", "entry", feed, "meta.-1.page", `"3"`},
		{"xml", "entry", feed, "a.b", `"d"`},
		{"xml", ".", feed, "meta.page", `"3"`},
		{"xml", ".", feed, "entry.1.id", `"6"`},
		{"xml", "", `<r n="2"><i><id>1</id></i><i><id>2</id></i></r>`, "i.-1.id", `"2"`},
		{"xml", "", `<r n="2"><i><id>1</id></i></r>`, "@n", `"2"`},
		{"text", "", "x", "0.data", `"x"`},
	}
	for _, tt := range tests {
		q := Query{Format: formatOf(t, fmt.Sprintf(`{"format": %q}`, tt.format)), Data: dot(tt.data), Fields: []Path{dot(tt.path)}}
		if tt.data == "" {
			q.Data = Path{}
		}
		page, err := newScanner().Scan(spoolOf(t, tt.text, MemoryLimit), q)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := page.Field(dot(tt.path)); err != nil || v.JSON() != tt.want {
			t.Errorf("%s, %s, %s: got %s, %v, want %s", tt.format, tt.data, tt.path, v.JSON(), err, tt.want)
		}
	}
}

// TestLimitsOfXML: no token may be larger than an item, and no tag than a megabyte.
func TestLimitsOfXML(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	tests := []struct{ name, text, want string }{
		{"a large tag", `<r><i ` + strings.Repeat(`a="" `, maxTag/4) + `/></r>`, "error: the response is too large: the tag of an element has more than 1 MiB"},
		{"a large text", `<r><i>` + strings.Repeat("x", 3<<20) + `</i></r>`, "error: the response is too large: " + errLargeItem.Error()},
		{"many texts", `<r><i>` + strings.Repeat("<a>xxxxxxxx</a>", 200_000) + `</i></r>`, "error: the response is too large: " + errLargeItem.Error()},
		{"a large comment", `<r><!--` + strings.Repeat("x", 3<<20) + `--></r>`, "error: the response is too large: " + errLargeItem.Error()},
		{"many elements", `<r>` + strings.Repeat("<a/>", 1_000_000) + `</r>`, "1000000 rows"},
		{"another version", `<?xml version="1.1"?><r/>`, `error: the response is not valid XML: line 1: unsupported version "1.1"; only version 1.0 is supported; it begins with: <?xml version="1.1"?><r/>`},
	}
	for _, tt := range tests {
		spool := spoolOf(t, tt.text, MemoryLimit)
		spool.home.item = 2 << 20
		page, err := newScanner().Scan(spool, Query{Format: formatOf(t, `{"format": "xml"}`)})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = fmt.Sprintf("%d rows", page.Rows)
		}
		if got != tt.want || err != nil && failure.KindOf(err) != failure.User {
			t.Errorf("%s: got %.300s", tt.name, got)
		}
	}
}

// TestLimitsOfRecords: a record or a line may have as many bytes as an item.
func TestLimitsOfRecords(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	tests := []struct{ name, settings, text, want string }{
		{"a large field", `{"format": "csv"}`, "a\n" + strings.Repeat("x", 3<<20), "error: the response is too large: " + errLargeItem.Error()},
		{"a large field of many lines", `{"format": "csv"}`, "a\n\"" + strings.Repeat("x\n", 2<<20), "error: the response is too large: " + errLargeItem.Error()},
		{"many columns", `{"format": "csv"}`, strings.Repeat(",", maxColumns), "error: the response is too large: line 1 has more than 100000 fields"},
		{"many columns without names", `{"format": "csv", "header": false}`, strings.Repeat(",", maxColumns), "error: the response is too large: line 1 has more than 100000 fields"},
		{"large names of columns", `{"format": "csv"}`, "a," + strings.Repeat("x", 3<<20) + "\n1\n", "error: the response is too large: the record that names the columns has more than 2 MiB"},
		{"large names of many lines", `{"format": "csv"}`, "a,\"" + strings.Repeat("x\n", 3<<20) + "\"\n1\n", "error: the response is too large: the record that names the columns has more than 2 MiB"},
		{"equal columns", `{"format": "csv"}`, strings.Repeat("a,", maxColumns-1) + "\n1\n", `{"a":"1"}`},
		{"a large value", `{"format": "jsonl"}`, `["` + strings.Repeat("x", 3<<20) + `"]`, "error: the response is too large: " + errLargeItem.Error()},
	}
	for _, tt := range tests {
		spool := spoolOf(t, tt.text, MemoryLimit)
		spool.home.item = 2 << 20
		page, err := newScanner().Scan(spool, Query{Format: formatOf(t, tt.settings)})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = items(t, page)
		}
		if got != tt.want || err != nil && failure.KindOf(err) != failure.User {
			t.Errorf("%s: got %.300s", tt.name, got)
		}
	}
}

// TestLargeHeader: names of columns are in memory several times, so they may have less
// than an item.
func TestLargeHeader(t *testing.T) {
	got := outcome(t, strings.Repeat("x", maxHeader+window)+"\n1\n", Query{Format: formatOf(t, `{"format": "csv"}`)}, MemoryLimit)
	if want := "error: the response is too large: the record that names the columns has more than 8 MiB"; got != want {
		t.Errorf("got %.300s", got)
	}
	name := strings.Repeat("x", maxHeader-10)
	if got = outcome(t, name+"\n1\n", Query{Format: formatOf(t, `{"format": "csv"}`)}, MemoryLimit); got != `{"`+name+`":"1"}` {
		t.Errorf("got %.300s", got)
	}
}

// TestErrorsInXML: what an API reports as errors is not data.
func TestErrorsInXML(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	tests := []struct {
		name, data, text, errors string
		fromErrors               bool
	}{
		{"beside the data", "i", `<r><i/><errors><e>x</e></errors></r>`, `{"e":"x"}`, false},
		{"several", "i", `<r><errors>x</errors><errors>y</errors></r>`, `["x","y"]`, false},
		{"a text", "i", `<r><errors>x</errors></r>`, `null`, false},
		{"in the place of the data", "", `<r><errors><e>x</e></errors></r>`, `{"e":"x"}`, true},
		{"the root", "", `<Errors><error>x</error></Errors>`, `["x"]`, true},
		{"the root, but not the data", "i", `<errors><i/></errors>`, `null`, false},
		{"too many", "i", `<r><errors>` + strings.Repeat("<e>x</e>", maxField/2) + `</errors></r>`, `"many errors"`, false},
	}
	for _, tt := range tests {
		page, err := newScanner().Scan(spoolOf(t, tt.text, MemoryLimit), Query{Format: formatOf(t, `{"format": "xml"}`), Data: dot(tt.data)})
		if err != nil || page.Errors().JSON() != tt.errors || page.FromErrors != tt.fromErrors {
			t.Errorf("%s: %.200s, from errors %v, %v", tt.name, page.Errors().JSON(), page.FromErrors, err)
		}
	}
}

// TestCharsets: names of IANA, and where these know none, of the Web.
func TestCharsets(t *testing.T) {
	for name, want := range map[string]string{
		"utf-8": "\xe9", "UTF8": "\xe9", "us-ascii": "\xe9",
		"latin1": "é", "ISO-8859-1": "é", "iso-8859-2": "é", "windows-1252": "é", "cp1251": "й", "koi8-r": "И", " utf-8 ": "\xe9",
		"klingon": "unknown", "": "unknown", "iso-2022-cn-ext": "unknown",
	} {
		c, known := charsetNamed(name)
		got := "\xe9"
		if c.encoding != nil {
			got, _ = c.encoding.NewDecoder().String(got)
		}
		if !known {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestDigestsOfFormats: two responses with the same values have the same fingerprint.
func TestDigestsOfFormats(t *testing.T) {
	tests := []struct{ format, text, same, other string }{
		{"csv", "a,b\n1,2\n", "\"a\",\"b\"\r\n\n\"1\",\"2\"", "a,b\n1,3\n"},
		{"jsonl", "{\"a\":1.50}\n", "\n { \"a\" : 15e-1 }\n", "{\"a\":1.51}\n"},
		{"xml", "<r><i>1</i></r>", "<?xml version='1.0'?><!-- x --><r>\n <i>1</i >\n</r>", "<r><i>2</i></r>"},
		{"text", "a", "\ufeffa", "b"},
	}
	for _, tt := range tests {
		sc, prints := newScanner(), [3]uint64{}
		for i, text := range []string{tt.text, tt.same, tt.other} {
			page, err := sc.Scan(spoolOf(t, text, MemoryLimit), Query{Format: formatOf(t, fmt.Sprintf(`{"format": %q}`, tt.format)), Volume: true})
			if err != nil {
				t.Fatal(err)
			}
			prints[i] = page.Fingerprint
		}
		if prints[0] != prints[1] || prints[0] == prints[2] {
			t.Errorf("%s: %x", tt.format, prints)
		}
	}
}
