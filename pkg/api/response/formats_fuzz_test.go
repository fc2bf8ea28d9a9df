package response

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// scanned scans a text that a fuzzer made; ok is false for an error, which must be the
// user's. The response is in a file, and read in small parts, so that every way is gone.
func scanned(t *testing.T, text []byte, q Query) (page *Page, ok bool) {
	t.Helper()
	spool := spoolOf(t, string(text), 16)
	spool.home.item, spool.home.text = 1<<16, 64
	page, err := newScanner().Scan(spool, q)
	switch {
	case err == io.EOF:
		return NoPage(q), true
	case err != nil && failure.KindOf(err) != failure.User:
		t.Fatalf("%q: %v", text, err)
	}
	return page, err == nil
}

// FuzzCSV: what encoding/csv reads is read in the same way.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "\"a\"\"b\",\"c\nd\"\n\n,\n", "\"a\"b,c\"d\n", "\"", "\ufeff1;2", "1,2\n1,2,3", "\xff\xfe1\x00"} {
		f.Add([]byte(text))
	}
	format := formatOf(f, `{"format": "csv", "header": false}`)
	f.Fuzz(func(t *testing.T, text []byte) {
		page, ok := scanned(t, text, Query{Format: format, Fields: []Path{dot("-1.column_1")}})
		if bytes.ContainsRune(text, '\r') || !plainUTF8(text) {
			return
		}
		r := stdcsv.NewReader(bytes.NewReader(text))
		r.FieldsPerRecord = -1
		records, err := r.ReadAll()
		if err != nil {
			return
		}
		for _, record := range records {
			if len(record) > len(records[0]) {
				return
			}
		}
		if trimmed := strings.TrimSpace(string(text)); !ok && (strings.HasPrefix(trimmed, "<") || json.Valid(text)) {
			return // refused as another format
		}
		if !ok || page.Rows != len(records) {
			t.Fatalf("%q: ok %v, %d records, want %d", text, ok, page.Rows, len(records))
		}
		i := 0
		for item, err := range page.Items() {
			if err != nil {
				t.Fatal(err)
			}
			members := item.Value().Members()
			for j, field := range records[i] {
				if len(members) != len(records[i]) || members[j].Value.Raw() != field {
					t.Fatalf("%q: record %d is %s, want %q", text, i, item.Value().JSON(), records[i])
				}
			}
			i++
		}
	})
}

// plainUTF8 reports whether a text is UTF-8 without a byte order mark or zeros, by which
// it would be something else.
func plainUTF8(text []byte) bool {
	mark, _ := marked(text)
	return utf8.Valid(text) && mark == "" && !bytes.Contains(text, []byte{0})
}

// FuzzLines: lines that are read are JSON, and the same values.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"1\n{\"a\":[1,2.50,null]}\n", "\n \r\n[]", "{\n}", "\"\\ud800\"", "1 2", strings.Repeat("[", 70) + strings.Repeat("]", 70) + "\n3"} {
		f.Add([]byte(text))
	}
	format := formatOf(f, `{"format": "jsonl"}`)
	f.Fuzz(func(t *testing.T, text []byte) {
		page, ok := scanned(t, text, Query{Format: format})
		if !plainUTF8(text) {
			return
		}
		var lines [][]byte
		valid := true
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if whiteSpace(line) == len(line) {
				continue
			}
			lines = append(lines, line)
			valid = valid && json.Valid(line)
		}
		if ok != valid {
			t.Fatalf("%q: read %v, valid %v", text, ok, valid)
		}
		if !ok {
			return
		}
		i := 0
		for item, err := range page.Items() {
			if err != nil {
				t.Fatal(err)
			}
			one, _ := scanned(t, lines[i], Query{Data: dot(".")})
			for want := range one.Items() {
				if one.Root.String() == "object" && item.Value().JSON() != want.Value().JSON() {
					t.Fatalf("%q: line %d is %s, want %s", text, i, item.Value().JSON(), want.Value().JSON())
				}
			}
			i++
		}
		if page.Rows != len(lines) {
			t.Fatalf("%q: %d rows, want %d", text, page.Rows, len(lines))
		}
	})
}

// FuzzXML: what is read is XML to encoding/xml, which checks the order of tags in its
// own way.
func FuzzXML(f *testing.F) {
	for _, text := range []string{"<r><i a='1'>x</i><i/></r>", "<?xml version='1.0' encoding='latin1'?><r>\xe9</r>", "<r><a><b/></a><a>t<b/></a></r>", "<!DOCTYPE r [<!ENTITY a 'b'>]><r/>", "<a:r/>", "<r>&#x41;<![CDATA[x]]></r>", "<r></s>"} {
		f.Add([]byte(text), "a.b")
	}
	format := formatOf(f, `{"format": "xml"}`)
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		for _, q := range []Query{{}, {Data: dot("."), Fields: []Path{dot(path)}}, {Data: dot(path), Fields: []Path{dot("a.-1"), dot("@x"), dot(".")}, Volume: true}} {
			q.Format = format
			page, ok := scanned(t, text, q)
			if !ok || page.NoBody {
				continue
			}
			for item, err := range page.Items() {
				if err != nil {
					t.Fatal(err)
				}
				_ = item.Value().JSON()
			}
			if bytes.Contains(text, []byte("encoding")) || !plainUTF8(bytes.TrimPrefix(text, []byte(markUTF8))) {
				continue
			}
			dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte(markUTF8))))
			for {
				if _, err := dec.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%q was read, but %v", text, err)
				}
			}
		}
	})
}

// FuzzUnpack: no file brings a wrapper down, and little comes out of a bomb.
func FuzzUnpack(f *testing.F) {
	for _, text := range []string{gzipped("a\n1\n"), zstded("a\n1\n"), zipped("a", "x\n", "b/", "", "b/c", "y\n2\n"), gzipped(zipped("a", zstded("x"))), zipped("a", strings.Repeat("x", 1<<16))} {
		f.Add([]byte(text), byte(0))
		f.Add([]byte(text), byte(3))
	}
	var formats []Format
	for _, unpack := range []string{`"gzip"`, `"zstd"`, `"zip"`, `["gzip", "zip", "zstd"]`, `["zip", "gzip"]`} {
		formats = append(formats, formatOf(f, `{"format": "csv", "header": false, "unpack": `+unpack+`}`), formatOf(f, `{"unpack": `+unpack+`}`))
	}
	f.Fuzz(func(t *testing.T, text []byte, which byte) {
		page, ok := scanned(t, text, Query{Format: formats[int(which)%len(formats)], MaxBytes: 1 << 15})
		if !ok {
			return
		}
		for _, err := range page.Items() {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
