package container

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// largeVariable is the environment variable with the size of the large answer in
// MiB. Workload B of docs/performance.md has 1024.
const largeVariable = "LARGE_ANSWER_MIB"

// largeMiB is its size where nothing else is said: three times the memory of the
// container.
const largeMiB = 200

// largeSize is the size of the large answer in bytes.
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

// writeLarge writes one answer of at least so many bytes, a list of the items of
// workload B, and gives their number.
func writeLarge(w io.Writer, size int) (rows int, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	var item []byte
	for written := 0; written < size; written += len(item) {
		item = appendItem(item[:0], rows)
		if _, err := b.Write(item); err != nil {
			return rows, err
		}
		rows++
	}
	if err := b.WriteByte(']'); err != nil {
		return rows, err
	}
	return rows, b.Flush()
}

// appendItem appends an item of ten scalars and what stands before it.
func appendItem(dst []byte, id int) []byte {
	n, before := int64(id), byte(',')
	if id == 0 {
		before = '['
	}
	dst = strconv.AppendInt(append(append(dst, before), `{"id":`...), n, 10)
	dst = strconv.AppendInt(append(dst, `,"name":"Name `...), n, 10)
	dst = strconv.AppendInt(append(dst, `","email":"user`...), n, 10)
	dst = strconv.AppendBool(append(dst, `@example.com","active":`...), id%2 == 0)
	dst = strconv.AppendInt(append(dst, `,"score":`...), n%100, 10)
	dst = append(dst, `.5,"city":"Prague","created":"2024-05-01T10:00:00Z","note":null,"visits":`...)
	dst = strconv.AppendInt(dst, n*7, 10)
	dst = strconv.AppendInt(append(dst, `,"comment":"A longer text, \"quoted\", of item `...), n, 10)
	return append(dst, `"}`...)
}

// largeAnswer: an answer many times as large as the memory goes through it.
func (i images) largeAnswer(t *testing.T) {
	size := largeSize(t)
	a := api(t, "127.0.0.1")
	dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"big","jobs":[{"endpoint":"large","params":{"bytes":%d}}]}}}`, a.URL, size))
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
