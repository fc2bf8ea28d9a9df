package container

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// largeVariable is the environment variable with the size of the large response in
// MiB. Workload B of docs/understand/performance.md has 1024.
const largeVariable = "LARGE_ANSWER_MIB"

// largeMiB is its size where nothing else is said: more than the memory of the
// container.
const largeMiB = 100

// largeSize is the size of the large response in bytes.
func largeSize(t *testing.T) int {
	t.Helper()
	text := os.Getenv(largeVariable)
	if text == "" {
		return largeMiB << 20
	}
	mib, err := strconv.Atoi(text)
	if err != nil || mib < 1 {
		t.Fatalf("%s expects a number of MiB, found '%s'", largeVariable, text)
	}
	return mib << 20
}

// largeFormat is how the large response is written.
type largeFormat struct {
	response            string // the setting
	begin, between, end string
	item                func(dst []byte, id int) []byte
	// open begins to pack the response; nil does not. close is called at the end.
	open func(io.Writer) (packed io.Writer, close func() error, err error)
}

// largeFormats are all there are, by their names.
func largeFormats() map[string]largeFormat {
	return map[string]largeFormat{
		"json":  {`{}`, "[", ",", "]", appendItem, nil},
		"jsonl": {`{"format": "jsonl"}`, "", "\n", "\n", appendItem, nil},
		"csv":   {`{"format": "csv"}`, "id,name,email,active,score,city,created,note,visits,comment\n", "\n", "\n", appendRecord, nil},
		"xml":   {`{"format": "xml"}`, "<items>", "\n", "</items>", appendElement, nil},
		"zip":   {`{"format": "jsonl", "unpack": ["zip", "gzip"]}`, "", "\n", "\n", appendItem, openZip},
	}
}

// openZip begins a zip with one file in gzip.
func openZip(w io.Writer) (io.Writer, func() error, error) {
	archive := zip.NewWriter(w)
	file, err := archive.Create("lines.gz")
	if err != nil {
		return nil, nil, err
	}
	packed := gzip.NewWriter(file)
	return packed, func() error { return errors.Join(packed.Close(), archive.Close()) }, nil
}

// writeLarge writes one response of at least so many bytes, a list of the items of
// workload B in a format, and returns their number.
func writeLarge(w io.Writer, format string, size int) (rows int, err error) {
	f := largeFormats()[format]
	if f.open != nil {
		packed, closing, opening := f.open(w)
		if opening != nil {
			return 0, opening
		}
		w = packed
		defer func() { err = errors.Join(err, closing()) }()
	}
	b := bufio.NewWriterSize(w, 1<<16)
	item := []byte(f.begin)
	for written := 0; written < size; written += len(item) {
		if rows > 0 {
			item = append(item[:0], f.between...)
		}
		item = f.item(item, rows)
		if _, err := b.Write(item); err != nil {
			return rows, err
		}
		rows++
	}
	if _, err := b.WriteString(f.end); err != nil {
		return rows, err
	}
	return rows, b.Flush()
}

// appendItem appends an item of ten scalars.
func appendItem(dst []byte, id int) []byte {
	n := int64(id)
	dst = strconv.AppendInt(append(dst, `{"id":`...), n, 10)
	dst = strconv.AppendInt(append(dst, `,"name":"Name `...), n, 10)
	dst = strconv.AppendInt(append(dst, `","email":"user`...), n, 10)
	dst = strconv.AppendBool(append(dst, `@example.com","active":`...), id%2 == 0)
	dst = strconv.AppendInt(append(dst, `,"score":`...), n%100, 10)
	dst = append(dst, `.5,"city":"Prague","created":"2024-05-01T10:00:00Z","note":null,"visits":`...)
	dst = strconv.AppendInt(dst, n*7, 10)
	dst = strconv.AppendInt(append(dst, `,"comment":"A longer text, \"quoted\", of item `...), n, 10)
	return append(dst, `"}`...)
}

// appendRecord appends the same item as a record of CSV.
func appendRecord(dst []byte, id int) []byte {
	return fmt.Appendf(dst, `%d,Name %d,user%d@example.com,%t,%d.5,Prague,2024-05-01T10:00:00Z,,%d,"A longer text, ""quoted"", of item %d"`,
		id, id, id, id%2 == 0, id%100, id*7, id)
}

// appendElement appends the same item as an element of XML.
func appendElement(dst []byte, id int) []byte {
	return fmt.Appendf(dst, `<item id="%d"><name>Name %d</name><email>user%d@example.com</email><active>%t</active><score>%d.5</score><city>Prague</city>`+
		`<created>2024-05-01T10:00:00Z</created><note/><visits>%d</visits><comment>A longer text, &quot;quoted&quot;, of item %d</comment></item>`,
		id, id, id, id%2 == 0, id%100, id*7, id)
}

// largeResponses: answers many times as large as the memory go through it, in every
// format.
func (i images) largeResponses(t *testing.T) {
	slowtest.OutsideCI(t, "its responses are large, in five formats")
	for name, format := range largeFormats() {
		t.Run(name, func(t *testing.T) { i.largeResponse(t, name, format) })
	}
}

func (i images) largeResponse(t *testing.T, name string, format largeFormat) {
	size := largeSize(t)
	a := api(t, "127.0.0.1")
	dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"response":%s},"config":{"outputBucket":"big","jobs":[{"endpoint":"large","params":{"bytes":%d,"format":%q}}]}}}`,
		a.URL, format.response, size, name))
	stdout, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "host", "--read-only", "--user", "12345", "--cap-drop", "ALL",
		"--memory", "64m", "--memory-swap", "64m", "-v", dir+":/data", i.extractor)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	rows := <-a.large
	if finished := fmt.Sprintf(`"rows":%d,"tables":1}`, rows); !strings.Contains(stdout, finished) {
		t.Errorf("the events lack %s:\n%s", finished, stdout)
	}
	if got := countLines(t, filepath.Join(dir, "out/tables/big.large")); got != rows+1 {
		t.Errorf("the table has %d lines, want %d and the header", got, rows)
	}
}

func countLines(t *testing.T, path string) (lines int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := bufio.NewScanner(file)
	for all.Scan() {
		lines++
	}
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
