package container

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	largeRows = 100_000
	largeText = 2_000
)

// writeLarge writes one answer of some 200 MB.
func writeLarge(w http.ResponseWriter) {
	b := bufio.NewWriterSize(w, 1<<16)
	text := strings.Repeat("x", largeText)
	separator := "["
	for n := range largeRows {
		if _, err := fmt.Fprintf(b, `%s{"id":%d,"text":"%s"}`, separator, n, text); err != nil {
			return // the component is gone: its test tells
		}
		separator = ","
	}
	fmt.Fprint(b, "]")
	_ = b.Flush() // likewise
}

// largeAnswer: an answer three times as large as the memory goes through it.
func (i images) largeAnswer(t *testing.T) {
	a := api(t, "127.0.0.1")
	dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"big","jobs":[{"endpoint":"large"}]}}}`, a.URL))
	stdout, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "host", "--read-only", "--user", "12345", "--cap-drop", "ALL",
		"--memory", "64m", "--memory-swap", "64m", "-v", dir+":/data", i.extractor)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	info, err := os.Stat(filepath.Join(dir, "out/tables/big.large"))
	if err != nil || info.Size() < largeRows*largeText {
		t.Errorf("table %+v, %v", info, err)
	}
}
