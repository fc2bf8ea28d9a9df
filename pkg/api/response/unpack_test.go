package response

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func zstded(text string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// zipped is an archive of files: name, contents, name, contents, …
func zipped(files ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			panic(err)
		}
		f.Write([]byte(files[i+1]))
	}
	w.Close()
	return b.String()
}

// commented is an archive with a comment at its end.
func commented(archive, comment string) string {
	return archive[:len(archive)-2] + string([]byte{byte(len(comment)), 0}) + comment
}

// zip64 is an archive with the records for large ones.
func zip64(archive string) string {
	end := []byte(archive[len(archive)-zipEndBytes:])
	at := len(archive) - zipEndBytes
	record := binary.LittleEndian.AppendUint64([]byte(zipEnd64), zipEnd64Bytes-12)
	record = append(record, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, n := range []uint64{uint64(end[8]), uint64(end[10]), uint64(binary.LittleEndian.Uint32(end[12:])), uint64(binary.LittleEndian.Uint32(end[16:]))} {
		record = binary.LittleEndian.AppendUint64(record, n)
	}
	locator := append([]byte(zipLocator64), 0, 0, 0, 0)
	locator = append(binary.LittleEndian.AppendUint64(locator, uint64(at)), 1, 0, 0, 0)
	for i := 8; i < 20; i++ {
		end[i] = 0xff
	}
	return archive[:at] + string(record) + string(locator) + string(end)
}

// changed is a text with another byte at a place, counted from the end where it is
// negative.
func changed(text string, at int) string {
	if at < 0 {
		at += len(text)
	}
	return text[:at] + string([]byte{text[at] ^ 0x55}) + text[at+1:]
}

// TestUnpack: what comes out of wrappers.
func TestUnpack(t *testing.T) {
	const rows = "a,b\n1,2\n"
	const found = `{"a":"1","b":"2"}`
	encrypted := zipped("a.csv", rows)
	encrypted = strings.ReplaceAll(encrypted, "PK\x01\x02\x14\x00\x14\x00\x08", "PK\x01\x02\x14\x00\x14\x00\x09")
	method := strings.ReplaceAll(zipped("a.csv", rows), "PK\x01\x02\x14\x00\x14\x00\x08\x00\x08", "PK\x01\x02\x14\x00\x14\x00\x08\x00\x0e")
	tests := []struct{ name, settings, text, want string }{
		{"gzip", `"unpack": "gzip"`, gzipped(rows), found},
		{"gzip, two in one", `"unpack": "gzip"`, gzipped("a,b\n1,") + gzipped("2\n"), found},
		{"zstd", `"unpack": "zstd"`, zstded(rows), found},
		{"zstd, two in one", `"unpack": "zstd"`, zstded("a,b\n1,") + zstded("2\n"), found},
		{"zip", `"unpack": "zip"`, zipped("a.csv", rows), found},
		{"a list", `"unpack": ["gzip"]`, gzipped(rows), found},
		{"an empty list", `"unpack": []`, rows, found},
		{"gzip in zstd in gzip", `"unpack": ["gzip", "zstd", "gzip"]`, gzipped(zstded(gzipped(rows))), found},
		{"gzip in zip", `"unpack": ["zip", "gzip"]`, zipped("a.csv.gz", gzipped(rows), "b.csv.gz", gzipped("c\n3\n")), found + ` {"c":"3"}`},
		{"zip in gzip", `"unpack": ["gzip", "zip"]`, gzipped(zipped("a.csv", rows)), found},
		{"zip in zip", `"unpack": ["zip", "zip"]`, zipped("b.zip", zipped("a.csv", "x\n2\n"), "a.zip", zipped("b.csv", "x\n1\n")), `{"x":"1"} {"x":"2"}`},
		{"no body", `"unpack": "gzip"`, "", "nothing"},
		{"an empty file", `"unpack": "gzip"`, gzipped(""), ""},
		{"by name, not by place", `"unpack": "zip"`, zipped("b.csv", "x\n2\n", "a/", "", "a/z.csv", "x\n1\n", "c.csv", "x\n3\n"), `{"x":"1"} {"x":"2"} {"x":"3"}`},
		{"some", `"unpack": "zip", "member": "*.csv"`, zipped("README", "x", "d/b.csv", "x\n2\n", "a.csv", "x\n1\n"), `{"x":"1"} {"x":"2"}`},
		{"some of a directory", `"unpack": "zip", "member": "d/*.csv"`, zipped("d/b.csv", "x\n2\n", "a.csv", "x\n1\n"), `{"x":"2"}`},
		{"each file begins again", `"unpack": "zip", "skip": 1`, zipped("a", "#\nx,y\n1,2\n", "b", "#\ny\n3\n"), `{"x":"1","y":"2"} {"y":"3"}`},
		{"names for all files", `"unpack": "zip", "header": ["x"]`, zipped("a", "1\n", "b", "2\n"), `{"x":"1"} {"x":"2"}`},
		{"a character set", `"unpack": "zip", "encoding": "windows-1250"`, zipped("a", "x\n\x8e\n", "b", "\ufeffx\nŽ\n"), `{"x":"Ž"} {"x":"Ž"}`},
		{"no file", `"unpack": "zip"`, zipped(), "error: the zip of the response has no file in it"},
		{"directories only", `"unpack": "zip"`, zipped("a/", ""), "error: the zip of the response has no file in it"},
		{"no such file", `"unpack": "zip", "member": "*.csv"`, zipped("a.txt", "x"), "error: the zip of the response has no file whose name is like '*.csv'; its first one is 'a.txt'"},
		{"a line of a file", `"unpack": "zip"`, zipped("a", "x\n1\n", "b", "x\n1,2\n"), "error: the file 'b' of the response is not valid CSV: the record at line 2 has 2 fields, expected at most 1; it begins with: x 1,2"},
		{"a line of a file in a file", `"unpack": ["zip", "zip"]`, zipped("a", zipped("b", "x\n\"")), `error: the file 'a/b' of the response is not valid CSV: the quote of a field never ends, in the record at line 2; it begins with: x "`},
		{"an HTML page instead", `"unpack": "gzip"`, "<html>s3cret</html>", "error: the response is not valid gzip: it does not begin as such a file does; it begins with: <html>[hidden]</html>"},
		{"an HTML page instead of a zip", `"unpack": "zip"`, "<html>s3cret</html>", "error: the response is not valid zip: it is none, or it was cut; it begins with: <html>[hidden]</html>"},
		{"an HTML page instead of zstd", `"unpack": "zstd"`, "<html>s3cret</html>", "error: the response is not valid zstd: it does not begin as such a file does; it begins with: <html>[hidden]</html>"},
		{"an HTML page inside", `"unpack": "gzip"`, gzipped("<html>s3cret</html>"), "error: the response is not valid CSV: it is an HTML page; it begins with: <html>[hidden]</html>"},
		{"a cut gzip", `"unpack": "gzip"`, gzipped(rows)[:15], "error: the response is not valid gzip: it ends too early"},
		{"a gzip cut before its checksum", `"unpack": "gzip"`, gzipped(rows)[:len(gzipped(rows))-8], "error: the response is not valid gzip: it ends too early"},
		{"a cut head of gzip", `"unpack": "gzip"`, gzipped(rows)[:5], "error: the response is not valid gzip: it ends too early"},
		{"a broken gzip", `"unpack": "gzip"`, changed(gzipped(rows), -8), "error: the response is not valid gzip: its checksum is wrong"},
		{"a cut zstd", `"unpack": "zstd"`, zstded(rows)[:12], "error: the response is not valid zstd: it ends too early"},
		{"a broken zstd", `"unpack": "zstd"`, changed(zstded(rows), -1), "error: the response is not valid zstd: its checksum is wrong"},
		{"a cut zip", `"unpack": "zip"`, zipped("a", rows)[:40], "error: the response is not valid zip: it is none, or it was cut"},
		{"a broken file in a zip", `"unpack": "zip"`, changed(zipped("a", rows), strings.Index(zipped("a", rows), "PK\x01\x02")+16), "error: the file 'a' of the response is not valid zip: its checksum is wrong"},
		{"a broken gzip in a zip", `"unpack": ["zip", "gzip"]`, zipped("a", "x"), "error: the file 'a' of the response is not valid gzip: it ends too early"},
		{"an encrypted file", `"unpack": "zip"`, encrypted, "error: the file 'a.csv' in the zip of the response is encrypted"},
		{"another compression", `"unpack": "zip"`, method, "error: the file 'a.csv' in the zip of the response is compressed in a way that is not known here: use the method deflate"},
		{"another wrapper", `"unpack": "gzip"`, zipped("a", rows), `error: the response is not valid gzip: it does not begin as such a file does; it is a file in zip: set "unpack" to "zip"`},
		{"one wrapper is missing", `"unpack": "zip"`, zipped("a", gzipped(rows)), `error: the file 'a' of the response is not valid CSV: it is packed; "unpack": ["zip", "gzip"] reads it`},
		{"a gzip that is not unpacked", `"skip": 0`, gzipped(rows), `error: the response is not valid CSV: it is packed; "response": {"unpack": "gzip"} reads a file in gzip`},
		{"a zip that is not unpacked", `"skip": 0`, zipped("a", rows), `error: the response is not valid CSV: it is packed; "response": {"unpack": "zip"} reads the files of a zip`},
		{"a zstd that is not unpacked", `"skip": 0`, zstded(rows), `error: the response is not valid CSV: it is packed; "response": {"unpack": "zstd"} reads a file in zstd`},
		{"two zips", `"unpack": "zip"`, zipped("a", rows) + zipped("b", "a,b\n3,4\n"), "error: the response is not valid zip: there are 130 bytes that are not of it, as if several archives were one after another"},
		{"the same zip twice", `"unpack": "zip"`, zipped("a", rows) + zipped("a", rows), "error: the response is not valid zip: there are 130 bytes that are not of it, as if several archives were one after another"},
		{"two zips in a gzip", `"unpack": ["gzip", "zip"]`, gzipped(zipped("a", rows) + zipped("b", "a,b\n3,4\n")), "error: the response is not valid zip: there are 130 bytes that are not of it, as if several archives were one after another"},
		{"a zip and an empty one", `"unpack": "zip"`, zipped("a", rows) + zipped(), "error: the response is not valid zip: there are 130 bytes that are not of it, as if several archives were one after another"},
		{"something after a zip", `"unpack": "zip"`, zipped("a", rows) + "<html>", "error: the response is not valid zip: there are 6 bytes after its end"},
		{"a byte after a zip", `"unpack": "zip"`, zipped("a", rows) + "\n", "error: the response is not valid zip: there is 1 byte after its end"},
		{"something before a zip", `"unpack": "zip"`, "MZ" + zipped("a", rows), "error: the response is not valid zip: there are 2 bytes that are not of it, as if several archives were one after another"},
		{"a zip with a comment", `"unpack": "zip"`, commented(zipped("a.csv", rows), "PK\x05\x06 of today"), found},
		{"a zip with 64 bits", `"unpack": "zip"`, zip64(zipped("a.csv", rows)), found},
		{"two of them", `"unpack": "zip"`, zip64(zipped("a.csv", rows)) + zip64(zipped("a.csv", rows)), "error: the response is not valid zip: there are 214 bytes that are not of it, as if several archives were one after another"},
		{"something after a zstd", `"unpack": "zstd"`, zstded(rows) + "and something else", "error: the response is not valid zstd: it does not begin as such a file does"},
		{"something after a gzip", `"unpack": "gzip"`, gzipped(rows) + "and something else", "error: the response is not valid gzip: it does not begin as such a file does"},
	}
	for _, tt := range tests {
		for _, where := range []int{4, MemoryLimit} {
			if got := outcome(t, tt.text, Query{Format: formatOf(t, `{"format": "csv", `+tt.settings+`}`)}, where); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
			}
		}
	}
}

// TestUnpackOtherFormats: every format is unpacked.
func TestUnpackOtherFormats(t *testing.T) {
	tests := []struct{ name, settings, data, text, want string }{
		{"JSON", `{"unpack": "gzip"}`, "", gzipped(`{"items":[1,2],"next":"x"}`), "1 2"},
		{"JSON, an object", `{"unpack": "gzip"}`, ".", gzipped(`{"a":1}`), `{"a":1}`},
		{"JSON in a zip", `{"unpack": "zip"}`, "i", zipped("a", `{"i":[1,2]}`, "b", `{"i":{"c":3}}`, "c", " ", "d", `{"i":[]}`), `1 2 {"c":3}`},
		{"broken JSON in a zip", `{"unpack": "zip"}`, "i", zipped("a", `{"i":[1,2]}`, "b", `{"i":`), `error: the file 'b' of the response is not valid JSON: it ends too early; it begins with: {"i":`},
		{"JSON lines in a zip", `{"format": "jsonl", "unpack": "zip"}`, "", zipped("a", "1\n2", "b", "3\n"), "1 2 3"},
		{"a broken line in a zip", `{"format": "jsonl", "unpack": "zip"}`, "", zipped("a", "1\n2", "b", "3\n{\n"), "error: the file 'b' of the response is not valid JSON lines: line 2: it ends too early; it begins with: 3 {"},
		{"XML in a zip", `{"format": "xml", "unpack": "zip"}`, "", zipped("a", "<r><i>1</i></r>", "b", "<r><j>2</j></r>"), `"1" "2"`},
		{"broken XML in a zip", `{"format": "xml", "unpack": "zip"}`, "", zipped("a", "<r><i>1</i></r>", "b", "<r>"), "error: the file 'b' of the response is not valid XML: it ends too early; it begins with: <r>"},
		{"texts in a zip", `{"format": "text", "unpack": "zip"}`, "", zipped("a", "x", "b", "y"), `{"data":"x"} {"data":"y"}`},
		{"a gzip, cut in a line", `{"format": "jsonl", "unpack": "gzip"}`, "", gzipped("{\"a\":1}\n{\"a\":2}\n")[:22], "error: the response is not valid gzip: it ends too early"},
		{"a gzip, cut in XML", `{"format": "xml", "unpack": "gzip"}`, "", gzipped("<r><i>1</i><i>2</i></r>")[:22], "error: the response is not valid gzip: it ends too early"},
		{"a gzip, cut in JSON", `{"unpack": "gzip"}`, "", gzipped(`{"items":[1,2],"next":"x"}`)[:22], "error: the response is not valid gzip: it ends too early"},
	}
	for _, tt := range tests {
		for _, where := range []int{4, MemoryLimit} {
			if got := outcome(t, tt.text, Query{Format: formatOf(t, tt.settings), Data: dot(tt.data)}, where); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
			}
		}
	}
}

// TestBombs: what comes out of wrappers is counted, also between them.
func TestBombs(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	zeros := strings.Repeat("0", 1<<20)
	tests := []struct{ name, settings, text string }{
		{"gzip", `"unpack": "gzip"`, gzipped(zeros)},
		{"zstd", `"unpack": "zstd"`, zstded(zeros)},
		{"zip", `"unpack": "zip"`, zipped("a", zeros)},
		{"files that are too large together", `"unpack": "zip"`, zipped("a", zeros[:1<<19], "b", zeros[:1<<19])},
		{"a zip in gzip", `"unpack": ["gzip", "zip"]`, gzipped(zeros + zipped("a", "x"))},
	}
	for _, tt := range tests {
		q := Query{Format: formatOf(t, `{"format": "text", `+tt.settings+`}`), MaxBytes: 1<<20 - 1}
		const want = "error: the response has more than 1048575 bytes when it is unpacked, the limit of 'api.http.maxResponseBytes'"
		if got := outcome(t, tt.text, q, 4); got != want {
			t.Errorf("%s: got %.200s", tt.name, got)
		}
	}
	q := Query{Format: formatOf(t, `{"format": "text", "unpack": "gzip"}`), MaxBytes: 1 << 20}
	if got := outcome(t, gzipped(zeros), q, 4); got != `{"data":"`+zeros+`"}` {
		t.Errorf("as much as there may be: got %.200s", got)
	}
	many := []string{}
	for range 20_000 {
		many = append(many, strings.Repeat("x", 200), "")
	}
	if got := outcome(t, zipped(many...), Query{Format: formatOf(t, `{"format": "text", "unpack": "zip"}`)}, 4); got != "error: the zip of the response has too many files: their list has more than 4 MiB" {
		t.Errorf("too many files: got %.200s", got)
	}
}

// TestUnpackFromDisk: what is wrong with the disk is not the response's fault, and no
// file is left open.
func TestUnpackFromDisk(t *testing.T) {
	spool := spoolOf(t, gzipped(zipped("a", "x\n1\n")), MemoryLimit)
	spool.home.dir, spool.home.limit = filepath.Join(t.TempDir(), "gone"), 8
	_, err := newScanner().Scan(spool, Query{Format: formatOf(t, `{"format": "csv", "unpack": ["gzip", "zip"]}`)})
	if failure.KindOf(err) != failure.Application || !isNotExist(err) {
		t.Errorf("got %v", err)
	}
	closed := spoolOf(t, gzipped("x\n1\n"), 4)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	closed.file.Close()
	closed.file = file
	_, err = newScanner().Scan(closed, Query{Format: formatOf(t, `{"format": "csv", "unpack": "gzip"}`)})
	if failure.KindOf(err) != failure.Application || !strings.HasPrefix(err.Error(), "reading a response once more: ") {
		t.Errorf("got %v", err)
	}
	closed.file = nil
	_ = io.EOF
}

func isNotExist(err error) bool {
	return strings.Contains(err.Error(), fs.ErrNotExist.Error()) || strings.Contains(err.Error(), "no such file")
}

// TestSeveralDocuments: the page of several files has the properties of all of them.
func TestSeveralDocuments(t *testing.T) {
	type page struct {
		root      value.Kind
		lists     string
		other     string
		rows      int
		ofErrors  bool
		errors, f string
	}
	for _, tt := range []struct {
		name, format, data string
		files              []string
		want               page
	}{
		{"ambiguous first", "json", "", []string{"a", `{"x":[1],"y":[2]}`, "b", `{"x":[3]}`}, page{value.Object, "x,y", "", 1, false, "null", "null"}},
		{"ambiguous last", "json", "", []string{"a", `{"x":[3]}`, "b", `{"x":[1],"y":[2]}`}, page{value.Object, "x,y", "", 1, false, "null", "null"}},
		{"a scalar first", "json", "", []string{"a", `5`, "b", `[1]`}, page{value.Number, "", "", 1, false, "null", "null"}},
		{"a scalar last", "json", "", []string{"a", `[1]`, "b", `5`}, page{value.Number, "", "", 1, false, "null", "null"}},
		{"errors", "json", "", []string{"a", `{"errors":[{"f":1}]}`, "b", `{"x":[1],"f":7}`}, page{value.Object, "errors", "", 2, true, `[{"f":1}]`, "7"}},
		{"other lists", "json", "x", []string{"a", `{"x":[1],"y":[{}]}`, "b", `{"z":[{}],"y":[{}]}`}, page{value.Object, "", "y,z", 1, false, "null", "null"}},
		{"other elements", "xml", "x", []string{"a", `<r><x/><y><i/></y><y><i/></y></r>`, "b", `<r><z><i/></z><z><i/></z><f>7</f></r>`}, page{value.Object, "", "y,z", 1, false, "null", `"7"`}},
		{"documents of errors", "xml", "", []string{"a", `<r><x>1</x></r>`, "b", `<errors><e>2</e></errors>`}, page{value.Object, "", "", 2, true, `["2"]`, "null"}},
	} {
		format := formatOf(t, `{"format": "`+tt.format+`", "unpack": "zip"}`)
		p, err := newScanner().Scan(spoolOf(t, zipped(tt.files...), 1<<20), Query{Format: format, Data: dot(tt.data), Fields: []Path{dot("f")}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		f, err := p.Field(dot("f"))
		got := page{p.Root, strings.Join(p.Lists, ","), strings.Join(p.OtherLists, ","), p.Rows, p.FromErrors, p.Errors().JSON(), f.JSON()}
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}
